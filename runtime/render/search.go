package render

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// ResourceURIs is the key in a result's _meta under which hosts find the record and field-window URIs
// of a search, which models do not need (R-SEARCH-10).
const ResourceURIs = "pdpp/resource_uris"

const resourceURIsKept = 200

// Search renders hits, each once in a channel: in text a row for each and then what surrounds them (R-SEARCH-2); in structured
// output results, content_ladder, and the RS's envelope without its hits (R-SEARCH-6). A page of hits that
// does not fit is read again with a smaller limit, like one of records.
func Search(ctx context.Context, env tool.Env, response *rs.Response, input SearchInput) (*tool.Result, error) {
	s, err := fittingPage(ctx, env, response, func(response *rs.Response, again reread) (*search, error) {
		return openSearch(ctx, response, newQuestion(response, input, env.RS.ProviderURL()), input.Call, again)
	})
	if err != nil {
		return nil, err
	}
	result := s.page.result(s.shown, s.around)
	if len(s.uris) > 0 {
		uris := rawjson.Array(s.uris[:min(len(s.uris), resourceURIsKept)])
		result.Meta = map[string]json.RawMessage{ResourceURIs: uris}
	}
	return within(s.response, result, TextCharacters)
}

// search is one page of hits and the part of it that is shown.
type search struct {
	listPage
	question question
	call     Given
	hits     []*hit
	bySource bool // the lines of the sources say what connector and label the hits have
	uris     []json.RawMessage
}

func openSearch(ctx context.Context, response *rs.Response, q question, call Given, again reread) (*search, error) {
	envelope, err := response.List()
	if err != nil {
		return nil, err
	}
	s := &search{listPage: listPage{list: list{envelope}, response: response, again: again}, question: q, call: call}
	s.Outer, s.Inner = s.cleaned(s.Outer), s.cleaned(s.Inner)
	for i, row := range s.Rows {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		hit, ok := newHit(row, q)
		if !ok {
			return nil, response.Unusable(fmt.Sprintf("hit %d of the resource server's answer is not an object", i+1), "")
		}
		s.uris = append(s.uris, hit.uris...)
		s.hits = append(s.hits, hit)
	}
	s.share()
	inRankOrder := s.hits
	s.hits = besideTheirBodies(s.hits)
	if s.fit(); s.shown < len(s.hits) { // the next page continues after the last hit in the provider's order
		s.hits = inRankOrder
		for _, hit := range s.hits {
			hit.showAllEvidence()
		}
		s.fit()
	}
	return s, nil
}

func (s *search) fit() {
	s.page = newPage(len(s.hits), func(p *page, i int) { s.hits[i].write(p, s.columns) })
	s.shown, s.around = s.page.fit(s.most(), s.frame)
}

// cleaned is the envelope around the hits without resource URIs, and without warnings of what the caller left out.
func (s *search) cleaned(envelope rawjson.Object) rawjson.Object {
	var kept rawjson.Object
	for _, member := range envelope {
		switch clean := member.Value; {
		case member.Name == s.RowsName || member.Name == "data":
			kept = append(kept, member)
		default:
			clean = withoutURIs(clean, 0, &s.uris)
			if member.Name == "meta" {
				clean = s.failures(clean)
			}
			if clean != nil {
				kept = append(kept, rawjson.Raw(member.Name, clean))
			}
		}
	}
	return kept
}

// skipped is the warning that a source was passed over because the question does not apply to it.
const skipped = "source_skipped_not_applicable"

// failures are the members of meta with those warnings that tell of failures: a caller who named streams or a connection knows
// that others are left out (R-SEARCH-11).
func (s *search) failures(value json.RawMessage) json.RawMessage {
	meta, ok := rawjson.ParseObject(value)
	_, streams := s.response.Request.Query.Get("streams")
	if !ok || !streams && s.question.connectionID == "" {
		return value
	}
	warnings, _ := rawjson.Elements(meta.Get("warnings"))
	kept := slices.DeleteFunc(warnings, func(warning json.RawMessage) bool {
		object, _ := rawjson.ParseObject(warning)
		return object.Text("code") == skipped
	})
	if meta.Get("warnings") == nil {
		return value
	}
	return meta.With("warnings", rawjson.Array(kept)).Encode()
}

// share finds what all hits say of where they come from, which the text says once, and the columns that the others need. What the
// lines of the sources say of a connection needs none.
func (s *search) share() {
	if len(s.hits) > 1 {
		s.shared = slices.DeleteFunc(slices.Clone(s.hits[0].cells), func(member rawjson.Member) bool {
			return !slices.Contains(sourceNames, member.Name) ||
				slices.ContainsFunc(s.hits, func(h *hit) bool { return !bytes.Equal(h.cells.Get(member.Name), member.Value) })
		})
	}
	s.bySource = s.describesSources()
	for _, name := range append([]string{"evidence", "snippet", "title", "time"}, sourceNames...) {
		told := shares(s.shared, name) || s.bySource && (name == "connector_key" || name == "display_name")
		if !told && slices.ContainsFunc(s.hits, func(h *hit) bool { return h.cells.Get(name) != nil }) {
			s.columns = append(s.columns, rawjson.Member{Name: name})
		}
	}
}

