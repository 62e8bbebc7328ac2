package render_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/runtime/provider/recordid"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/read/record"
	"github.com/pdppmcp/pdpp-mcp/runtime/read/scan"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// R-SEARCH-11: without hits both channels say what was searched and how, and have calls to try, which are not a next
// page.
func TestSearchWithoutHitsSuggestsCalls(t *testing.T) {
	for _, test := range []struct {
		path, arguments, note string
		try                   []string
	}{
		{
			"/v1/search?q=overdraft+fee&streams=messages&limit=5", `{"q":"overdraft fee","streams":["messages"],"limit":5}`,
			`no indexed field of messages has any of the words "overdraft", "fee" (mode lexical: whole words).`,
			[]string{`search {"q":"overdraft fee","limit":5}`},
		},
		{
			"/v1/search?q=who+waived+the+overdraft+fee", `{"q":"who waived the overdraft fee"}`,
			`no indexed field of any granted stream has any of the words "overdraft", "waived", "fee" (mode lexical: whole words).`,
			[]string{`search {"q":"who waived the overdraft fee","mode":"semantic"}`},
		},
		{
			"/v1/search?q=fee", `{"q":"fee"}`,
			`no indexed field of any granted stream has the word "fee" (mode lexical: whole words).`,
			[]string{`search {"q":"fee","mode":"semantic"}`},
		},
		{
			"/v1/search/semantic?q=fee&connection_id=cin_1", `{"q":"fee","mode":"semantic","connection_id":"cin_1"}`,
			`no record of any granted stream (narrowed by connection_id) is close to "fee" (mode semantic).`,
			[]string{`search {"q":"fee","mode":"semantic"}`, `search {"q":"fee","mode":"lexical","connection_id":"cin_1"}`},
		},
		{
			"/v1/search?q=fee%20OR%20charge*", `{"q":"fee OR charge*"}`,
			"The provider has no query syntax: OR, AND, NOT, * and quotes have no effect. It looks for every word, as a whole word.",
			[]string{`search {"q":"fee OR charge*","mode":"semantic"}`},
		},
		{
			"/v1/search?q=%22who%20waived%20the%20fee%22&streams=messages",
			`{"q":"\"who waived the fee\"","streams":["messages"]}`,
			`has all words of "\"who waived the fee\"" (mode lexical: whole words).`,
			[]string{
				`search {"q":"who waived the fee","streams":["messages"]}`, `search {"q":"who waived the fee"}`,
				`search {"q":"who waived the fee","streams":["messages"],"mode":"semantic"}`,
			},
		},
	} {
		result, err := runSearch(context.Background(), env,
			responded(test.path, `{"object":"list","data":[],"has_more":false}`),
			scan.HitsInput{Call: given("search", test.arguments)})
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(result.Text, test.note) ||
			!strings.Contains(string(result.Structured), strings.Trim(string(mustQuote(test.note)), `"`)) {
			t.Errorf("a channel does not say %s:\n%s\n%s", test.note, result.Text, result.Structured)
		}
		for name, calls := range map[string][]call{
			"text":       textCalls(t, result.Text, "try"),
			"structured": structuredCallsOf(t, result.Structured, "try"),
		} {
			var got []string
			for _, each := range calls {
				got = append(got, each.Tool+" "+string(each.Arguments))
			}
			if fmt.Sprint(got) != fmt.Sprint(test.try) {
				t.Errorf("%s tries %s, want %s", name, got, test.try)
			}
		}
		if strings.Contains(result.Text, "next:") || strings.Contains(string(result.Structured), `"next"`) {
			t.Errorf("there is a next page of nothing:\n%s", result.Text)
		}
	}
}

// R-BUD-1: if no record matches a filter by a text, both channels say what it compares, with the call that may find
// records. A page with a row, a later page, and a filter by a number or a range do not say it.
func TestPageWithoutRowsSuggestsCalls(t *testing.T) {
	const whole, times = "A text in a filter matches whole values only.", "A date in a filter does not match times of that day."
	for _, test := range []struct{ arguments, rows, note, try string }{
		{`{"stream":"s","filter":{"seen":false,"subject":"flat"}}`, "", whole, `search {"q":"flat"}`},
		{
			`{"stream":"s","filter":{"at":"2026-02-28","seen":false}}`, "", times,
			`query_records {"stream":"s","filter":{"at":{"gte":"2026-02-28","lt":"2026-03-01"},"seen":false}}`,
		},
		{`{"stream":"s","filter":{"subject":"flat"}}`, `{"id":"1","stream":"s","connection_id":"cin_1","data":{}}`, "", ""},
		{`{"stream":"s","filter":{"subject":"flat"},"cursor":"c1"}`, "", "", ""},
		{`{"stream":"s","filter":{"size":1,"at":{"gte":"2026-01-01"}}}`, "", "", ""},
		{`{"stream":"s"}`, "", "", ""},
	} {
		result, err := runRecords(t.Context(), env,
			responded("/v1/streams/s/records", `{"object":"list","data":[`+test.rows+`],"has_more":false}`),
			scan.RowsInput{Stream: "s", Call: given("query_records", test.arguments)})
		if err != nil {
			t.Fatal(err)
		}
		for name, calls := range map[string][]call{
			"text":       textCalls(t, result.Text, "try"),
			"structured": structuredCallsOf(t, result.Structured, "try"),
		} {
			var got string
			for _, each := range calls {
				got += each.Tool + " " + string(each.Arguments)
			}
			if got != test.try {
				t.Errorf("%s: %s tries %s, want %s", test.arguments, name, got, test.try)
			}
		}
		if !strings.Contains(result.Text, test.note) ||
			strings.Contains(string(result.Structured), `"note":"`+test.note) != (test.note != "") {
			t.Errorf("%s: a channel does not say %s:\n%s\n%s", test.arguments, test.note, result.Text, result.Structured)
		}
	}
}

