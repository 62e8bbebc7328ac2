package render_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pdppmcp/pdpp-mcp/runtime/answer"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/recordid"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/read/record"
	"github.com/pdppmcp/pdpp-mcp/runtime/read/scan"
	"github.com/pdppmcp/pdpp-mcp/runtime/render"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// R-ERR-4: an answer of the wrong form is a typed failure with the request id.
func TestWrongForms(t *testing.T) {
	env := tool.Env{RS: &silent{}}
	ctx := context.Background()
	for name, run := range map[string]func(*rs.Response) (*tool.Result, error){
		"records": func(r *rs.Response) (*tool.Result, error) {
			return runRecords(ctx, env, r, scan.RowsInput{Stream: "s"})
		},
		"aggregate": func(r *rs.Response) (*tool.Result, error) {
			return runAggregate(ctx, env, r, scan.GroupsInput{Stream: "s"})
		},
		"search": func(r *rs.Response) (*tool.Result, error) { return runSearch(ctx, env, r, scan.HitsInput{}) },
		"window": func(r *rs.Response) (*tool.Result, error) {
			return readWindow(ctx, env, r, record.FieldWindowInput{})
		},
		"document": func(r *rs.Response) (*tool.Result, error) {
			return readDocument(ctx, env, r, record.DocumentInput{})
		},
	} {
		for _, body := range []string{`[]`, `"x"`, `null`, `{`, ``, `{}`, "{\"a\":\"\xff\"}", `{"data":[1]}x`} {
			_, err := run(responded("/x", body))
			var failure *rs.Failure
			if !errors.As(err, &failure) || failure.Reason != rs.InvalidResponse || failure.RequestID != "req_1" {
				t.Errorf("%s of %q: %v", name, body, err)
			}
		}
	}
	for _, body := range []string{`{"data":[1]}`, `{"data":{"x":1}}`, `{"data":[null]}`} {
		if _, err := runRecords(ctx, env, responded("/x", body), scan.RowsInput{}); err == nil {
			t.Errorf("records of %s", body)
		}
	}
}

// R-BUD-2: a cursor or a name that does not fit is an error, not a result that exceeds the bounds.
func TestLongHandles(t *testing.T) {
	body := `{"data":[],"next_cursor":"` + strings.Repeat("c", 30_000) + `"}`
	_, err := runRecords(context.Background(), tool.Env{RS: &silent{}}, responded("/x", body), scan.RowsInput{Stream: "s"})
	if !errors.As(err, new(*answer.TooLargeError)) || tool.Outcome(err) != string(rs.InvalidResponse) {
		t.Fatalf("%v", err)
	}
}

// R-AGG-2, R-AGG-3, R-BUD-2: more groups than fit are counted in both channels.
func TestAggregateManyGroups(t *testing.T) {
	var groups []string
	for i := range 3000 {
		groups = append(groups, fmt.Sprintf(`{"key":"group number %d","count":%d}`, i, i))
	}
	body := `{"metric":"count","group_by":"g","groups":[` + strings.Join(groups, ",") + `],"other_count":5}`
	result, err := runAggregate(context.Background(), tool.Env{RS: &silent{}}, responded("/x", body),
		scan.GroupsInput{Stream: "s"})
	if err != nil {
		t.Fatal(err)
	}
	checkBounds(t, result, render.TextCharacters)
	for _, want := range []string{
		"groups=3000", "other_count=5",
		"further_groups=" + fmt.Sprint(3000-strings.Count(result.Text, "\n[")),
	} {
		if !strings.Contains(result.Text, want) {
			t.Errorf("text lacks %s", want)
		}
	}
	if !strings.Contains(string(result.Structured), `"groups_left_out":`) {
		t.Error("structured output does not say that groups are left out")
	}
}

