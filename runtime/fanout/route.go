package fanout

import (
	"slices"

	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
)

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
	return nil, r.ambiguous(wanted.Stream, candidates)
}

// named is the active source of a connection. Of several members that share the connection it is the first
// that has the most of the streams. When none has any, the resource server of the first says no in its own
// words: introspection may be cached, so that membership is older than the grant.
//
// A single member without a published connection answers for names that are not known.
func (r *Reader) named(connectionID string, streams []string) (*Source, error) {
	candidates := keep(r.active, func(s *Source) bool { return s.ConnectionID == connectionID })
	if len(candidates) == 0 {
		for _, source := range r.inactive {
			if source.ConnectionID == connectionID {
				return nil, r.inactiveNamed(source, streams)
			}
		}
		candidates = keep(r.active, func(s *Source) bool { return s.ConnectionID == "" })
		if len(candidates) != 1 {
			return nil, r.unknown(connectionID, streams)
		}
	}
	best, most := candidates[0], -1
	for _, source := range candidates {
		if has := source.coverage(streams); has > most {
			best, most = source, has
		}
	}
	return best, nil
}

// coverage is how many of the streams the source has; without streams, how many it has at all.
func (s *Source) coverage(streams []string) int {
	if len(streams) == 0 {
		return len(s.Streams)
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