// R-QRY-6: every page of a feed has the bookmark of its end; both channels say to read the other pages first.
func TestABookmarkBeforeTheLastPage(t *testing.T) {
	const said = "resume starts after the last page: follow next to the end first."
	for body, isSaid := range map[string]bool{
		`{"object":"list","data":[],"has_more":true,"next_cursor":"c1","next_changes_since":"v9"}`: true,
		`{"object":"list","data":[],"has_more":false,"next_changes_since":"v9"}`:                   false,
		`{"object":"list","data":[],"has_more":true,"next_cursor":"c1"}`:                           false,
	} {
		result, err := runRecords(context.Background(), env, responded("/v1/streams/s/records?changes_since=beginning", body),
			scan.RowsInput{Stream: "s", Call: given("query_records", `{"stream":"s","changes_since":"beginning"}`)})
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(result.Text, said) != isSaid ||
			strings.Contains(string(result.Structured), `"note":"`+said) != isSaid {
			t.Errorf("%s:\n%s\n%s", body, result.Text, result.Structured)
		}
	}
}

// R-SEARCH-11: a caller who named streams or a connection gets no warnings about others, except failures.
func TestWarningsOfASearch(t *testing.T) {
	body := `{"object":"list","data":[],"meta":{"warnings":[{"code":"source_skipped_not_applicable",` +
		`"message":"skipped"},{"code":"source_failed","message":"down"}]}}`
	for query, skipped := range map[string]bool{
		"q=a": true, "q=a&streams=messages": false,
		"q=a&connection_id=cin_1": false,
	} {
		input := scan.HitsInput{Call: given("search", `{"q":"a"}`)}
		if strings.Contains(query, "connection_id") {
			input.ConnectionID = pointer("cin_1")
		}
		result, err := runSearch(context.Background(), env, responded("/v1/search?"+query, body), input)
		if err != nil {
			t.Fatal(err)
		}
		for name, channel := range map[string]string{"text": result.Text, "structured": string(result.Structured)} {
			if strings.Contains(channel, "not_applicable") != skipped || !strings.Contains(channel, "source_failed") {
				t.Errorf("%s: %s is %s", query, name, channel)
			}
		}
	}
}

// R-FETCH-8: the title of a record without one has its event time, and the title of a file has its name.
func TestTitlesOfDocumentsWithoutOne(t *testing.T) {
	target := recordid.Target{Handle: "cin_1/s:1", ConnectionID: pointer("cin_1"), Stream: "s", RecordID: "1"}
	for data, want := range map[string]string{
		`{"filename":"report.pdf","sent_at":"2026-02-03T00:00:00Z"}`: "report.pdf",
		`{"text":"hello","sent_at":"2026-02-03T00:00:00Z"}`:          "Chat / s / 2026-02-03T00:00:00Z",
		`{"text":"hello"}`: "Chat / s / added 2026-05-01T00:00:00Z",
	} {
		body := `{"id":"1","stream":"s","connection_id":"cin_1","display_name":"Chat","emitted_at":"2026-05-01T00:00:00Z","data":` + data + `}`
		if _, shown := renderDocument(t, "/r", body, record.DocumentInput{Target: target}); shown.Title != want {
			t.Errorf("%s has the title %q, want %q", data, shown.Title, want)
		}
	}
}

// schemaOf returns a reader that answers every read with the schema of one stream.
type schemaOf struct {
	mu    sync.Mutex
	asked []string
}

func (*schemaOf) ProviderURL() string { return provider }

func (s *schemaOf) Get(_ context.Context, request rs.Request) (*rs.Response, error) {
	s.mu.Lock()
	s.asked = append(s.asked, string(request.Path)+"?"+request.Query.Encoded())
	s.mu.Unlock()
	return rs.Response{Status: 200, Request: request}.WithBody([]byte(`{"connectors":[{"connector_key":"chat",
		"granted_connections":[{"connection_id":"cin_1"}],
		"streams":[{"name":"s","field_capabilities":{"text":"t=text","heard":"t=string,role=event-time,eq","seen":"t=string"}}]}]}`))
}

