package rs

import (
	"errors"
	"fmt"
)

const redacted = "[redacted]"

// Secret is a bearer or a password. Printing, logging and marshalling it give a fixed word; only Reveal returns the value
// (R-STDIO-4, R-ERR-6). The zero value is empty. Secrets cannot be compared with ==.
//
// The value is behind a pointer because package fmt prints unexported fields of another struct without calling their methods.
type Secret struct{ value *string }

// NewSecret returns a secret with a value.
func NewSecret(value string) Secret { return Secret{&value} }

// Reveal returns the value, for an Authorization header or the credential cache.
func (s Secret) Reveal() string {
	if s.value == nil {
		return ""
	}
	return *s.value
}

// IsZero reports whether there is no value.
func (s Secret) IsZero() bool { return s.Reveal() == "" }

// Format writes the fixed word for every verb, including %#v and %x.
func (s Secret) Format(state fmt.State, _ rune) { _, _ = state.Write([]byte(redacted)) }

// MarshalText returns the fixed word to package json, slog and other encoders.
func (s Secret) MarshalText() ([]byte, error) { return []byte(redacted), nil }

// Bounds of a bearer, in bytes.
const (
	// ShortestBearer: an unguessable token has 128 random bits (RFC 6749, section 10.10), which need at least 16 bytes. A shorter one
	// could occur inside ordinary words.
	ShortestBearer = 16
	// LongestBearer: a longer one exceeds the header limits of usual servers.
	LongestBearer = 16 << 10
)

// Faults of a bearer. Each completes a sentence.
var (
	errBearerEmpty      = errors.New("is empty")
	errBearerCharacters = errors.New("has characters that a bearer cannot have")
	errBearerTooShort   = fmt.Errorf("is shorter than %d characters and could be guessed", ShortestBearer)
	errBearerTooLong    = fmt.Errorf("is longer than %d bytes", LongestBearer)
)

// NewBearer checks a bearer (RFC 6750, section 2.1). Its error completes a sentence, such as "is empty".
func NewBearer(value string) (Secret, error) {
	switch {
	case value == "":
		return Secret{}, errBearerEmpty
	case len(value) > LongestBearer:
		return Secret{}, errBearerTooLong
	}
	for _, character := range []byte(value) {
		if character <= ' ' || character > '~' {
			return Secret{}, errBearerCharacters
		}
	}
	if len(value) < ShortestBearer {
		return Secret{}, errBearerTooShort
	}
	return NewSecret(value), nil
}
