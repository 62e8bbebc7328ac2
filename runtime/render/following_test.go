package render_test

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"pgregory.net/rapid"

	"github.com/pdppmcp/pdpp-mcp/e2e/hosttest"
	"github.com/pdppmcp/pdpp-mcp/e2e/timetest"
	"github.com/pdppmcp/pdpp-mcp/gen"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/render"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// sessionOver returns a client of the whole surface over a resource server.
func sessionOver(t *testing.T, reader rs.Reader) *mcp.ClientSession {
	t.Helper()
	environment := func(context.Context) (tool.Env, error) { return tool.Env{RS: reader}, nil }
	return hosttest.Connect(t, gen.Surface(), hosttest.Options, environment)
}

// followed is everything that a model reads if it makes every call that a result shows.
type followed struct {
	read  []string // the handles of all pages, in their order
	calls int
	bytes int // of both channels
	said  string
	pages []followedPage
}

// followedPage is one page of structured output.
type followedPage struct {
	Results []struct {
		ID string `json:"id"`
	} `json:"results"`
	Data struct {
		HasMore *bool  `json:"has_more"`
		Cursor  string `json:"next_cursor"`
		Data    []struct {
			Handle string `json:"handle"`
			Data   struct {
				Body string `json:"body"`
			} `json:"data"`
			Next []call `json:"next"`
		} `json:"data"`
	} `json:"data"`
	Next []call `json:"next"`
}

var (
	hasMoreToken = regexp.MustCompile(`(?m)^(?:records |hits=).*\bhas_more=(true|false)`)
	cursorToken  = regexp.MustCompile(
		`(?m)^next_cursor \(for these arguments only\) is in:\nnext: .*"cursor":("(?:[^"\\]|\\.)*")`)
)

// follow makes a call and then each call that a result shows at its top, until there are no more. It checks that both
// channels of every page agree.
func follow(t fataler, session *mcp.ClientSession, name, arguments string, maxCalls int) followed {
	var all followed
	for waiting := []call{{Tool: name, Arguments: json.RawMessage(arguments)}}; len(waiting) > 0; waiting = waiting[1:] {
		if all.calls++; all.calls > maxCalls {
			t.Fatal("more than", maxCalls, "calls; the last one is", string(waiting[0].Arguments))
		}
		result, err := session.CallTool(context.Background(),
			&mcp.CallToolParams{Name: waiting[0].Tool, Arguments: waiting[0].Arguments})
		if err != nil {
			t.Fatal(err)
		}
		structured, err := json.Marshal(result.StructuredContent)
		if err != nil {
			t.Fatal(err)
		}
		if result.IsError {
			t.Fatal("call", all.calls, string(waiting[0].Arguments), "fails:", string(structured))
		}
		text := onlyText(t, result)
		var page followedPage
		if err := json.Unmarshal(structured, &page); err != nil {
			t.Fatal(err)
		}
		checkChannelsAgree(t, text, page)
		for _, row := range page.Data.Data {
			all.read = append(all.read, row.Handle)
		}
		for _, hit := range page.Results {
			all.read = append(all.read, hit.ID)
		}
		all.bytes += len(text) + len(structured)
		all.said += text + "\n"
		all.pages = append(all.pages, page)
		waiting = append(waiting, page.Next...)
	}
	return all
}

// checkChannelsAgree checks that both channels of a page have the same has_more, cursor and calls.
func checkChannelsAgree(t fataler, text string, page followedPage) {
	said := hasMoreToken.FindStringSubmatch(text)
	if said == nil || page.Data.HasMore == nil || said[1] != fmt.Sprint(*page.Data.HasMore) {
		t.Fatal("text has", said, "and structured output", page.Data.HasMore, "for has_more:\n"+text)
	}
	if *page.Data.HasMore != (len(page.Next) > 0) {
		t.Fatal("has_more is", *page.Data.HasMore, "with the calls", page.Next)
	}
	cursor := ""
	if shown := cursorToken.FindStringSubmatch(text); shown != nil {
		_ = json.Unmarshal([]byte(shown[1]), &cursor)
	}
	if cursor != page.Data.Cursor {
		t.Fatal("text has the cursor", cursor, "and structured output", page.Data.Cursor)
	}
	var calls []string
	for line := range strings.Lines(text) {
		if shown, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "next: "); ok &&
			!strings.HasPrefix(shown, "fetch ") {
			calls = append(calls, shown) // the call that fetches the first row without a preview is of the text alone
		}
	}
	var structured []string
	for _, each := range page.Next {
		structured = append(structured, each.Tool+" "+string(each.Arguments))
	}
	if !slices.Equal(parsedCalls(t, calls), parsedCalls(t, structured)) {
		t.Fatal("text has the calls", calls, "and structured output", structured)
	}
}