// R-SEARCH-9, R-BUD-2: hits that do not fit are on the next page, and the server's cursor, which would skip them, is
// not shown.
func TestSearchLeftOut(t *testing.T) {
	var hits []string
	for i := range 100 {
		hits = append(hits, fmt.Sprintf(`{"stream":"messages","record_key":"m%03d","connection_id":"cin_%d",`+
			`"connector_id":"gmail","snippet":{"field":"subject","text":"<mark>overdraft</mark> %s"},"padding":%q}`,
			i, i%3, strings.Repeat("word ", 40), strings.Repeat("p", 300)))
	}
	body := `{"data":[` + strings.Join(hits, ",") + `],"next_cursor":"c100","has_more":true}`
	result, err := runSearch(context.Background(), tool.Env{RS: &silent{}},
		responded("/v1/search/semantic?q=overdraft&limit=100&streams=messages", body),
		scan.HitsInput{Call: given("search", `{"mode":"semantic","q":"overdraft","streams":["messages"],"limit":100}`)})
	if err != nil {
		t.Fatal(err)
	}
	checkBounds(t, result, render.TextCharacters)
	ids := strings.Count(result.Text, "\n[\"cin_")
	if ids == 0 || ids == 100 || strings.Contains(result.Text, "c100") ||
		strings.Contains(string(result.Structured), "c100") {
		t.Fatalf("%d hits:\n%s", ids, result.Text)
	}
	next := placeOf(t, structuredCalls(t, result.Structured), "/v1/search/semantic?q=overdraft&streams=messages")
	if next != (tool.Place{Skip: ids}) {
		t.Errorf("continues at %+v after %d hits", next, ids)
	}
	has(t, textCalls(t, result.Text, "next"), "search", string(structuredCalls(t, result.Structured)[0].Arguments))
}

// placeOf returns the place at which the only call of a page continues.
func placeOf(t *testing.T, calls []call, path string) tool.Place {
	t.Helper()
	var arguments struct{ Cursor string }
	if len(calls) != 1 || json.Unmarshal(calls[0].Arguments, &arguments) != nil {
		t.Fatalf("%d calls", len(calls))
	}
	request := responded(path, "").Request
	request.Query = request.Query.With("cursor", arguments.Cursor)
	place, err := tool.PlaceOf(request)
	if err != nil {
		t.Fatal(err)
	}
	return place
}

// R-SEARCH-10: resource URIs are in _meta only.
func TestSearchResourceURIs(t *testing.T) {
	result, err := runSearch(context.Background(), tool.Env{RS: &silent{}},
		fixture(t, "search/older_server", "/v1/search?q=overdraft"), scan.HitsInput{})
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(result.Text+string(result.Structured), "pdpp://") {
		t.Error("a resource URI is shown to the model")
	}
	if !strings.Contains(string(result.Meta[render.ResourceURIs]), "pdpp://record/") {
		t.Errorf("meta: %s", result.Meta)
	}
}

// R-FETCH-4, R-HAND-7: a long text is clipped with its continuation; the bound holds for every alphabet.
func TestDocumentLong(t *testing.T) {
	for _, letter := range []string{"x", "é", "😀", `"`, "\n", "\u0001"} {
		body, _ := json.Marshal(map[string]any{
			"id": "m1", "stream": "messages", "connection_id": "cin_1",
			"data": map[string]any{
				"subject": "Kept whole", "body": strings.Repeat(letter, 60_000),
			},
		})
		input := record.DocumentInput{Target: recordid.Target{Handle: "messages:m1", Stream: "messages", RecordID: "m1"}}
		result, err := readDocument(context.Background(), tool.Env{RS: &silent{}}, responded("/x", string(body)), input)
		if err != nil {
			t.Fatal(err)
		}
		checkBounds(t, result, render.ChannelCharacters)
		checkDocument(t, result)
		if length := render.Length(result.Text); length < render.ChannelCharacters-100 {
			t.Errorf("%q: only %d characters", letter, length)
		}
		var document struct {
			Text     string
			Metadata struct {
				Clipped []string
				Next    []call
			}
		}
		if err := json.Unmarshal(result.Structured, &document); err != nil {
			t.Fatal(err)
		}
		if len(document.Metadata.Clipped) != 1 || !strings.Contains(document.Text, "subject: Kept whole") {
			t.Errorf("%q: clipped=%v", letter, document.Metadata.Clipped)
		}
		beginning := strings.TrimLeft(strings.SplitN(document.Text, "body:", 2)[1], " ")
		shown := strings.Count(strings.SplitN(beginning, "…[", 2)[0], letter)
		if letter == "\n" {
			shown-- // the one behind the name
		}
		has(t, document.Metadata.Next, "read_record_field", // with the largest window
			fmt.Sprintf(`{"id":"messages:m1","connection_id":"cin_1","field_path":"body","offset_chars":%d,"limit_chars":16384}`,
				shown))
	}
}

