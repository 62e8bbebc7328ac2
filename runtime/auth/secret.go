package auth

import (
	"encoding/json"
	"fmt"
	"log/slog"
)

const redacted = "[redacted]"

// Secret is a token or a password. Printing, formatting, logging and marshalling it give a placeholder;
// only Reveal gives the value (R-ERR-6). The zero value is no secret. Secrets cannot be compared with ==.
//
// The value stands behind a pointer, because package fmt calls no method of what is in an unexported field of
// another struct, and prints its fields.
type Secret struct{ value *string }

// NewSecret hides a value.
func NewSecret(value string) Secret { return Secret{&value} }

// Reveal gives the value itself, for an Authorization header.
func (s Secret) Reveal() string {
	if s.value == nil {
		return ""
	}
	return *s.value
}

// IsZero tells whether there is no value.
func (s Secret) IsZero() bool { return s.Reveal() == "" }

// String gives a placeholder.
func (s Secret) String() string { return redacted }

// Format gives a placeholder for every verb, %#v and %x too.
func (s Secret) Format(state fmt.State, _ rune) { _, _ = state.Write([]byte(redacted)) }

// LogValue gives a placeholder to slog.
func (s Secret) LogValue() slog.Value { return slog.StringValue(redacted) }

// MarshalJSON gives a placeholder.
func (s Secret) MarshalJSON() ([]byte, error) { return json.Marshal(redacted) }
