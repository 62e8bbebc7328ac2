package fanout

import (
	"cmp"
	"slices"

	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

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

// one returns the source for a request to one source: the named one, or the only one that the request can mean (R-ERR-5). Members that
// share a connection have the same records, so they are no ambiguity.
func (r *Reader) one(request rs.Request) (*Source, error) {
	connectionID, streams := scopeOf(request.Sources)
	if connectionID != nil {
		return r.named(*connectionID, streams)
	}
	switch request.Sources.(type) {
	case rs.OneSource:
		candidates := r.granting(streams)
		switch {
		case len(candidates) == 0:
			return nil, r.ungranted(streams)
		case len(candidates) == 1 || haveOneConnection(candidates):
			return candidates[0], nil
		}
		return nil, r.refusal(tool.AmbiguousConnection, streams, "%d connections have stream %q", len(candidates), streams[0])
	case rs.NamedSource:
		if grants := oneOfEach(r.active); len(grants) == 1 {
			return grants[0], nil
		}
		if haveOneConnection(r.active) {
			return r.named(r.active[0].ConnectionID, nil)
		}
		return nil, r.refusal(tool.AmbiguousConnection, nil,
			"%d connections may have the file; name one of them by connection_id", len(r.active))
	}
	return nil, unanswerable(request)
}

// named returns the active source of a connection. If several sources have the connection, it returns the one that covers most of the
// streams, and the first of equals. It also returns a source without any of the streams, because introspection may be outdated: the
// resource server decides. For an unknown connection, it returns the only source without a published connection.
func (r *Reader) named(connectionID string, streams []string) (*Source, error) {
	candidates := r.having(connectionID)
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
	return slices.MaxFunc(candidates, func(a, b *Source) int { return cmp.Compare(a.coverage(streams), b.coverage(streams)) }), nil
}

// having returns the active sources of a connection.
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
