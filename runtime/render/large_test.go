package render_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/golden"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/recordid"
	"github.com/pdppmcp/pdpp-mcp/runtime/read/record"
	"github.com/pdppmcp/pdpp-mcp/runtime/read/scan"
	"github.com/pdppmcp/pdpp-mcp/runtime/render"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

func renderDocument(t *testing.T, path, body string, input record.DocumentInput) (*tool.Result, document) {
	t.Helper()
	if input.Target.Handle == "" {
		input.Target = recordid.Target{Handle: "cin_1/s:1", ConnectionID: pointer("cin_1"), Stream: "s", RecordID: "1"}
	}
	result, err := readDocument(context.Background(), env, responded(path, body), input)
	if err != nil {
		t.Fatal(err)
	}
	checkBounds(t, result, render.ChannelCharacters)
	checkDocument(t, result)
	for _, call := range allCalls(t, "fetch", result) {
		checkCall(t, call)
	}
	var shown document
	if err := json.Unmarshal(result.Structured, &shown); err != nil {
		t.Fatal(err)
	}
	return result, shown
}

// document is the members of a fetched record that a model reads.
type document struct {
	ID, Title, Text, URL string
	Metadata             struct {
		Clipped   []string
		Note      string
		Expanded  map[string]json.RawMessage
		Deleted   bool
		DeletedAt string `json:"deleted_at"`
		Next      []call
	}
}

var numbers = "[" + strings.Repeat("11111,", 9_000) + "1]"

// R-BUD-3, R-BUD-6, R-HAND-7: of a value that is too large for a page and not a text, the beginning is shown with a
// call of fetch. It shows more, and says that the rest is unavailable.
func TestLargeBinaryValue(t *testing.T) {
	body := `{"data":[{"id":"1","stream":"s","connection_id":"cin_1","data":{"parts":` + numbers +
		`,"n":1},"expanded":{"files":{"data":` + numbers + `}}}]}`
	result := renderRecords(t, "/v1/streams/s/records?limit=1&expand=files", body, scan.RowsInput{Stream: "s"})
	has(t, textCalls(t, result.Text, "next"), "fetch", `{"id":"cin_1/s:1","expand":["files"]}`)
	calls := allCalls(t, "query_records", result)
	has(t, calls, "fetch", `{"id":"cin_1/s:1","fields":["parts"]}`)
	has(t, calls, "fetch", `{"id":"cin_1/s:1","expand":["files"]}`)
	for _, beginning := range []string{`"parts":"[11111,`, `"expanded":{"files":"{\"data\":[11111,`} {
		if !strings.Contains(string(result.Structured), beginning) {
			t.Errorf("no %s: a value is replaced by nothing", beginning)
		}
	}

	whole := `{"id":"1","stream":"s","connection_id":"cin_1","data":{"parts":` + numbers + `,"n":1}}`
	_, shown := renderDocument(t, "/r", whole, record.DocumentInput{})
	has(t, shown.Metadata.Next, "fetch", `{"id":"cin_1/s:1","fields":["parts"]}`)
	if shown.Metadata.Note != "" {
		t.Errorf("no call although a fetch of the field shows more: %s", shown.Metadata.Note)
	}
	_, alone := renderDocument(t, "/r", whole, record.DocumentInput{Fields: []string{"parts"}})
	if !strings.Contains(alone.Metadata.Note, "cannot be shown") || len(alone.Metadata.Next) != 0 ||
		alone.Metadata.Clipped == nil {
		t.Errorf("metadata of the field alone: %+v", alone.Metadata)
	}
	if !strings.HasPrefix(alone.Text, "parts: [11111,11111,") ||
		!strings.Contains(alone.Text, "of 54003 characters shown]") {
		t.Errorf("text %.60s … %s", alone.Text, alone.Text[len(alone.Text)-60:])
	}
}

