package render

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/pdppmcp/pdpp-mcp/runtime/answer"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// ResourceURIs is the key in a result's _meta for the record and field-window URIs of a search, for hosts (R-SEARCH-10).
const ResourceURIs = "pdpp/resource_uris"

const maxResourceURIs = 200

// Search renders hits, each once in a channel: the text lists the hits and then what belongs to the page (R-SEARCH-2); structured output
// has results, content_ladder, and the RS's envelope without its hits (R-SEARCH-6).
func Search(ctx context.Context, env tool.Env, response *rs.Response, input SearchInput) (*tool.Result, error) {
	records := hitRecords{}
	s, err := fittingPage(ctx, env, response, func(response *rs.Response, again reread) (*search, error) {
		return openSearch(ctx, env, response, newQuestion(response, input, env.RS.ProviderURL()), input.Call, again, records)
	})
	if err != nil {
		return nil, err
	}
	result, err := s.result()
	if err == nil && len(s.uris) > 0 {
		uris := rawjson.Array(s.uris[:min(len(s.uris), maxResourceURIs)])
		result.Meta = map[string]json.RawMessage{ResourceURIs: uris}
	}
	return result, err
}

type search struct {
	listPage
	question question
	call     answer.Given
	hits     []*hit
	bySource bool // the lines of the sources have the connector and the label of the hits
	uris     []json.RawMessage
}

func openSearch(
	ctx context.Context, env tool.Env, response *rs.Response, q question, call answer.Given, again reread, records hitRecords,
) (*search, error) {
	envelope, err := response.List()
	if err != nil {
		return nil, err
	}
	s := &search{listPage: listPage{list: list{envelope}, response: response, reread: again}, question: q, call: call}
	s.Outer, s.Inner = s.cleaned(s.Outer), s.cleaned(s.Inner)
	for i, value := range s.Rows {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		hit, ok := newHit(value, q)
		if !ok {
			return nil, response.Unusable(fmt.Sprintf("hit %d of the resource server's answer is not an object", i+1), "")
		}
		if relaxed := response.Relaxed; relaxed != nil {
			hit.words = relaxed.Matched[i]
		}
		s.uris = append(s.uris, hit.uris...)
		s.hits = append(s.hits, hit)
	}
	_, isLaterPage := response.Request.Query.Get("cursor")
	records.describe(ctx, env, s.hits, isLaterPage)
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
	return s, nil
}

// fit shows as many hits as fit into both channels.
func (s *search) fit() {
	maximum := len(s.hits) // the limit of the call bounds them all, also when the RS counted it for each connection (R-SEARCH-9)
	if _, isSent := s.response.Request.Query.Get("limit"); isSent {
		maximum = min(maximum, s.response.Request.Limit())
	}
	s.page = newPage(len(s.hits), func(i int, text, structured []byte) ([]byte, []byte) {
		return s.hits[i].write(text, structured, s.columns)
	})
	s.shown, s.shownFrame = s.page.fit(maximum, s.frame)
}

func (s *search) smallerLimit() int { return max(1, s.shown) }

// cleaned returns the envelope around the hits without resource URIs and without warnings about sources that the caller left out.
func (s *search) cleaned(envelope rawjson.Object) rawjson.Object {
	var kept rawjson.Object
	for _, member := range envelope {
		if member.Name != s.RowsName && member.Name != "data" {
			member.Value = withoutURIs(member.Value, 0, &s.uris)
		}
		if member.Name == "meta" {
			member.Value = s.withoutSkipped(member.Value)
		}
		if member.Value != nil {
			kept = append(kept, member)
		}
	}
	return kept
}

// skippedCode is the code of a warning that a source was skipped because the search does not apply to it.
const skippedCode = "source_skipped_not_applicable"

// withoutSkipped removes the warnings about other sources from meta, for a caller who named streams or a connection (R-SEARCH-11).
func (s *search) withoutSkipped(value json.RawMessage) json.RawMessage {
	meta, _ := rawjson.ParseObject(value)
	_, namesStreams := s.response.Request.Query.Get("streams")
	warnings, hasWarnings := rawjson.Elements(meta.Get("warnings"))
	if !hasWarnings || !namesStreams && s.question.connectionID == "" {
		return value
	}
	kept := slices.DeleteFunc(warnings, func(warning json.RawMessage) bool {
		object, _ := rawjson.ParseObject(warning)
		return object.Text("code") == skippedCode
	})
	return meta.With("warnings", rawjson.Array(kept)).Encode()
}

// findShared finds the source members that all hits share, which the text shows once, and the columns of the other members.
func (s *search) findShared() {
	if len(s.hits) > 1 {
		s.shared = slices.DeleteFunc(slices.Clone(s.hits[0].cells), func(member rawjson.Member) bool {
			return !slices.Contains(sourceNames, member.Name) ||
				slices.ContainsFunc(s.hits, func(h *hit) bool { return !bytes.Equal(h.cells.Get(member.Name), member.Value) })
		})
	}
	s.bySource = s.describesSources()
	for _, name := range append([]string{wordsName, "evidence", "snippet", "title", "author", "container", "amount", "time"}, sourceNames...) {
		isSaid := hasName(s.shared, name) || s.bySource && (name == "connector_key" || name == "display_name")
		if !isSaid && slices.ContainsFunc(s.hits, func(h *hit) bool { return h.cells.Get(name) != nil }) {
			s.columns = append(s.columns, rawjson.Member{Name: name})
		}
	}
}

