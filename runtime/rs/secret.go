package rs

import (
	"errors"
	"fmt"
)

const redacted = "[redacted]"

// Secret is a bearer or a password. Printing, formatting, logging and marshalling it give a fixed word; only Reveal
// gives the value (R-STDIO-4, R-ERR-6). The zero value is no secret. Secrets cannot be compared with ==.
//
// The value stands behind a pointer, because package fmt calls no method of what is in an unexported field of
// another struct, and prints its fields.
type Secret struct{ value *string }

// NewSecret hides a value.
func NewSecret(value string) Secret { return Secret{&value} }

// Reveal gives the value itself, for an Authorization header or the credential cache.
func (s Secret) Reveal() string {
	if s.value == nil {
		return ""
	}
	return *s.value
}

// IsZero reports whether there is no value.
func (s Secret) IsZero() bool { return s.Reveal() == "" }

// Format gives the same fixed word for every verb, %#v and %x too.
func (s Secret) Format(state fmt.State, _ rune) { _, _ = state.Write([]byte(redacted)) }

// MarshalText gives the fixed word to package json, to slog and to other encodings.
func (s Secret) MarshalText() ([]byte, error) { return []byte(redacted), nil }

// Bounds of a bearer, in bytes.
const (
	// ShortestBearer: a token that cannot be guessed has 128 random bits (RFC 6749, section 10.10), for which even bytes of
	// any value need 16. A shorter one could stand inside ordinary words, and could not be told from them.
	ShortestBearer = 16
	// LongestBearer: a longer one does not fit into the header limits of usual servers.
	LongestBearer = 16 << 10
)

// Faults of a bearer. They complete a sentence about it.
var (
	errBearerEmpty      = errors.New("is empty")
	errBearerCharacters = errors.New("holds characters that a bearer cannot have")
	errBearerTooShort   = fmt.Errorf("is shorter than %d characters, as no token is that nobody can guess", ShortestBearer)
	errBearerTooLong    = fmt.Errorf("is longer than %d bytes", LongestBearer)
)

// NewBearer checks that a value can stand in an Authorization header: visible ASCII (RFC 6750, section 2.1), from
// ShortestBearer to LongestBearer bytes. Its error completes a sentence about the value, such as "is empty".
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
