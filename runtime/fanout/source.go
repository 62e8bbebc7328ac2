package fanout

import (
	"cmp"
	"slices"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// Source is one connection of one grant: a member of a package, as introspection publishes it (interfaces.md, Token
// introspection), or what a grant of this machine covers (R-LOCAL-1).
type Source struct {
	GrantID      string // not empty; with ConnectionID unique among the sources
	Shared       bool   // the grant covers other connections too, so each read names this one
	Active       bool   // false: revoked, expired, or of a status that is not known
	Missing      error  // why a source that is not active cannot be read; nil: its grant has ended
	Mend         string // the command line that gets the grant anew; empty where only its owner can
	ConnectionID string // empty when it is not published
	ConnectorKey string // empty when it is not published
	DisplayName  string // empty when it is not published

	// Streams are the names that the grant has. Nil means that they are not published; the source is then
	// taken to have every stream, and its resource server decides.
	Streams []string

	// Reader reads with the member's bearer and ends when its context does; nil when not active.
	Reader rs.Reader
}

func (s *Source) usable() bool { return s.Active && s.Reader != nil }

// key tells the source from all others.
func (s *Source) key() sourceKey { return sourceKey{s.GrantID, s.ConnectionID} }

type sourceKey struct {
	GrantID      string `json:"g"`
	ConnectionID string `json:"i,omitempty"` // in a cursor: of a source that shares its grant with others
}

// addTo adds the source's grant to those of an answer.
func (s *Source) addTo(grants []string) []string {
	if slices.Contains(grants, s.GrantID) {
		return grants
	}
	return append(grants, s.GrantID)
}

// own is a request to the source: it names the connection where the grant has others.
func (s *Source) own(request rs.Request) rs.Request {
	if s.Shared {
		request.Query = request.Query.With("connection_id", s.ConnectionID)
	}
	return request
}

// oneOfEach are the first of these sources in each grant, for what is asked of a whole grant.
func oneOfEach(sources []*Source) []*Source {
	var first []*Source
	for _, source := range sources {
		if !slices.ContainsFunc(first, source.sharesWith) {
			first = append(first, source)
		}
	}
	return first
}

// sharesWith reports whether both are connections of one grant. Such sources have one reader.
func (s *Source) sharesWith(other *Source) bool {
	return s == other || s.Shared && other.Shared && s.Reader == other.Reader
}

// ofGrant are the usable sources of a source's grant.
func (r *Reader) ofGrant(source *Source) []*Source { return keep(r.active, source.sharesWith) }

// grants reports whether the source has a stream, as far as its membership says.
func (s *Source) grants(stream string) bool {
	return s.Streams == nil || slices.Contains(s.Streams, stream)
}

// grantsAny reports whether the source has one of the streams; no streams stand for all of them.
func (s *Source) grantsAny(streams []string) bool {
	return len(streams) == 0 || slices.ContainsFunc(streams, s.grants)
}

func (s *Source) label() string { return tool.Shorten(s.DisplayName, tool.LabelCharacters) }

// name is the source in a sentence: its display name, else an id.
func (s *Source) name() string {
	return string(rawjson.Quote(cmp.Or(s.label(), s.ConnectionID, s.GrantID)))
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

// one is the source of a request that a single source answers: the one named, or the only one that grants
// the stream. No resource server is asked (R-ERR-5).
//
// Members that share a connection have the same records, so they are no ambiguity: the first one that
// grants the stream answers.
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

// named is the active source of a connection. Of several members that share the connection it is the first
// that has the most of the streams. When none has any, the resource server of the first refuses:
// introspection may be cached, so that membership is older than the grant.
//
// A single member without a published connection answers for names that are not known.
func (r *Reader) named(connectionID string, streams []string) (*Source, error) {
	candidates := keep(r.active, func(s *Source) bool { return s.ConnectionID == connectionID })
	if len(candidates) == 0 {
		if i := slices.IndexFunc(r.inactive, func(s *Source) bool { return s.ConnectionID == connectionID }); i >= 0 {
			ended := absence{r.inactive[i], r.inactive[i].Missing}
			return nil, r.refusal(tool.SourceUnavailable, streams, "%s", ended.refusal(ended.source.name())) // R-PKG-8
		}
		candidates = keep(r.active, func(s *Source) bool { return s.ConnectionID == "" })
		if len(candidates) != 1 {
			unknown := r.refusal(tool.SourceUnavailable, streams,
				"no granted source has the connection_id %q; take one that schema lists", connectionID)
			unknown.AboutNames = true
			return nil, unknown
		}
	}
	return slices.MaxFunc(candidates, func(a, b *Source) int { return cmp.Compare(a.coverage(streams), b.coverage(streams)) }), nil
}

// namedOrOnly is the source of a connection, or of the only grant or connection there is.
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
		"%d connections may have it; name one of them", len(r.active))
}

// Origins are the public origins of the providers that are asked for records or hits, each once; none when the request is refused
// before.
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

// coverage is how many of the streams the source has; without streams, how many it has at all.
func (s *Source) coverage(streams []string) int {
	if len(streams) == 0 {
		streams = s.Streams
	}
	return len(keep(streams, s.grants))
}

// granting are the active sources that have one of the streams.
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
