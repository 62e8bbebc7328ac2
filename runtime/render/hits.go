package render

import (
	"encoding/json"
	"slices"

	"github.com/pdppmcp/pdpp-mcp/runtime/answer"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/wire"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// ResourceURIs is the key in a result's _meta for the record and field-window URIs of a search, for hosts
// (R-SEARCH-10).
const ResourceURIs = "pdpp/resource_uris"

const maxResourceURIs = 200

// HitsPage is a page of hits as far as it fits: each hit once in a channel. The text lists the hits and then what
// belongs to the page (R-SEARCH-2); structured output has results, content_ladder, and the RS's envelope without its
// hits (R-SEARCH-6).
type HitsPage struct {
	*answer.Hits
	envelope   answer.Envelope // without resource URIs, and without warnings about sources that the caller left out
	question   *question
	hits       []*hit
	bySource   bool // the lines of the sources have the connector and the label of the hits
	columns    []column
	shared     rawjson.Object // the source members that all hits share, which the text shows once
	uris       []json.RawMessage
	page       *page
	shown      int   // the number of leading hits
	shownFrame frame // of these
}

// FitHits returns a page with as many hits as fit into both channels (R-BUD-3).
func FitHits(hits *answer.Hits) *HitsPage {
	s := &HitsPage{Hits: hits, question: newQuestion(hits), hits: make([]*hit, len(hits.Hits))}
	s.cleanEnvelope()
	for i, sent := range hits.Hits {
		s.hits[i] = newHit(sent, s.question)
		s.uris = append(s.uris, s.hits[i].uris...)
	}
	s.findShared()
	ranked := s.hits
	s.hits = groupBodies(ranked)
	if s.fit(); s.shown < len(s.hits) { // the next page continues after the last hit in the provider's order
		s.hits = ranked
		for _, hit := range s.hits {
			hit.showAllEvidence()
		}
		s.fit()
	}
	return s
}

// Result returns both channels. The page must not be used afterwards.
func (s *HitsPage) Result() (*tool.Result, error) {
	result, err := bounded(s.Origin, s.page.result(s.shown, s.shownFrame), TextCharacters)
	if err == nil && len(s.uris) > 0 {
		uris := rawjson.Array(s.uris[:min(len(s.uris), maxResourceURIs)])
		result.Meta = map[string]json.RawMessage{ResourceURIs: uris}
	}
	return result, err
}

// SmallerLimit returns the limit of a smaller page whose hits all fit, or 0 if this page should be shown.
func (s *HitsPage) SmallerLimit() int {
	if s.shown == len(s.hits) {
		return 0
	}
	return max(1, s.shown)
}

// fit shows as many hits as fit into both channels.
func (s *HitsPage) fit() {
	maximum := len(s.hits)
	if s.Limit > 0 { // it bounds all hits, also when the RS counted it for each connection (R-SEARCH-9)
		maximum = min(maximum, s.Limit)
	}
	s.page = newPage(len(s.hits), func(i int, text, structured []byte) ([]byte, []byte) {
		return s.hits[i].appendRow(text, s.columns), s.hits[i].appendResult(structured)
	})
	s.shown, s.shownFrame = s.page.fit(maximum, s.frame)
}

// cleanEnvelope removes resource URIs, and the warnings about sources that the search does not concern.
func (s *HitsPage) cleanEnvelope() {
	s.envelope = answer.Envelope{Members: s.withoutURIs(s.Envelope.Members), Meta: s.withoutURIs(s.Meta)}
	for _, warning := range s.Warnings {
		if mayHoldURI(warning) {
			warning = withoutURIs(warning, 0, &s.uris)
		}
		if warning != nil && !s.isSkipped(warning) {
			s.envelope.Warnings = append(s.envelope.Warnings, warning)
		}
	}
}

// withoutURIs returns the members without resource URIs. The member meta, which has no value, stays.
func (s *HitsPage) withoutURIs(members rawjson.Object) rawjson.Object {
	kept := make(rawjson.Object, 0, len(members))
	for _, member := range members {
		if mayHoldURI(member.Value) {
			if member.Value = withoutURIs(member.Value, 0, &s.uris); member.Value == nil {
				continue
			}
		}
		kept = append(kept, member)
	}
	return kept
}

// skippedCode is the code of a warning that a source was skipped because the search does not apply to it.
const skippedCode = "source_skipped_not_applicable"

// isSkipped reports whether a warning is about another source than those that the caller named (R-SEARCH-11).
func (s *HitsPage) isSkipped(warning rawjson.Value) bool {
	if s.Question.Streams == nil && s.Question.ConnectionID == "" {
		return false
	}
	object, _ := rawjson.ParseObject(warning)
	return object.Text("code") == skippedCode
}

// findShared finds the source members that all hits share, and the columns of the other values.
func (s *HitsPage) findShared() {
	var isShared [columnCount]bool
	if len(s.hits) > 1 {
		for _, c := range sourceColumns {
			text := s.hits[0].text(c)
			if text != "" && !slices.ContainsFunc(s.hits, func(h *hit) bool { return h.text(c) != text }) {
				isShared[c], s.shared = true, append(s.shared, rawjson.String(columnNames[c], text))
			}
		}
	}
	s.bySource = s.describesSources()
	for c := range columnCount {
		isSaid := isShared[c] || s.bySource && (c == connectorColumn || c == nameColumn)
		if !isSaid && slices.ContainsFunc(s.hits, func(h *hit) bool { return h.has(c) }) {
			s.columns = append(s.columns, c)
		}
	}
}

// describesSources reports whether lines of sources can describe the hits: all sources are listed, every id shows its
// connection, and the hits of a source agree.
func (s *HitsPage) describesSources() bool {
	first := map[string]*hit{}
	for _, h := range s.hits {
		known, isKnown := first[h.connectionID]
		if !isKnown {
			known, first[h.connectionID] = h, h
		}
		if !h.shows(h.connectionID) || known.connectorKey != h.connectorKey || known.displayName != h.displayName {
			return false
		}
	}
	return len(first) > 1 && len(first) <= sourcesShown
}

// sources returns the connections of the shown hits. It describes them only if no other line does.
func (s *HitsPage) sources(shown int) []*source {
	return sourcesOf(shown, func(i int) source {
		one := source{connectionID: s.hits[i].connectionID}
		if s.bySource && !hasName(s.shared, "connector_key") {
			one.connectorKey = s.hits[i].connectorKey
		}
		if s.bySource && !hasName(s.shared, "display_name") {
			one.displayName = s.hits[i].displayName
		}
		return one
	})
}

// hasNoHits reports whether a whole search has no hits.
func (s *HitsPage) hasNoHits() bool { return len(s.hits) == 0 && s.IsWhole() }

// notes returns what the hits do not show, and the searches that may find more.
func (s *HitsPage) notes(shown int, next continuation) (string, []answer.Call) {
	note, try := words(s.relaxedNote(shown), next.note, s.meaningNote(shown)), []answer.Call(nil)
	if next.isCut && s.Limit < maxRows && shown == len(s.hits) {
		try = s.Call.With(rawjson.Int(wire.Limit, int64(min(s.Relaxed.Found, maxRows))))
	}
	if s.hasNoHits() {
		note, try = s.noHits()
	}
	return words(note, s.question.syntaxNote(), LimitsNote(s.Limits)), try
}

// continuation returns the continuation to the next page. Relaxed hits have none.
func (s *HitsPage) continuation(shown int) continuation {
	if s.Relaxed != nil && s.Reading == nil {
		return continuation{isWhole: shown == len(s.hits), isCut: shown < s.Relaxed.Found}
	}
	next := continuationAfter(s.Paging, s.Reading, shown, len(s.hits)-shown, "streams or connection_id, which are ranked separately")
	if next.cursor != "" {
		next.calls = s.Call.With(rawjson.String(wire.Cursor, next.cursor))
	}
	return next
}

// conversation returns the call that reads the conversation of the first hit (R-FIND-3).
func (s *HitsPage) conversation(shown int) []answer.Call {
	if shown == 0 {
		return nil
	}
	first := s.hits[0]
	all := first.conversationsOf(first.fields, nil)
	if len(all) == 0 {
		return nil
	}
	return first.readConversation(first.fields, all[len(all)-1]) // the widest
}
