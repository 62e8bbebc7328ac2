// Package webhook checks the signatures of events as Standard Webhooks has them (the specification's
// sections on headers and on symmetric signatures).
package webhook

import (
	"encoding/base64"
	"fmt"
	"strings"
)

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
