// Package webhook checks the signatures of events as Standard Webhooks has them (the specification's
// sections on headers and on symmetric signatures).
package webhook

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// The headers of a signed event.
const (
	IDHeader        = "webhook-id"
	TimestampHeader = "webhook-timestamp"
	SignatureHeader = "webhook-signature"
)

// DefaultTolerance is how far the time of an event may be from now, before or after.
const DefaultTolerance = 5 * time.Minute

const (
	secretPrefix = "whsec_"
	keyLeast     = 24 // bytes, by the specification
	keyMost      = 64
)

// Secret is the key that a provider signs with. It prints as [signing secret].
type Secret struct{ key []byte }

// SecretError is a secret that cannot be one. It never repeats it.
type SecretError struct{ Message string }

func (e *SecretError) Error() string { return "the signing secret " + e.Message }

// ParseSecret reads whsec_ followed by the base64 of 24 to 64 bytes. White space around it does not count. Its
// error is a *SecretError.
func ParseSecret(text string) (Secret, error) {
	encoded, found := strings.CutPrefix(strings.TrimSpace(text), secretPrefix)
	if !found {
		return Secret{}, &SecretError{"does not begin with " + secretPrefix + "; pass it as the provider gave it"}
	}
	key, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		return Secret{}, &SecretError{"is not base64 behind " + secretPrefix + "; pass it as the provider gave it"}
	}
	if len(key) < keyLeast || len(key) > keyMost {
		return Secret{}, &SecretError{fmt.Sprintf("has %d bytes; it has %d to %d", len(key), keyLeast, keyMost)}
	}
	return Secret{key}, nil
}

// String keeps the key out of logs.
func (Secret) String() string { return "[signing secret]" }

// GoString likewise.
func (Secret) GoString() string { return "[signing secret]" }

// Message is an event as it arrived.
type Message struct {
	Header http.Header
	Body   []byte // byte for byte
}

// Refusal is an event that cannot be trusted.
type Refusal struct {
	Header  string // the one at fault; empty when none is
	Message string
}

func (e *Refusal) Error() string { return "the event is not to be trusted: " + e.Message }

// Verify checks that the event was signed with the secret, and when: an old event may be a recorded one
// that is sent again. One matching signature of version v1 is enough, since a provider signs with two
// secrets while it changes them. Its error is a *Refusal. Comparing takes the same time wherever signatures
// differ.
func (s Secret) Verify(message Message, now time.Time, tolerance time.Duration) error {
	values := map[string]string{}
	for _, name := range []string{IDHeader, TimestampHeader, SignatureHeader} {
		given := message.Header.Values(name)
		if len(given) != 1 || given[0] == "" {
			return &Refusal{name, fmt.Sprintf("it has %d headers %s with a value; it needs one", len(given), name)}
		}
		values[name] = given[0]
	}
	seconds, err := strconv.ParseInt(values[TimestampHeader], 10, 64)
	if err != nil {
		return &Refusal{TimestampHeader, TimestampHeader + " is not a number of seconds since 1970"}
	}
	if apart := now.Sub(time.Unix(seconds, 0)); apart > tolerance || apart < -tolerance {
		return &Refusal{TimestampHeader, fmt.Sprintf(
			"its time is %s from now, more than %s; an old event may be a replay; otherwise compare the clocks", apart.Abs().Round(time.Second), tolerance)}
	}
	mac := hmac.New(sha256.New, s.key)
	mac.Write([]byte(values[IDHeader] + "." + values[TimestampHeader] + "."))
	mac.Write(message.Body)
	for signature := range strings.FieldsSeq(values[SignatureHeader]) {
		version, encoded, _ := strings.Cut(signature, ",")
		given, err := base64.StdEncoding.DecodeString(encoded)
		if version == "v1" && err == nil && hmac.Equal(given, mac.Sum(nil)) {
			return nil
		}
	}
	return &Refusal{SignatureHeader, "no v1 signature in " + SignatureHeader + " matches this body and secret; pass the body exactly as it was received"}
}
