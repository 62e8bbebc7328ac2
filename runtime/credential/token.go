package credential

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"

	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
)

// longestToken bounds an access token in bytes. Longer ones do not fit into the request headers
// that servers accept.
const longestToken = 16 << 10

const redacted = "[redacted]"

// Token is a bearer. Printing, formatting, logging and marshalling it give a placeholder; only
// Reveal gives the token (R-STDIO-4, R-ERR-6). The zero value is no token.
type Token struct{ value string }

// Faults of a token that no HTTP request could carry.
var (
	errTokenEmpty      = errors.New("the access token is empty")
	errTokenTooShort   = fmt.Errorf("the access token is shorter than %d characters, as none is that nobody can guess", rs.ShortestBearer)
	errTokenTooLong    = errors.New("the access token is longer than 16384 bytes")
	errTokenCharacters = errors.New("the access token holds characters that a bearer cannot have")
)

// NewToken checks that a value can stand in an Authorization header: visible ASCII (RFC 6750,
// section 2.1), from rs.ShortestBearer to 16384 bytes.
func NewToken(value string) (Token, error) {
	switch {
	case value == "":
		return Token{}, errTokenEmpty
	case len(value) > longestToken:
		return Token{}, errTokenTooLong
	}
	for _, character := range []byte(value) {
		if character <= ' ' || character > '~' {
			return Token{}, errTokenCharacters
		}
	}
	if len(value) < rs.ShortestBearer {
		return Token{}, errTokenTooShort
	}
	return Token{value: value}, nil
}

// Reveal gives the token itself, for the Authorization header and the cache file.
func (t Token) Reveal() string { return t.value }

// IsZero tells whether there is no token.
func (t Token) IsZero() bool { return t.value == "" }

// String gives a placeholder.
func (t Token) String() string { return redacted }

// Format gives a placeholder for every verb, %#v and %x too.
func (t Token) Format(state fmt.State, _ rune) { _, _ = state.Write([]byte(redacted)) }

// LogValue gives a placeholder to slog.
func (t Token) LogValue() slog.Value { return slog.StringValue(redacted) }

// MarshalJSON gives a placeholder; the cache writes the token on purpose, with Reveal.
func (t Token) MarshalJSON() ([]byte, error) { return json.Marshal(redacted) }