// R-FETCH-8, R-FIND-3: a time with an unknown name is found by its role in the schema. The schema is read once for all
// records of a stream, and not for some fields of a record with a title.
func TestTitleHasTheTimeOfItsRole(t *testing.T) {
	target := recordid.Target{Handle: "cin_1/s:1", ConnectionID: pointer("cin_1"), Stream: "s", RecordID: "1"}
	for data, want := range map[string]struct {
		title  string
		fields []string
		reads  int
	}{
		`{"seen":"2026-01-01","heard":"2026-02-03T00:00:00Z"}`:              {"Chat / s / 2026-02-03T00:00:00Z", nil, 1},
		`{"sent_at":"2026-01-02T00:00:00Z","heard":"2026-02-03T00:00:00Z"}`: {"Chat / s / 2026-01-02T00:00:00Z", nil, 1},
		`{"title":"Heard","heard":"2026-02-03T00:00:00Z"}`:                  {"Heard", []string{"title"}, 0},
		`{"text":"hello"}`: {"Chat / s / added 2026-05-01T00:00:00Z", nil, 1},
	} {
		body := `{"id":"1","stream":"s","connection_id":"cin_1","display_name":"Chat","emitted_at":"2026-05-01T00:00:00Z","data":` + data + `}`
		schema := &schemaOf{}
		env := tool.Env{RS: schema, Readings: tool.NewReadings(tool.ReadingsOptions{MaxRecords: 1})}
		for range 2 {
			result, err := readDocument(context.Background(), env, responded("/r", body),
				record.DocumentInput{Target: target, Fields: want.fields})
			if err != nil {
				t.Fatal(err)
			}
			var shown struct{ Title string }
			if err := json.Unmarshal(result.Structured, &shown); err != nil || shown.Title != want.title ||
				len(schema.asked) != want.reads {
				t.Errorf("%s has the title %q after the reads %q, want %+v (%v)", data, shown.Title, schema.asked, want, err)
			}
		}
	}
}

// groupsOf returns a reader with as many groups as requested, ten without a limit.
type groupsOf struct{ asked []string }

func (*groupsOf) ProviderURL() string { return provider }

func (g *groupsOf) Get(_ context.Context, request rs.Request) (*rs.Response, error) {
	g.asked = append(g.asked, request.Query.Encoded())
	limit := 10
	if sent, ok := request.Query.Get("limit"); ok {
		_, _ = fmt.Sscan(sent, &limit)
	}
	limit = min(limit, 34)
	var groups []string
	for i := range limit {
		groups = append(groups, fmt.Sprintf(`{"key":"2026-01-%02d","count":1}`, i+1))
	}
	body := fmt.Sprintf(`{"metric":"count","stream":"s","group_by_time":"at","granularity":"day","limit":%d,`+
		`"groups":[%s],"other_count":%d}`,
		limit, strings.Join(groups, ","), 34-limit)
	return rs.Response{Status: 200, Request: request, URL: provider + string(request.Path)}.WithBody([]byte(body))
}

// R-AGG-4: without a limit of the caller, 100 time groups are requested. With one, both channels say which span is
// shown and have the call for the rest.
func TestCutTimeGroups(t *testing.T) {
	for limit, want := range map[string]int{"": 34, "10": 10} {
		server := &groupsOf{}
		request := rs.Request{Path: "/v1/streams/s/aggregate"}
		request.Query.Set("group_by_time", "at")
		arguments := `{"stream":"s","metric":"count","group_by_time":"at"`
		if limit != "" {
			request.Query.Set("limit", limit)
			arguments += `,"limit":` + limit
		}
		response, err := server.Get(t.Context(), request)
		if err != nil {
			t.Fatal(err)
		}
		result, err := runAggregate(t.Context(), tool.Env{RS: server}, response,
			scan.GroupsInput{Call: given("aggregate", arguments+"}"), Stream: "s"})
		if err != nil {
			t.Fatal(err)
		}
		if groups := strings.Count(result.Text, "\n[\"2026-01"); groups != want {
			t.Errorf("limit %q: %d groups after %v", limit, groups, server.asked)
		}
		said := "These are the earliest 10 groups; other_count records are in later ones"
		if strings.Contains(result.Text, said) != (limit != "") ||
			strings.Contains(string(result.Structured), said) != (limit != "") {
			t.Errorf("limit %q: %s", limit, result.Text)
		}
		if limit != "" {
			has(t, textCalls(t, result.Text, "next (instead)"), "aggregate",
				`{"stream":"s","metric":"count","group_by_time":"at","limit":100}`)
		}
	}
}

// R-SEARCH-10: an answer in which resource URIs replace the wrappers is valid JSON without them.
func TestURIsInWrappers(t *testing.T) {
	body := `{"data":[{"stream":"s","id":"1","connection_id":"cin_1"}],"has_more":false,"meta":"pdpp://record/x",` +
		`"extra":"pdpp://record/y"}`
	result, err := runSearch(t.Context(), tool.Env{RS: &schemaOf{}}, responded("/v1/search?q=x", body), scan.HitsInput{})
	if err != nil {
		t.Fatal(err)
	}
	if !json.Valid(result.Structured) || strings.Contains(string(result.Structured), "pdpp://") {
		t.Errorf("structured output is %s", result.Structured)
	}
}
