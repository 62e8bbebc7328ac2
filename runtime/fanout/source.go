package fanout

import (
	"cmp"
	"slices"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// Source is one connection of one grant: a member of a package (interfaces.md, Token introspection), or of a grant of this machine
// (R-LOCAL-1).
type Source struct {
	GrantID      string // required; unique together with ConnectionID
	Shared       bool   // the grant covers other connections too, so each read names this one
	Active       bool   // false if revoked, expired or of unknown status
	Missing      error  // why an inactive source cannot be read; nil means that its grant has ended
	Reconnect    string // the command line that gets the grant again; may be empty
	ConnectionID string // may be empty
	ConnectorKey string // may be empty
	DisplayName  string // may be empty

	// Streams are the stream names of the grant. Nil means unknown: the source may have every stream, and its resource server decides.
	Streams []string

	// Reader reads with the member's bearer. It is nil if the source is not active.
	Reader rs.Reader
}

func (s *Source) usable() bool { return s.Active && s.Reader != nil }

// key identifies the source.
func (s *Source) key() sourceKey { return sourceKey{s.GrantID, s.ConnectionID} }

type sourceKey struct {
	GrantID      string `json:"g"`
	ConnectionID string `json:"i,omitempty"` // in a cursor only if the grant has several
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

func (s *Source) label() string { return tool.Shorten(s.DisplayName, tool.LabelCharacters) }

// name returns the source's display name or an id, quoted.
func (s *Source) name() string {
	return string(rawjson.Quote(cmp.Or(s.label(), s.ConnectionID, s.GrantID)))
}

// identity returns the members that name the source in errors and warnings (R-ERR-5).
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

// one returns the source for a request to one source: the named one, or the only one with the stream (R-ERR-5). Members that share a
// connection have the same records, so the first of them answers.
func (r *Reader) one(wanted rs.OneSource) (*Source, error) {
	streams := []string{wanted.Stream}
	if wanted.ConnectionID != nil {
		return r.named(*wanted.ConnectionID, streams)
	}
	candidates := r.granting(streams)
	switch {
	case len(candidates) == 0:
		return nil, r.ungranted(streams)
	case len(candidates) == 1 || oneConnection(candidates):
		return candidates[0], nil
	}
	return nil, r.refusal(tool.AmbiguousConnection, streams,
		"%d connections have stream %q", len(candidates), wanted.Stream)
}

// named returns the active source of a connection. If several sources have the connection, it returns the one that covers most of the
// streams, and the first of equals. It also returns a source without any of the streams, because introspection may be outdated: the
// resource server decides. For an unknown connection, it returns the only source without a published connection.
func (r *Reader) named(connectionID string, streams []string) (*Source, error) {
	candidates := keep(r.active, func(s *Source) bool { return s.ConnectionID == connectionID })
	if len(candidates) == 0 {
		if i := slices.IndexFunc(r.inactive, func(s *Source) bool { return s.ConnectionID == connectionID }); i >= 0 {
			ended := absence{r.inactive[i], r.inactive[i].Missing}
			refusal := r.refusal(tool.SourceUnavailable, streams, "%s", ended.unreadable(ended.source.name())) // R-PKG-8
			refusal.Cause = ended.err
			return nil, refusal
		}
		candidates = keep(r.active, func(s *Source) bool { return s.ConnectionID == "" })
		if len(candidates) != 1 {
			unknown := r.refusal(tool.SourceUnavailable, streams,
				"unknown connection_id %q: use one that schema lists", connectionID)
			unknown.AboutNames = true
			return nil, unknown
		}
	}
	return slices.MaxFunc(candidates, func(a, b *Source) int { return cmp.Compare(a.coverage(streams), b.coverage(streams)) }), nil
}

// namedOrOnly returns the source of a connection. Without a connection id, it returns the only grant or the only connection.
func (r *Reader) namedOrOnly(connectionID *string) (*Source, error) {
	if connectionID != nil {
		return r.named(*connectionID, nil)
	}
	if grants := oneOfEach(r.active); len(grants) == 1 {
		return grants[0], nil
	}
	if oneConnection(r.active) {
		return r.named(r.active[0].ConnectionID, nil)
	}
	return nil, r.refusal(tool.AmbiguousConnection, nil,
		"%d connections may have the file; name one of them by connection_id", len(r.active))
}

// Origins returns the public origins of the providers that a request for records or hits asks, each once.
func (r *Reader) Origins(request rs.Request) []string {
	var origins []string
	switch wanted := request.Sources.(type) {
	case rs.OneSource:
		if source, err := r.one(wanted); err == nil {
			return []string{source.Reader.ProviderURL()}
		}
	case rs.HitsOfSources:
		for _, source := range r.granting(wanted.Streams) {
			if wanted.ConnectionID == nil || source.ConnectionID == *wanted.ConnectionID {
				origins = append(origins, source.Reader.ProviderURL())
			}
		}
	}
	slices.Sort(origins)
	return slices.Compact(origins)
}

// coverage returns the number of the given streams that the source has, or of all its streams if none are given.
func (s *Source) coverage(streams []string) int {
	if len(streams) == 0 {
		streams = s.Streams
	}
	return len(keep(streams, s.grants))
}

// granting returns the active sources that may have one of the streams.
func (r *Reader) granting(streams []string) []*Source {
	return keep(r.active, func(s *Source) bool { return s.grantsAny(streams) })
}

func oneConnection(sources []*Source) bool {
	id := sources[0].ConnectionID
	return id != "" && !slices.ContainsFunc(sources, func(s *Source) bool { return s.ConnectionID != id })
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