// R-BUD-2, R-BUD-3: a record of many long fields with a long id keeps its bounds and its first continuations.
func TestManyLongFieldsOfALongID(t *testing.T) {
	var fields []string
	for i := range 40 {
		fields = append(fields, fmt.Sprintf(`"field_%02d":%q`, i, strings.Repeat("word ", 2_000)))
	}
	id := strings.Repeat("k", 900)
	body := `{"data":[{"id":"` + id + `","stream":"s","connection_id":"cin_1","data":{` + strings.Join(fields, ",") +
		`}}],"next_cursor":"c1"}`
	result := renderRecords(t, "/v1/streams/s/records?limit=1", body,
		scan.RowsInput{Call: given("query_records", `{"stream":"s","limit":1}`), Stream: "s"})
	calls := textCalls(t, result.Text, "next")
	if text := result.Text; !strings.Contains(text,
		`next: read_record_field {"id":"cin_1/s:`+id+`","field_path":"field_00","offset_chars":`) ||
		!strings.Contains(text, `next: fetch {"id":"cin_1/s:`+id+`","fields":["field_`) {
		t.Errorf("continuations %s", calls)
	}
	has(t, calls, "query_records", `{"stream":"s","limit":1,"cursor":"c1"}`)
	if marks := strings.Count(string(result.Structured), "of 10000 characters shown]"); marks != 40 {
		t.Errorf("%d of 40 values say that they are clipped", marks)
	}
}

// R-FETCH-3: a projection of a record or a page has no relations that were not requested.
func TestProjectionDropsUnrequestedRelations(t *testing.T) {
	whole := `{"id":"1","stream":"s","connection_id":"cin_1","data":{"a":"kept","b":"hidden"},` +
		`"expanded":{"r":{"data":[{"c":"hidden"}]}}}`
	fields := []string{"a"}
	fetched, _ := renderDocument(t, "/v1/streams/s/records/1?fields=a", whole, record.DocumentInput{Fields: fields})
	page := renderRecords(t, "/v1/streams/s/records?fields=a", `{"data":[`+whole+`]}`,
		scan.RowsInput{Stream: "s", Fields: fields})
	for name, result := range map[string]*tool.Result{"fetch": fetched, "records": page} {
		if both := result.Text + string(result.Structured); strings.Contains(both, "hidden") ||
			!strings.Contains(both, "kept") {
			t.Errorf("%s: %s", name, both)
		}
	}
	asked, _ := renderDocument(t, "/v1/streams/s/records/1?fields=a&expand=r", whole, record.DocumentInput{Fields: fields})
	if !strings.Contains(asked.Text, `"expanded":{"r"`) {
		t.Errorf("the requested relation is missing: %s", asked.Text)
	}
}

// R-FETCH-7, R-BUD-6, R-QRY-3, R-QRY-4: expanded records are clipped and not left out, binary fields are described with
// their size, and tombstones are marked.
func TestDocumentParts(t *testing.T) {
	named := func(id string, size int) string {
		return fmt.Sprintf(`{"id":%q,"stream":"files","connection_id":"cin_1","data":{"text":%q}}`, id,
			strings.Repeat("x", size))
	}
	files := func(count, size int) string {
		var all []string
		for i := range count {
			all = append(all, named(fmt.Sprint("f", i), size))
		}
		return `{"id":"1","stream":"s","connection_id":"cin_1","data":{"a":1},"expanded":{"files":{"data":[` +
			strings.Join(all, ",") + `],"has_more":false},"one":` +
			named("o1", size) + `}}`
	}
	for _, test := range []struct{ count, size, shown int }{{5, 900, 5}, {20, 7_000, 20}, {700, 10, 0}} {
		_, shown := renderDocument(t, "/r?expand=files", files(test.count, test.size), record.DocumentInput{})
		var list struct {
			Data []struct {
				Handle  string
				Data    struct{ Text string }
				Clipped []string
				Next    []call
			}
			LeftOut []string `json:"left_out"`
		}
		if err := json.Unmarshal(shown.Metadata.Expanded["files"], &list); err != nil {
			t.Fatal(err)
		}
		whole := strings.Repeat("x", test.size)
		for i, file := range list.Data {
			switch {
			case file.Handle != fmt.Sprint("cin_1/files:f", i):
				t.Fatalf("%d files: %d is %s", test.count, i, file.Handle)
			case file.Clipped == nil && file.Data.Text != whole, file.Clipped != nil && len(file.Next) != 1:
				t.Fatalf("%d files: %d is clipped as %v to %.50q and read on with %s", test.count, i, file.Clipped,
					file.Data.Text, file.Next)
			}
		}
		if test.shown > 0 && len(list.Data) != test.shown {
			t.Errorf("%d of %d files are shown", len(list.Data), test.count)
		}
		if len(list.Data) < test.count { // the first that is left out is fetched by a call, others by their handles
			first := fmt.Sprint("cin_1/files:f", len(list.Data))
			if len(list.Data) < 100 || len(list.LeftOut) == 0 || list.LeftOut[0] != first {
				t.Errorf("%d of %d files are shown, left out are %v", len(list.Data), test.count, list.LeftOut)
			}
			has(t, shown.Metadata.Next, "fetch", fmt.Sprintf(`{"id":%q}`, first))
		}
	}

	_, binary := renderDocument(t, "/r", `{"id":"1","data":{"photo":"data:image/png;base64,`+
		strings.Repeat("aGVsbG8gV29ybGQh", 100)+`"}}`, record.DocumentInput{})
	if binary.Text != `photo: binary(image/png 1200 bytes)…[0 of 1622 characters shown]` {
		t.Errorf("binary: %.200s", binary.Text)
	}
	const picture = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
	for text, want := range map[string]string{ // R-QRY-3: a short value is binary if it begins like a file
		picture: "image_data: binary(image/png 70 bytes)",
		"QWxsIG9mIHRoaXMgaXMgYSB0ZXh0IHRoYXQgaXMgd3JpdHRlbg==": "image_data: QWxsIG9mIHRoaXMgaXMgYSB0ZXh0IHRoYXQgaXMgd3JpdHRlbg==",
	} {
		if _, short := renderDocument(t, "/r", `{"id":"1","data":{"image_data":"`+text+`"}}`,
			record.DocumentInput{}); !strings.HasPrefix(short.Text, want) {
			t.Errorf("%.200s, want %s", short.Text, want)
		}
	}
	_, gone := renderDocument(t, "/r", `{"id":"1","stream":"s","deleted":true,"deleted_at":"2026-01-01T00:00:00Z"}`,
		record.DocumentInput{})
	if !gone.Metadata.Deleted || gone.Metadata.DeletedAt != "2026-01-01T00:00:00Z" {
		t.Errorf("tombstone: %+v", gone.Metadata)
	}
}

