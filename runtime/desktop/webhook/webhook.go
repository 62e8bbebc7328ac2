// Package webhook checks the signatures of events (Standard Webhooks, headers and symmetric signatures).
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

// DefaultTolerance is the accepted difference between the time of an event and now.
const DefaultTolerance = 5 * time.Minute

const (
	secretPrefix = "whsec_"
	minKey       = 24 // bytes, by the specification
	maxKey       = 64
)

// Secret is the key of a provider's signatures. It prints as [signing secret].
type Secret struct{ key []byte }

// SecretError is an invalid secret. It never repeats the value.
type SecretError struct{ Message string }

func (e *SecretError) Error() string { return "the signing secret " + e.Message }

// ParseSecret reads whsec_ followed by the base64 of 24 to 64 bytes, ignoring white space around it. Its error is a
// *SecretError.
func ParseSecret(text string) (Secret, error) {
	encoded, found := strings.CutPrefix(strings.TrimSpace(text), secretPrefix)
	if !found {
		return Secret{}, &SecretError{"does not begin with " + secretPrefix + "; pass it as the provider sent it"}
	}
	key, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		return Secret{}, &SecretError{"is not base64 after " + secretPrefix + "; pass it as the provider sent it"}
	}
	if len(key) < minKey || len(key) > maxKey {
		return Secret{}, &SecretError{fmt.Sprintf("has %d bytes; a valid one has %d to %d", len(key), minKey, maxKey)}
	}
	return Secret{key}, nil
}

// String keeps the key out of logs.
func (Secret) String() string { return "[signing secret]" }

// GoString keeps the key out of logs.
func (Secret) GoString() string { return "[signing secret]" }

// Message is a received event.
type Message struct {
	Header http.Header
	Body   []byte // unchanged
}

// Refusal is the error of an event that cannot be trusted.
type Refusal struct {
	Header  string // the invalid header; may be empty
	Message string
}

func (e *Refusal) Error() string { return "the event cannot be trusted: " + e.Message }

// Verify checks the signature of an event and its time: an old event may be a replay. One matching signature of version
// v1 is enough, because a provider signs with two secrets during a rotation. Its error is a *Refusal. Signatures are
// compared in constant time.
func (s Secret) Verify(message Message, now time.Time, tolerance time.Duration) error {
	values := map[string]string{}
	for _, name := range []string{IDHeader, TimestampHeader, SignatureHeader} {
		given := message.Header.Values(name)
		if len(given) != 1 || given[0] == "" {
			return &Refusal{name, fmt.Sprintf("it has %d headers %s; it needs exactly one with a value", len(given), name)}
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
