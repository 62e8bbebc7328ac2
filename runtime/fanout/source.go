package fanout

import (
	"cmp"
	"slices"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// Source is one connection of a grant of a package (interfaces.md, Token introspection) or of this machine (R-LOCAL-1).
type Source struct {
	GrantID      string // required; unique together with ConnectionID
	Shared       bool   // the grant covers other connections too, so each read names this one
	ConnectionID string // may be empty
	ConnectorKey string // may be empty
	DisplayName  string // may be empty

	// Streams are the stream names of the grant. Nil means unknown: the source may have every stream, and its resource server decides.
	Streams []string

	Reader    rs.Reader // reads with the member's bearer; nil means that the grant was revoked or has ended
	Missing   error     // why the source cannot be read, if that is known
	Reconnect string    // the command line that gets the grant again; may be empty
}

func (s *Source) isActive() bool { return s.Reader != nil && s.Missing == nil }

type sourceKey struct {
	GrantID      string `json:"g"`
	ConnectionID string `json:"i,omitempty"` // in a cursor only if the grant has several
}

func (s *Source) key() sourceKey { return sourceKey{s.GrantID, s.ConnectionID} }

// cursorKey identifies an active source in a cursor.
func (s *Source) cursorKey() sourceKey {
	if s.Shared {
		return s.key()
	}
	return sourceKey{GrantID: s.GrantID}
}

// addTo adds the source's grant to a list once.
func (s *Source) addTo(grants []string) []string {
	if slices.Contains(grants, s.GrantID) {
		return grants
	}
	return append(grants, s.GrantID)
}

// own returns the request as it is sent to the source. It names the connection if the grant has several.
func (s *Source) own(request rs.Request) rs.Request {
	if s.Shared {
		request.Query = request.Query.With("connection_id", s.ConnectionID)
	}
	return request
}

// oneOfEach returns the first source of each grant, for requests that concern whole grants.
func oneOfEach(sources []*Source) []*Source {
	var first []*Source
	for _, source := range sources {
		if !slices.ContainsFunc(first, source.sharesWith) {
			first = append(first, source)
		}
	}
	return first
}

// sharesWith reports whether both are connections of one grant, which have the same reader.
func (s *Source) sharesWith(other *Source) bool {
	return s == other || s.Shared && other.Shared && s.Reader == other.Reader
}

// grants reports whether the source may have a stream.
func (s *Source) grants(stream string) bool {
	return s.Streams == nil || slices.Contains(s.Streams, stream)
}

// grantsAny reports whether the source may have one of the streams. No streams means all.
func (s *Source) grantsAny(streams []string) bool {
	return len(streams) == 0 || slices.ContainsFunc(streams, s.grants)
}

// coverage returns the number of the given streams that the source has, or of all its streams if none are given.
func (s *Source) coverage(streams []string) int {
	if len(streams) == 0 {
		return len(s.Streams)
	}
	return len(keep(streams, s.grants))
}

func (s *Source) label() string { return tool.Shorten(s.DisplayName, tool.LabelCharacters) }

// name returns the source's display name or an id, quoted.
func (s *Source) name() string {
	return string(rawjson.Quote(cmp.Or(s.label(), s.ConnectionID, s.GrantID)))
}

// identity returns the members that name the source in errors and warnings (R-ERR-5).
func (s *Source) identity() rawjson.Object {
	return rawjson.Texts("grant_id", s.GrantID, "connector_key", s.ConnectorKey, "connection_id", s.ConnectionID, "display_name", s.label())
}

// warning returns a warning about the source.
func (s *Source) warning(code, what string) rawjson.Value {
	return append(warning(code, "the source "+s.name()+" "+what), s.identity()...).Encode()
}

func warning(code, message string) rawjson.Object {
	return rawjson.Object{rawjson.String("code", code), rawjson.String("message", message)}
}

func keep[T any](all []T, wanted func(T) bool) []T {
	var kept []T
	for _, each := range all {
		if wanted(each) {
			kept = append(kept, each)
		}
	}
	return kept
}