// parsedCalls returns calls with their arguments in one order.
func parsedCalls(t fataler, calls []string) []string {
	parsed := make([]string, len(calls))
	for i, each := range calls {
		name, arguments, _ := strings.Cut(each, " ")
		var object map[string]any
		if err := json.Unmarshal([]byte(arguments), &object); err != nil {
			t.Fatal(err)
		}
		encoded, _ := json.Marshal(object)
		parsed[i] = name + " " + string(encoded)
	}
	return parsed
}

// handlesOf returns the handles of all rows of a shelf.
func (s *shelf) handles() []string {
	handles := make([]string, len(s.rows))
	for i, row := range s.rows {
		handles[i] = fmt.Sprintf("%s/notes:r%04d", row.connection, i)
	}
	return handles
}

// everyOnce checks that every row was read once.
func everyOnce(t fataler, server *shelf, read []string) {
	want, got := server.handles(), slices.Clone(read)
	slices.Sort(want)
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatal("not every row once (-want +got):\n" + diff)
	}
}

// neededPages returns the number of pages that rows of these sizes need: a page ends at the limit, or if the next row
// does not fit into one of the channels. A text of more than 8,000 characters counts as 2,000 (R-BUD-3).
func neededPages(server *shelf, limit int) int {
	pages, rows, size := 1, 0, 0
	for _, row := range server.rows {
		length := len(row.record) - 60 // of a text, which does not repeat the names
		if length > 8_000 {
			length = 2_000
		}
		if rows == limit || size+length > render.TextCharacters {
			pages, rows, size = pages+1, 0, 0
		}
		rows, size = rows+1, size+length
	}
	return pages
}

// R-BUD-3, R-HAND-10: one record of 60 kB among 500 small ones makes only its own page smaller. No row is lost or shown
// twice, in a stream and in a feed of changes.
func TestALargeRecordMakesNoLaterPageSmall(t *testing.T) {
	sizes := sizes(501, 250)
	sizes[120] = 60_000
	for name, arguments := range map[string]string{
		"stream": `{"stream":"notes","limit":100}`,
		"feed":   `{"stream":"notes","limit":100,"changes_since":"beginning"}`,
	} {
		server := &shelf{rows: shelve(1, sizes...)}
		all := follow(t, sessionOver(t, server.open(t)), "query_records", arguments, 700)
		if diff := cmp.Diff(server.handles(), all.read); diff != "" {
			t.Errorf("%s: rows are lost or repeated (-want +got):\n%s", name, diff)
		}
		least := neededPages(server, 100)
		t.Logf("%s: %d calls of %d demanded, %d bytes, %d reads of the RS", name, all.calls, least, all.bytes,
			len(server.asked))
		if 10*all.calls > 13*least {
			t.Errorf("%s: %d calls, the sizes of the rows demand %d", name, all.calls, least)
		}
		if strings.Contains(all.said, "Nothing is skipped") {
			t.Errorf("%s: claims what was not checked", name)
		}
	}
}

// R-SEARCH-9: the calls that are shown reach each hit of a hybrid search once, with any limit, although the RS gives no
// cursor. After the last hit that the RS ranks, both channels say so and name what gets more.
func TestEveryHitOfAHybridSearchIsReached(t *testing.T) {
	for _, limit := range []int{3, 25, 40, 100} {
		server := &shelf{rows: shelve(2, sizes(47, 200)...)}
		all := follow(t, sessionOver(t, server.open(t)), "search",
			fmt.Sprintf(`{"q":"word","mode":"hybrid","limit":%d}`, limit), 60)
		everyOnce(t, server, all.read)
		if least := (47 + limit - 1) / limit; all.calls > least+1 {
			t.Errorf("limit %d: %d calls, %d demanded", limit, all.calls, least)
		}
		for _, asked := range server.asked { // another limit would be another ranking
			if strings.HasPrefix(asked, "/v1/search") && asked != "/v1/search/hybrid?q=word&limit=100" {
				t.Errorf("limit %d: the RS saw %s", limit, asked)
			}
		}
	}
	server := &shelf{rows: shelve(2, sizes(130, 200)...)}
	all := follow(t, sessionOver(t, server.open(t)), "search", `{"q":"word","mode":"hybrid","limit":25}`, 60)
	slices.Sort(all.read)
	if len(slices.Compact(all.read)) != 100 || len(all.read) != 100 {
		t.Errorf("%d hits were reached", len(all.read))
	}
	for _, want := range []string{"lists no more than 100", "streams", "connection_id"} {
		if !strings.Contains(all.said, want) {
			t.Errorf("text does not name %q", want)
		}
	}
}

// R-SEARCH-9: limit bounds the merged hits if the RS counts it for each connection, and no hit is lost.
func TestTheLimitOfASearchBoundsAllConnections(t *testing.T) {
	server := &shelf{rows: shelve(3, sizes(30, 200)...), perConnection: true}
	all := follow(t, sessionOver(t, server.open(t)), "search", `{"q":"word","limit":3}`, 40)
	for i, page := range all.pages {
		if len(page.Results) > 3 {
			t.Errorf("page %d has %d hits", i, len(page.Results))
		}
	}
	everyOnce(t, server, all.read)
}