// R-AGG-2: the number of further groups is shown if it is known, with the totals of all groups and of the groups that
// are not shown.
func TestAggregateRest(t *testing.T) {
	long := strings.Repeat("k", 190)
	var many []string
	for i := range 120 {
		many = append(many, fmt.Sprintf(`{"key":"%s%02d","count":1}`, long, i))
	}
	for _, test := range []struct{ groups, members, want string }{
		{`{"key":"a","count":1}`, ``, "further_groups=0 total_count=1"},
		{`{"key":"a","count":1}`, `,"filtered_record_count":1`, "further_groups=0"},
		{`{"key":"a","count":1}`, `,"group_by_time":"at","limit":2`, "further_groups=0 total_count=1"},
		{
			`{"key":"a","count":1}`, `,"group_by_time":"at","limit":1`,
			"further_groups=unknown These are the earliest 1 groups, as many as limit allows; later ones may exist: a larger " +
				"limit shows them.",
		},
		{`{"key":"a","count":1}`, `,"other_count":0`, "further_groups=0 other_count=0 total_count=1"},
		{
			`{"key":"a","count":1}`, `,"other_count":9`,
			"further_groups=unknown other_count=9 total_count=10 These are the top 1 groups; other_count records are in " +
				"groups that are not shown.",
		},
		{strings.Join(many, ","), `,"other_count":0`, "further_groups=7 other_count=0 total_count=120 not_shown_count=7 " +
			"These are the first 113 groups; narrow with filter to see the others. The next group has the same value as the " +
			"last one here."},
		{strings.Join(many, ","), `,"other_count":9`, "further_groups=7 other_count=9 total_count=129 not_shown_count=16 " +
			"These are the top 113 groups; not_shown_count records are in groups that are not shown. The next group has the " +
			"same value as the last one here."},
	} {
		body := `{"metric":"count","groups":[` + test.groups + `]` + test.members + `}`
		result, err := runAggregate(context.Background(), env, responded("/x", body), scan.GroupsInput{Stream: "s"})
		if err != nil {
			t.Fatal(err)
		}
		checkBounds(t, result, render.TextCharacters)
		if lines := strings.Split(result.Text, "\n"); !strings.HasSuffix(lines[1], test.want) {
			t.Errorf("%s\nwant %s", lines[1], test.want)
		}
		for _, token := range strings.Fields(test.want) {
			name, value, _ := strings.Cut(token, "=")
			if strings.HasPrefix(name, "total") && !strings.Contains(string(result.Structured), `"`+name+`":`+value) {
				t.Errorf("structured output lacks %s", token)
			}
		}
		if strings.Contains(result.Text, `"groups":`) {
			t.Error("text dumps the envelope")
		}
	}
}