// describesSources reports whether lines of sources can describe the hits: all sources are listed, every id shows its connection, and the
// hits of a source agree.
func (s *search) describesSources() bool {
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

func (s *search) paging() answer.Paging {
	places := tool.PlacesOf(s.response.Request)
	return answer.Paging{HasMore: string(s.Get("has_more")) == "true", Cursor: s.Text("next_cursor"), Skipped: places.Skipped(), Places: places}
}

func (s *search) frame(shown int) frame {
	next := continuation{isWhole: shown == len(s.hits)}
	if s.response.Reading != nil || s.response.Relaxed == nil {
		next = continuationAfter(s.paging(), s.response.Reading, shown, len(s.hits)-shown, "streams or connection_id, which are ranked separately")
	}
	if next.cursor != "" {
		next.calls = s.call.With(rawjson.String("cursor", next.cursor))
	}
	note, try := words(s.relaxedNote(shown), next.note, s.meaningNote(shown)), []answer.Call(nil)
	if s.hasNoHits() {
		note, try = s.noHits()
	}
	note = words(note, s.question.syntaxNote())
	var conversation []answer.Call // R-FIND-3
	if shown > 0 {
		if all := conversationsOf(s.hits[0].fields); len(all) > 0 {
			conversation = s.hits[0].readNear(s.hits[0].fields, all[len(all)-1]) // the widest
		}
	}
	ladder := make([]json.RawMessage, shown)
	for i, hit := range s.hits[:shown] {
		ladder[i] = hit.ladderEntry()
	}
	linesAfter := append(callLines(conversationOfFirst, conversation), s.linesAfter(shown, next, note, try)...)
	data := append(s.members(&next), rawjson.String("results_ref", "structuredContent.results"), rawjson.Int("result_count", int64(shown)))
	after := rawjson.Object{
		rawjson.Raw("content_ladder", rawjson.Object{rawjson.Raw("records", rawjson.Array(ladder))}.Encode()),
		rawjson.Raw("data", data.Encode()),
	}
	after = withCalls(after, conversationName, conversation)
	after = append(append(after, readingMembers(s.response.Reading, shown)...), s.reread.members()...)
	after = finish(s.response, withCalls(withText(after, "note", note), tryWord, try), next.calls)
	return frame{
		linesBefore: s.linesBefore(note), linesAfter: linesAfter,
		structuredBefore: []byte(`{"results":[`), structuredAfter: append(after.AppendMembers([]byte{']'}), '}'),
	}
}

func (s *search) hasNoHits() bool {
	return len(s.hits) == 0 && (s.response.Reading == nil || s.response.Reading.Complete)
}

func (s *search) linesBefore(note string) []string {
	switch {
	case s.hasNoHits():
		return []string{"No hits: " + note}
	case len(s.hits) == 0:
		return []string{"No hits among the records that were read."}
	}
	var lines []string
	if s.response.Relaxed != nil {
		lines = append(lines, note)
	}
	lines = append(lines, fmt.Sprintf("%s takes an id as it is, %s with a %s.", tool.DocumentTool, tool.FieldTool, tool.FieldPath))
	if slices.ContainsFunc(s.hits, func(h *hit) bool { return len(h.excerpts) > 0 && h.calls() != nil }) {
		lines[len(lines)-1] += " Evidence with a next line for its field is an excerpt."
	}
	if len(s.shared) > 0 {
		lines = append(lines, "all hits: "+Tokens(s.shared))
	}
	return append(lines, columnsLine("id", s.columns))
}

func (s *search) linesAfter(shown int, next continuation, note string, try []answer.Call) []string {
	meta := s.Meta()
	var lines []string
	if sources := s.sources(shown); len(sources) > 1 || s.bySource {
		lines = sourceLines(sources, "hits") // R-SEARCH-9
	}
	hits, hasMore, count := intToken("hits", int64(shown)), boolToken("has_more", next.hasMore()), countToken(meta)
	if s.hasNoHits() { // the first line says so
		hits = ""
	}
	if !next.hasMore() && count == fmt.Sprintf("count=exact:%d", shown) { // these are all
		hasMore = ""
	}
	lines = withLine(lines, words(hits, hasMore, count, recallToken(meta)))
	lines = append(lines, readingLines(s.response.Reading, shown)...)
	lines = append(lines, s.reread.lines("hits")...)
	lines = append(lines, warningLines(meta)...)
	if s.response.Relaxed == nil && !s.hasNoHits() { // otherwise the first line has the note
		lines = withLine(lines, note)
	}
	return append(append(lines, callLines(tryWord, try)...), next.lines()...)
}

// sources returns the connections of the shown hits. It describes them only if no other line does.
func (s *search) sources(shown int) []*source {
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