// R-SEARCH-9: a cursor of the adapter belongs to its query; a cursor of another query is refused before any read.
func TestACursorOfAnotherSearchIsRefused(t *testing.T) {
	server := &shelf{rows: shelve(1, sizes(47, 200)...)}
	session := sessionOver(t, server.open(t))
	first, err := session.CallTool(t.Context(),
		&mcp.CallToolParams{Name: "search", Arguments: json.RawMessage(`{"q":"word","mode":"hybrid","limit":5}`)})
	if err != nil {
		t.Fatal(err)
	}
	shown := cursorToken.FindStringSubmatch(onlyText(t, first))
	if shown == nil {
		t.Fatal("the first page has no cursor")
	}
	reads := len(server.asked)
	for _, arguments := range []string{
		`{"q":"other","mode":"hybrid","cursor":` + shown[1] + `}`,
		`{"q":"word","cursor":` + shown[1] + `}`,
		`{"q":"word","mode":"hybrid","cursor":` + shown[1][:len(shown[1])-2] + `"}`,
	} {
		result, err := session.CallTool(t.Context(),
			&mcp.CallToolParams{Name: "search", Arguments: json.RawMessage(arguments)})
		if err != nil {
			t.Fatal(err)
		}
		text := result.Content[0].(*mcp.TextContent).Text
		if !result.IsError || !strings.Contains(text, `"param":"cursor"`) || len(server.asked) != reads {
			t.Errorf("%s: %d reads more, %s", arguments, len(server.asked)-reads, text)
		}
	}
}

// R-BUD-3, R-QRY-5: a page over several connections, without a cursor of the RS, continues in each connection after its
// last shown row, and says how its rows were counted.
func TestEveryRowOfSeveralConnectionsIsReached(t *testing.T) {
	for _, test := range []struct{ connections, rows, size, limit int }{
		{3, 70, 100, 10},
		{3, 70, 1_000, 10},
		{3, 70, 9_000, 10},
		{2, 260, 5, 100}, // a connection continues after the longest page
		{60, 240, 5, 4},  // all connections are read, so that none has a call
	} {
		server := &shelf{rows: shelve(test.connections, sizes(test.rows, test.size)...)}
		arguments := fmt.Sprintf(`{"stream":"notes","limit":%d}`, test.limit)
		all := follow(t, sessionOver(t, server.open(t)), "query_records", arguments, 80)
		everyOnce(t, server, all.read)
		if !strings.Contains(all.said, "not one timeline") {
			t.Error("the text does not say how a page lists several connections")
		}
	}
}

// R-BUD-3: if more connections have more rows than calls are shown, the text says which call gets the rest.
func TestManyConnectionsNameTheNextCall(t *testing.T) {
	server := &shelf{rows: shelve(15, sizes(90, 100)...)}
	result, err := sessionOver(t, server.open(t)).CallTool(t.Context(), &mcp.CallToolParams{
		Name: "query_records", Arguments: json.RawMessage(`{"stream":"notes","limit":2}`),
	})
	if err != nil {
		t.Fatal(err)
	}
	text := onlyText(t, result)
	if calls := textCalls(t, text, "next"); len(calls) < 10 ||
		!strings.Contains(text, "5 more connections may have more rows: read each by its connection_id") {
		t.Errorf("%d calls:\n%s", len(calls), text)
	}
}

// R-BUD-3, R-HAND-8, R-HAND-10: for random rows, limits and servers, both channels have the same has_more and calls,
// each call is accepted, and together they reach every row once.
func TestFollowingReachesEveryRowOnce(t *testing.T) {
	timetest.WithoutRace(t)
	rapid.Check(t, func(check *rapid.T) {
		weight := rapid.SampledFrom([]int{5, 300, 1_000, 4_000, 9_000, 60_000})
		server := &shelf{
			rows: shelve(rapid.IntRange(1, 3).Draw(check, "connections"),
				rapid.SliceOfN(weight, 1, 90).Draw(check, "sizes")...),
			perConnection: rapid.Bool().Draw(check, "per connection"),
			most:          rapid.SampledFrom([]int{0, 0, 50}).Draw(check, "most"),
		}
		name, arguments := "query_records", `"stream":"notes"`
		if mode := rapid.SampledFrom([]string{"", "lexical", "hybrid"}).Draw(check, "mode"); mode != "" {
			name, arguments = "search", fmt.Sprintf(`"q":"word","mode":%q`, mode)
			if mode == "hybrid" {
				server.most = 0
			}
		}
		if limit := rapid.SampledFrom([]int{0, 1, 7, 30, 100}).Draw(check, "limit"); limit > 0 {
			arguments += fmt.Sprintf(`,"limit":%d`, limit)
		}
		all := follow(check, sessionOver(t, server.open(t)), name, "{"+arguments+"}", 3*len(server.rows)+5)
		everyOnce(check, server, all.read)
	})
}
