package render

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// ResourceURIs is the key in a result's _meta under which hosts find the record and field-window URIs
// of a search, which models do not need (R-SEARCH-10).
const ResourceURIs = "pdpp/resource_uris"

const resourceURIsKept = 200

// Search renders hits: in text the first handle, the evidence, the hits and then what surrounds them
// (R-SEARCH-2); in structured output results, content_ladder and the RS's envelope. A page of hits that
// does not fit is read again with a smaller limit, like one of records.
func Search(ctx context.Context, env tool.Env, response *rs.Response, input SearchInput) (*tool.Result, error) {
	s, err := fittingPage(ctx, env, response, func(response *rs.Response, again reread) (*search, error) {
		return openSearch(response, input.Call, newQuestion(response, input, env.RS.ProviderURL()), again)
	})
	if err != nil {
		return nil, err
	}
	result := &tool.Result{Text: s.text(), Structured: s.fitted}
	if len(s.uris) > 0 {
		uris := rawjson.Array(s.uris[:min(len(s.uris), resourceURIsKept)])
		result.Meta = map[string]json.RawMessage{ResourceURIs: uris}
	}
	return within(s.response, result, TextCharacters)
}

// search is one page of hits and the part of it that is shown.
type search struct {
	list
	response *rs.Response
	again    reread
	call     Given
	hits     []*hit
	encoded  []json.RawMessage // the hits in the envelope, without resource URIs
	results  []json.RawMessage
	ladder   []json.RawMessage
	uris     []json.RawMessage
	shown    int             // hits from the first on
	narrowed int             // hits that lost their long members
	fitted   json.RawMessage // the structured output of the hits that are shown
	next     *wayOn          // what on gives for them; nil until it is asked for
}

// A hit is a pointer to a record. One that is longer than this, because the server put the record
// into it, loses the members that are longer than narrowedCharacters.
const (
	hitCharacters      = 8_000
	narrowedCharacters = 1_000
)

func narrowed(hit rawjson.Object) json.RawMessage {
	kept, free := rawjson.Object{}, hitCharacters
	for _, member := range hit {
		length := rawLength(member.Value) + Length(member.Name)
		if length <= narrowedCharacters && length <= free {
			kept = append(kept, member)
			free -= length
		}
	}
	return kept.Encode()
}

func openSearch(response *rs.Response, call Given, q question, again reread) (*search, error) {
	envelope, err := response.List()
	if err != nil {
		return nil, err
	}
	s := &search{list: list{envelope}, response: response, again: again, call: call}
	if err := s.open(q); err != nil {
		return nil, err
	}
	s.shrink()
	return s, nil
}

func (s *search) open(q question) error {
	s.Outer = s.withoutURIs(s.Outer)
	s.Inner = s.withoutURIs(s.Inner)
	var members rawjson.Object
	for i, value := range s.Rows {
		hit, ok := newHit(value, q, members)
		if !ok {
			return s.response.Unusable(fmt.Sprintf("hit %d of the resource server's answer is not an object", i+1), "")
		}
		members = hit.members
		s.uris = append(s.uris, hit.uris...)
		value = hit.value
		if rawLength(value) > hitCharacters {
			value = narrowed(hit.members)
			s.narrowed++
		}
		s.hits = append(s.hits, hit)
		s.encoded = append(s.encoded, value)
		s.results = append(s.results, hit.result())
		s.ladder = append(s.ladder, hit.rung())
	}
	return nil
}

// withoutURIs cleans the envelope around the hits.
func (s *search) withoutURIs(envelope rawjson.Object) rawjson.Object {
	var kept rawjson.Object
	for _, member := range envelope {
		if member.Name == s.RowsName || member.Name == "data" {
			kept = append(kept, member)
		} else if clean := withoutURIs(member.Value, 0, &s.uris); clean != nil {
			kept = append(kept, rawjson.Raw(member.Name, clean))
		}
	}
	return kept
}

func (s *search) shrink() {
	lengths := make([]int, len(s.hits))
	for i := range s.hits {
		lengths[i] = rawLength(s.encoded[i]) + rawLength(s.results[i]) + rawLength(s.ladder[i])
	}
	s.fitted = fitPage(s, lengths, s.most())
}

// most is how many hits are shown at most: limit bounds them all, also when the server counted it for each connection
// (R-SEARCH-9).
func (s *search) most() int {
	if _, sent := s.response.Request.Query.Get("limit"); !sent {
		return len(s.hits)
	}
	return min(len(s.hits), s.response.Request.Limit())
}

func (s *search) show(hits int) { s.shown, s.next = hits, nil }

func (s *search) leftOut() int { return len(s.hits) - s.shown }

func (s *search) total() int { return len(s.hits) }

func (s *search) smallerLimit() int { return max(1, s.shown) }

func (s *search) structured() json.RawMessage {
	ladder := rawjson.Object{rawjson.Raw("records", rawjson.Array(s.ladder[:s.shown]))}
	before := rawjson.Object{
		rawjson.Raw("results", rawjson.Array(s.results[:s.shown])),
		rawjson.Raw("content_ladder", ladder.Encode()),
	}
	members := s.again.members()
	if s.narrowed > 0 {
		members = append(members, rawjson.Int("hits_narrowed", int64(s.narrowed)))
	}
	members = append(members, s.on().members()...)
	return s.list.structured(s.response, before, s.encoded[:s.shown], members, s.on())
}

// on leads to the next page.
func (s *search) on() wayOn {
	if s.next == nil {
		on := s.from(s.response, s.shown, s.leftOut(), "streams or connection_id, of which each is ranked by itself")
		if on.cursor != "" {
			on.calls = s.call.With(rawjson.String("cursor", on.cursor))
		}
		s.next = &on
	}
	return *s.next
}

// result is the hit in structured.results (R-SEARCH-5). A snippet that is one of the excerpts too stands there
// only (R-BUD-4).
func (h *hit) result() json.RawMessage {
	snippet := h.snippet
	if shows(h.evidence, snippet) {
		snippet = ""
	}
	object := rawjson.Object{
		rawjson.String("id", h.handle), rawjson.String("title", h.title), rawjson.String("url", h.url),
	}
	for _, member := range []struct{ name, value string }{
		{"connection_id", h.connectionID},
		{"connector_key", h.connectorKey},
		{"stream", h.stream},
		{"record_id", h.recordID},
		{"display_name", h.displayName},
		{"snippet", snippet},
	} {
		if member.value != "" {
			object = append(object, rawjson.String(member.name, member.value))
		}
	}
	if len(h.evidence) > 0 {
		object = append(object, rawjson.Raw("evidence", previews(h.evidence)))
	}
	return object.Encode()
}

// rung is the hit in structured.content_ladder: its evidence with continuations, or how to fetch it.
func (h *hit) rung() json.RawMessage {
	object := rawjson.Object{rawjson.String("id", h.handle)}
	switch {
	case len(h.evidence) > 0:
		object = append(object, rawjson.Raw("evidence", continued(h.evidence)))
	case h.isRecord():
		object = append(object, rawjson.Raw("next", h.fetch().Structured()))
	}
	return object.Encode()
}