// describesSources reports whether lines of sources can say what the hits of each connection are of: there are several, no more than
// are shown, every id shows its own, and the hits of one say the same of it.
func (s *search) describesSources() bool {
	first := map[string]*hit{}
	for _, h := range s.hits {
		of, known := first[h.connectionID]
		if !known {
			of, first[h.connectionID] = h, h
		}
		if !h.shows(h.connectionID) || of.connectorKey != h.connectorKey || of.displayName != h.displayName {
			return false
		}
	}
	return len(first) > 1 && len(first) <= sourcesShown
}

// most is how many hits are shown at most: limit bounds them all, also when the server counted it for each connection
// (R-SEARCH-9).
func (s *search) most() int {
	if _, sent := s.response.Request.Query.Get("limit"); !sent {
		return len(s.hits)
	}
	return min(len(s.hits), s.response.Request.Limit())
}

func (s *search) smallerLimit() int { return max(1, s.shown) }

// on leads to the next page.
func (s *search) on(shown int) wayOn {
	on := s.from(s.response, shown, len(s.hits)-shown, "streams or connection_id, of which each is ranked by itself")
	if on.cursor != "" {
		on.calls = s.call.With(rawjson.String("cursor", on.cursor))
	}
	return on
}

// frame is what both channels say around so many hits.
func (s *search) frame(shown int) frame {
	on := s.on(shown)
	var ladder []json.RawMessage
	for _, hit := range s.hits[:shown] {
		ladder = append(ladder, hit.rung())
	}
	envelope := append(s.list.around(&on),
		rawjson.String("results_ref", "structuredContent.results"), rawjson.Int("result_count", int64(shown)))
	members := append(rawjson.Object{
		rawjson.Raw("content_ladder", rawjson.Object{rawjson.Raw("records", rawjson.Array(ladder))}.Encode()),
		rawjson.Raw("data", envelope.Encode()),
	}, append(readingMembers(s.response, shown), s.again.members()...)...)
	note, try := words(on.ended, s.meaningNote(shown)), []Call(nil)
	if s.isNothing() {
		note, try = s.nothing()
	}
	note = words(note, s.question.syntaxNote())
	members = withText(members, "note", note)
	if try != nil {
		members = append(members, rawjson.Raw(tryWord, Calls(try)))
	}
	return frame{
		before: s.before(note), after: s.after(shown, on, note, try),
		open: opening(nil, nil, "results"), close: closing("]", closed(s.response, members, on.calls)),
	}
}

// isNothing reports whether nothing was found of all that was asked for.
func (s *search) isNothing() bool { return len(s.hits) == 0 && isWhole(s.response) }

// before says what to do with a hit, and what all hits have in common, or what was searched without any.
func (s *search) before(note string) []string {
	switch {
	case s.isNothing():
		return []string{"No hits: " + note}
	case len(s.hits) == 0:
		return []string{"No hits among those that were looked at."}
	}
	lines := []string{fmt.Sprintf("%s takes an id as it is, %s with a %s.", tool.DocumentTool, tool.FieldTool, tool.FieldPath)}
	if slices.ContainsFunc(s.hits, (*hit).isExcerpted) {
		lines[0] += " Evidence with a next line for its field is an excerpt."
	}
	if len(s.shared) > 0 {
		lines = append(lines, "all hits: "+memberTokens(s.shared))
	}
	return append(lines, columnsLine(s.columns, "id"))
}

// after is what surrounds the hits: sources, counts, recall, warnings and how to page.
func (s *search) after(shown int, on wayOn, note string, try []Call) []string {
	meta := s.Meta()
	var lines []string
	if sources := s.sources(shown); len(sources) > 1 || s.bySource {
		lines = sourceLines(sources, "hits") // R-SEARCH-9
	}
	more, count := boolToken("has_more", on.hasMore()), countToken(meta)
	if !on.hasMore() && count == fmt.Sprintf("count=exact:%d", shown) {
		more = "" // these are all
	}
	hits := intToken("hits", int64(shown))
	if s.isNothing() { // which the first line says
		hits = ""
	}
	lines = withLine(lines, words(hits, more, count, recallToken(meta)))
	lines = append(lines, readingLines(s.response, shown)...)
	lines = append(lines, s.again.lines("hits")...)
	lines = append(lines, warningLines(meta)...)
	if !s.isNothing() { // which begins with it
		lines = withLine(lines, note)
	}
	return append(append(lines, tryLines(try)...), on.lines()...)
}

// sources are the connections of the hits that are shown, and what no other line says of each.
func (s *search) sources(shown int) []*source {
	return sourcesOf(shown, func(i int) string { return s.hits[i].connectionID }, func(i int) source {
		var one source
		if s.bySource && !shares(s.shared, "connector_key") {
			one.connectorKey = s.hits[i].connectorKey
		}
		if s.bySource && !shares(s.shared, "display_name") {
			one.displayName = s.hits[i].displayName
		}
		return one
	})
}
