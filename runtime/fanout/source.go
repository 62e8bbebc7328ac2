package fanout

import (
	"slices"
	"unicode/utf8"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
)

// Source is one member of a package, as introspection publishes it (interfaces.md, Token introspection).
type Source struct {
	GrantID      string // unique in the package and not empty
	Active       bool   // false: revoked, expired, or of a status that is not known
	ConnectionID string // empty when it is not published
	ConnectorKey string // empty when it is not published
	DisplayName  string // empty when it is not published

	// Streams are the names that the grant has. Nil means that they are not published; the source is then
	// taken to have every stream, and its resource server decides.
	Streams []string

	// Reader reads with the member's own bearer and ends when its context does; nil when not active.
	Reader rs.Reader
}

func (s *Source) usable() bool { return s.Active && s.Reader != nil }

// grants tells whether the source has a stream, as far as its membership tells.
func (s *Source) grants(stream string) bool {
	return s.Streams == nil || slices.Contains(s.Streams, stream)
}

// grantsAny tells whether the source has one of the streams; no streams stand for all of them.
func (s *Source) grantsAny(streams []string) bool {
	return len(streams) == 0 || slices.ContainsFunc(streams, s.grants)
}

// labelCharacters bounds a display name in errors and warnings.
const labelCharacters = 100

func (s *Source) label() string {
	if utf8.RuneCountInString(s.DisplayName) <= labelCharacters {
		return s.DisplayName
	}
	return string([]rune(s.DisplayName)[:labelCharacters]) + "…"
}

// name is the source in a sentence: what people call it, else what programs do.
func (s *Source) name() string {
	for _, name := range []string{s.label(), s.ConnectionID, s.GrantID} {
		if name != "" {
			return string(rawjson.Quote(name))
		}
	}
	return "a source without a name"
}

// identity is what names the source in an error or a warning (R-ERR-5).
func (s *Source) identity() rawjson.Object {
	var identity rawjson.Object
	for _, member := range []struct{ name, value string }{
		{"grant_id", s.GrantID},
		{"connector_key", s.ConnectorKey},
		{"connection_id", s.ConnectionID},
		{"display_name", s.label()},
	} {
		if member.value != "" {
			identity = append(identity, rawjson.String(member.name, member.value))
		}
	}
	return identity
}