// R-BUD-2: a long query is answered; only its address is shortened.
func TestALongURL(t *testing.T) {
	long := strings.Repeat("q", 50_000)
	for i := range renderers {
		bodies := map[string]string{
			"query_records": `{"data":[]}`, "search": `{"data":[]}`, "aggregate": `{"value":1}`,
			"fetch": `{"id":"1","data":{}}`, "read_record_field": `{"window":{"text":"x"}}`,
		}
		response := responded("/v1/streams/s/records", bodies[renderers[i].tool])
		response.URL += "?q=" + long
		response.RequestID = long
		result, err := renderers[i].run(response, nil)
		if err != nil {
			t.Errorf("%s: %v", renderers[i].tool, err)
			continue
		}
		checkAny(t, &renderers[i], result, nil)
		if strings.Contains(string(result.Structured), "qqqq") {
			t.Errorf("%s shows the whole address", renderers[i].tool)
		}
	}
}

// R-WIN-1: the next and the previous window have the server's offsets, in any unit.
func TestWindowOffsets(t *testing.T) {
	for _, test := range []struct{ window, next, previous string }{
		{`"next_offset_chars":4,"previous_offset_chars":null`, "4", ""},
		{`"next_offset_chars":null,"previous_offset_chars":3`, "", "3"},
		{`"next_offset_chars":7180,"previous_offset_chars":0`, "7180", "0"},
		{`"start_chars":0,"end_chars":3,"total_chars":99,"has_more":true`, "", ""}, // no offset is made up
		{`"next_offset_chars":"4","previous_offset_chars":1.5`, "", ""},
	} {
		body := `{"window":{"text":"😀 e",` + test.window + `}}`
		result, err := readWindow(context.Background(), env, responded("/w", body), record.FieldWindowInput{
			Call:   given("read_record_field", `{"limit_chars":3,"id":"cin_1/s:1","field_path":"f"}`),
			Target: target, FieldPath: "f",
		})
		if err != nil {
			t.Fatal(err)
		}
		for word, offset := range map[string]string{"next": test.next, "previous": test.previous} {
			calls, structured := textCalls(t, result.Text, word), structuredCallsOf(t, result.Structured, word)
			if want := fmt.Sprintf(`{"limit_chars":3,"id":"cin_1/s:1","field_path":"f","offset_chars":%s}`,
				offset); offset == "" {
				if len(calls)+len(structured) != 0 {
					t.Errorf("%s: %s is %s and %s", test.window, word, calls, structured)
				}
			} else {
				has(t, calls, "read_record_field", want)
				has(t, structured, "read_record_field", want)
			}
		}
		if _, content, _ := golden.Marked(result.Text); content != "😀 e" {
			t.Errorf("text %q", result.Text)
		}
	}
}

// R-BUD-2, R-WIN-1: the largest window of any alphabet is shown whole, unless nearly all of it is escaped.
func TestTheLargestWindow(t *testing.T) {
	for text, whole := range map[string]bool{
		"x": true, "é": true, "😀": true, `"`: true, "\n": true, "\u2028": false,
		"\u0001": false,
	} {
		units := 16_384
		body, err := json.Marshal(map[string]any{"window": map[string]any{
			"text": strings.Repeat(text, units), "start_chars": 0, "end_chars": units, "limit_chars": units, "complete": true,
		}})
		if err != nil {
			t.Fatal(err)
		}
		result, err := readWindow(context.Background(), env, responded("/w", string(body)),
			record.FieldWindowInput{Target: target, FieldPath: "f"})
		if err != nil {
			t.Fatal(err)
		}
		checkBounds(t, result, render.ChannelCharacters)
		if _, content, _ := golden.Marked(result.Text); (content == golden.Visible(strings.Repeat(text, units))) != whole {
			t.Errorf("%q: whole %t, want %t", text, !whole, whole)
		}
	}
}
