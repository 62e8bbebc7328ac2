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

// Verify checks that the event was signed with the secret, and when: an old event may be one that somebody
// recorded and sends again. One matching signature of version v1 is enough, since a provider signs with two
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
			"its time is %s from now, more than %s; an old event may be a repeated one, else compare the clocks", apart.Abs().Round(time.Second), tolerance)}
	}
	wanted := s.signature(values[IDHeader], values[TimestampHeader], message.Body)
	for signature := range strings.FieldsSeq(values[SignatureHeader]) {
		version, encoded, _ := strings.Cut(signature, ",")
		given, err := base64.StdEncoding.DecodeString(encoded)
		if version == "v1" && err == nil && hmac.Equal(given, wanted) {
			return nil
		}
	}
	return &Refusal{SignatureHeader, "no v1 signature in " + SignatureHeader + " is that of this body under this secret; the body must be as it came, byte for byte"}
}

func (s Secret) signature(id, timestamp string, body []byte) []byte {
	mac := hmac.New(sha256.New, s.key)
	mac.Write([]byte(id + "." + timestamp + "."))
	mac.Write(body)
	return mac.Sum(nil)
}