// R-FETCH-3: fields that were not requested do not appear, also not as a title or a url.
func TestDocumentProjection(t *testing.T) {
	body := `{"id":"m1","stream":"issues","connection_id":"cin_1","display_name":"Forge","emitted_at":"2026-01-02T00:00:00Z",
		"data":{"title":"hidden","html_url":"https://forge.example.com/hidden","created_at":"hidden","state":"open"}}`
	input := record.DocumentInput{
		Target: recordid.Target{Handle: "issues:m1", Stream: "issues", RecordID: "m1"},
		Fields: []string{"state"},
	}
	result, err := readDocument(context.Background(), tool.Env{RS: &silent{}}, responded("/x", body), input)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"id":"issues:m1","title":"Forge / issues / added 2026-01-02T00:00:00Z","text":"state: open",` +
		`"url":"https://rs.example.com/v1/streams/issues/records/m1?connection_id=cin_1",` +
		`"metadata":{"connection_id":"cin_1","stream":"issues","record_id":"m1","display_name":"Forge",` +
		`"emitted_at":"2026-01-02T00:00:00Z"}}`
	if diff := cmp.Diff(want, result.Text); diff != "" {
		t.Error(diff)
	}
}

// R-BUD-2, R-WIN-1: a window that does not fit ends earlier, and the next one begins there.
func TestFieldWindowCut(t *testing.T) {
	body, _ := json.Marshal(map[string]any{"window": map[string]any{
		"text": strings.Repeat("\u0001", 16_384), "start_chars": 100, "end_chars": 16_484, "limit_chars": 16_384,
		"complete": false, "has_more": true, "next_offset_chars": 16_484,
	}})
	input := record.FieldWindowInput{
		Call:   given("read_record_field", `{"id":"s:1","field_path":"f"}`),
		Target: recordid.Target{Handle: "s:1", Stream: "s", RecordID: "1"}, FieldPath: "f",
	}
	result, err := readWindow(context.Background(), tool.Env{RS: &silent{}}, responded("/x", string(body)), input)
	if err != nil {
		t.Fatal(err)
	}
	checkBounds(t, result, render.ChannelCharacters)
	shown := 100 + strings.Count(result.Text, `\u0001`)
	want := fmt.Sprintf(`{"id":"s:1","field_path":"f","offset_chars":%d}`, shown)
	has(t, textCalls(t, result.Text, "next"), "read_record_field", want)
	has(t, structuredCalls(t, result.Structured), "read_record_field", want)
	if shown < 5_000 || !strings.Contains(string(result.Structured), fmt.Sprintf(`"end_chars":%d`, shown)) {
		t.Errorf("the window ends at %d: %.200s", shown, result.Text)
	}
}

// R-HAND-8: the RS's warnings are in both channels of every kind of result.
func TestWarnings(t *testing.T) {
	meta := `"meta":{"warnings":[{"code":"limit_clamped","message":"Clamped."}]}`
	env, ctx := tool.Env{RS: &silent{}}, context.Background()
	target := recordid.Target{Handle: "s:1", Stream: "s", RecordID: "1"}
	records, err1 := runRecords(ctx, env, responded("/x", `{"data":[],`+meta+`}`), scan.RowsInput{Stream: "s"})
	search, err2 := runSearch(ctx, env, responded("/x", `{"data":[],`+meta+`}`), scan.HitsInput{})
	aggregate, err3 := runAggregate(ctx, env, responded("/x", `{"value":1,`+meta+`}`), scan.GroupsInput{Stream: "s"})
	window, err4 := readWindow(ctx, env, responded("/x", `{"window":{"text":""},`+meta+`}`),
		record.FieldWindowInput{Target: target})
	document, err5 := readDocument(ctx, env, responded("/x", `{"id":"1","data":{},`+meta+`}`),
		record.DocumentInput{Target: target})
	if err := errors.Join(err1, err2, err3, err4, err5); err != nil {
		t.Fatal(err)
	}
	for name, result := range map[string]*tool.Result{
		"records": records, "search": search, "aggregate": aggregate, "window": window, "document": document,
	} {
		if !strings.Contains(result.Text, "limit_clamped") || !strings.Contains(string(result.Structured), "limit_clamped") {
			t.Errorf("%s: %s\n%s", name, result.Text, result.Structured)
		}
	}
}
