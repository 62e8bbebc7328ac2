package fanout

import (
	"cmp"
	"slices"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/wire"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/granted"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// Source is one connection of a grant of a package (docs/provider-contract.md, Introspection and packages) or of this
// machine (R-LOCAL-1).
type Source struct {
	GrantID      string // required; unique together with ConnectionID
	Shared       bool   // the grant covers other connections too, so each read names this one
	ConnectionID string // may be empty
	ConnectorKey string // may be empty
	DisplayName  string // may be empty

	// Streams are the stream names of the grant. Nil means unknown: the source may have every stream, and its resource
	// server decides.
	Streams []string
	Limits  map[string]granted.Limit // by stream, or of "*"; a missing one is unknown

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
	if _, isMetadata := request.Sources.(rs.MetadataOfSource); s.Shared && !isMetadata {
		request.Query = request.Query.With(wire.ConnectionID, s.ConnectionID)
	}
	return request
}

// whole returns the grant of the source with all its connections. Its resource server decides whether it can answer for
// them together, and its records name their connections.
func (s *Source) whole() *Source {
	return &Source{GrantID: s.GrantID, ConnectorKey: s.ConnectorKey, Streams: s.Streams, Limits: s.Limits, Reader: s.Reader, Reconnect: s.Reconnect}
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
	return rawjson.Texts("grant_id", s.GrantID, "connector_key", s.ConnectorKey, wire.ConnectionID, s.ConnectionID, "display_name", s.label())
}

func (s *Source) warning(code, what string) rawjson.Value {
	return append(warning(code, "the source "+s.name()+" "+what), s.identity()...).Encode()
}

func warning(code, message string) rawjson.Object {
	return rawjson.Object{rawjson.String("code", code), rawjson.String("message", message)}
}

// scopeOf returns the connection and the streams that a request names. No streams means all.
func scopeOf(sources rs.Sources) (connectionID *string, streams []string) {
	switch wanted := sources.(type) {
	case rs.OneSource:
		return wanted.ConnectionID, []string{wanted.Stream}
	case rs.HitsOfSources:
		return wanted.ConnectionID, wanted.Streams
	case rs.SchemaOfSources:
		if wanted.Stream != nil {
			streams = []string{*wanted.Stream}
		}
		return wanted.ConnectionID, streams
	case rs.StreamsOfSources:
		return wanted.ConnectionID, nil
	case rs.NamedSource:
		return wanted.ConnectionID, nil
	}
	return nil, nil
}

// one returns the source for a request to one source: the named one, or the only one that the request can mean
// (R-ERR-5). Members that share a connection have the same records, so they are not ambiguous.
func (r *Reader) one(request rs.Request) (*Source, error) {
	connectionID, streams := scopeOf(request.Sources)
	if connectionID != nil {
		return r.named(request, *connectionID, streams)
	}
	switch request.Sources.(type) {
	case rs.OneSource:
		candidates := r.granting(streams)
		switch {
		case len(candidates) == 0:
			return nil, r.ungranted(streams)
		case len(candidates) == 1 || haveOneConnection(candidates):
			return best(candidates, granted.NeedOf(request, streams[0])), nil
		case len(oneOfEach(candidates)) == 1:
			return candidates[0].whole(), nil
		}
		return nil, r.refusal(tool.AmbiguousConnection, streams, "%d connections have stream %q", len(candidates), streams[0])
	case rs.MetadataOfSource:
		wanted, _ := request.Sources.(rs.MetadataOfSource)
		if i := slices.IndexFunc(r.active, func(s *Source) bool { return s.Reader.ProviderURL() == wanted.Origin }); i >= 0 {
			return r.active[i], nil
		}
	case rs.NamedSource:
		if grants := oneOfEach(r.active); len(grants) == 1 {
			return grants[0], nil
		}
		if haveOneConnection(r.active) {
			return r.named(request, r.active[0].ConnectionID, nil)
		}
		return nil, r.refusal(tool.AmbiguousConnection, nil,
			"%d connections may have the file; name one of them by connection_id", len(r.active))
	}
	return nil, unanswerable(request)
}

// named returns the active source of a connection. If several sources have the connection, it returns the one that
// covers most of the streams and then most of the request, and the first of equals. It also returns a source without
// any of the streams, because introspection may be outdated: the resource server decides. For an unknown connection, it
// returns the only source without a published connection.
func (r *Reader) named(request rs.Request, connectionID string, streams []string) (*Source, error) {
	candidates := r.having(connectionID)
	if one, isOne := request.Sources.(rs.OneSource); isOne && one.GrantID != "" {
		candidates = keep(candidates, func(s *Source) bool { return s.GrantID == one.GrantID })
	}
	if len(candidates) == 0 {
		for _, ended := range r.inactive {
			if ended.source.ConnectionID == connectionID {
				refusal := r.refusal(tool.SourceUnavailable, streams, "%s", ended.unreadable(ended.source.name())) // R-PKG-8
				refusal.Cause = ended.err
				return nil, refusal
			}
		}
		if candidates = r.having(""); len(candidates) != 1 {
			unknown := r.refusal(tool.SourceUnavailable, streams, "unknown connection_id %q: use one that schema lists", connectionID)
			unknown.AboutNames = true
			return nil, unknown
		}
	}
	most := slices.MaxFunc(candidates, func(a, b *Source) int { return cmp.Compare(a.coverage(streams), b.coverage(streams)) })
	if len(streams) != 1 {
		return most, nil
	}
	candidates = keep(candidates, func(s *Source) bool { return s.coverage(streams) == most.coverage(streams) })
	return best(candidates, granted.NeedOf(request, streams[0])), nil
}

func (r *Reader) having(connectionID string) []*Source {
	return keep(r.active, func(s *Source) bool { return s.ConnectionID == connectionID })
}

// granting returns the active sources that may have one of the streams.
func (r *Reader) granting(streams []string) []*Source {
	return keep(r.active, func(s *Source) bool { return s.grantsAny(streams) })
}

func haveOneConnection(sources []*Source) bool {
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
