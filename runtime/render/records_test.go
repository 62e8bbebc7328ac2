package render_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/runtime/read/scan"
	"github.com/pdppmcp/pdpp-mcp/runtime/render"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// recordsPage returns a page of rows, each with one text of a length.
func recordsPage(rows, characters int, members string) string {
	var data []string
	for i := range rows {
		data = append(data, fmt.Sprintf(
			`{"object":"record","id":"[\"user_123\",\"m%03d\"]","stream":"messages","connection_id":"cin_1","data":{"body":%q}}`,
			i, strings.Repeat("x", characters)))
	}
	return `{"object":"list","data":[` + strings.Join(data, ",") + `]` + members + `}`
}

func renderRecords(t *testing.T, path, body string, input scan.RowsInput) *tool.Result {
	t.Helper()
	result, err := runRecords(context.Background(), tool.Env{RS: &silent{}}, responded(path, body), input)
	if err != nil {
		t.Fatal(err)
	}
	checkBounds(t, result, render.TextCharacters)
	return result
}

// shownIDs returns the record ids of a page in structured output.
func shownIDs(t *testing.T, result *tool.Result) (ids []string, envelope map[string]json.RawMessage) {
	t.Helper()
	var object struct {
		Data map[string]json.RawMessage `json:"data"`
	}
	if err := json.Unmarshal(result.Structured, &object); err != nil {
		t.Fatal(err)
	}
	var rows []struct {
		ID string `json:"id"`
	}
	if err := json.Unmarshal(object.Data["data"], &rows); err != nil {
		t.Fatal(err)
	}
	for _, row := range rows {
		ids = append(ids, row.ID)
	}
	return ids, object.Data
}

// R-BUD-2, R-BUD-5, R-HAND-2: a page of a hundred rows has every handle in text, byte for byte.
func TestRecordsHundredHandlesInText(t *testing.T) {
	result := renderRecords(t, "/v1/streams/messages/records?limit=100", recordsPage(100, 60, ""),
		scan.RowsInput{Stream: "messages"})
	for i := range 100 {
		want := fmt.Sprintf(`["cin_1/messages:[\"user_123\",\"m%03d\"]",`, i)
		if !strings.Contains(result.Text, want) {
			t.Fatalf("no %s in text", want)
		}
	}
}

// R-BUD-2, R-BUD-3: rows that do not fit and cannot be read again are on the next page. The server's cursor, which
// would skip them, is not shown; both channels have the call that continues after the last row.
func TestRecordsLeftOut(t *testing.T) {
	page := recordsPage(50, 2000, `,"has_more":true,"next_cursor":"c50","links":{"next":"/x?cursor=c50"}`)
	result := renderRecords(t, "/v1/streams/messages/records?limit=50&order=asc&filter%5Ba%5D%5Bgte%5D=1.10",
		page, scan.RowsInput{
			Call:   given("query_records", `{"stream":"messages","limit":50,"order":"asc","filter":{"a":{"gte":1.10}}}`),
			Stream: "messages",
		})
	ids, envelope := shownIDs(t, result)
	if len(ids) == 0 || len(ids) == 50 {
		t.Fatalf("%d rows shown", len(ids))
	}
	for i, id := range ids {
		if want := fmt.Sprintf(`["user_123","m%03d"]`, i); id != want {
			t.Fatalf("row %d is %s", i, id)
		}
	}
	if strings.Contains(result.Text, "c50") || strings.Contains(string(result.Structured), "c50") {
		t.Error("a cursor leads past rows that were left out")
	}
	if string(envelope["has_more"]) != "true" || envelope["links"] != nil {
		t.Errorf("the envelope has has_more=%s and links %s", envelope["has_more"], envelope["links"])
	}
	next := placeOf(t, structuredCalls(t, result.Structured),
		"/v1/streams/messages/records?order=asc&filter%5Ba%5D%5Bgte%5D=1.10")
	if next != (tool.Place{Skip: len(ids)}) {
		t.Errorf("continues at %+v after %d rows", next, len(ids))
	}
	has(t, textCalls(t, result.Text, "next"), "query_records", string(structuredCalls(t, result.Structured)[0].Arguments))
}

// R-BUD-3: of a record that is too large alone the longest texts are clipped, and the cursor is kept.
func TestRecordsOneTooLarge(t *testing.T) {
	body := fmt.Sprintf(
		`{"data":[{"id":"m1","stream":"messages","connection_id":"cin_1","data":{"subject":"Short","body":%q,"html":%q,`+
			`"parts":[%s1]}}],"next_cursor":"c1"}`,
		strings.Repeat("é", 30_000), strings.Repeat(`"`, 30_000), strings.Repeat("1,", 30_000))
	result := renderRecords(t, "/v1/streams/messages/records?limit=1", body,
		scan.RowsInput{Call: given("query_records", `{"stream":"messages","limit":1}`), Stream: "messages"})
	for _, calls := range [][]call{textCalls(t, result.Text, "next"), structuredCalls(t, result.Structured)} {
		has(t, calls, "query_records", `{"stream":"messages","limit":1,"cursor":"c1"}`)
	}
	var page followedPage
	if err := json.Unmarshal(result.Structured, &page); err != nil {
		t.Fatal(err)
	}
	row := page.Data.Data[0]
	if len(row.Next) != 3 {
		t.Fatalf("reads on with %s", row.Next)
	}
	shown := strings.Count(row.Data.Body, "é")
	if mark := fmt.Sprintf("…[%d of 30000 characters shown]", shown); shown < 2_000 ||
		!strings.HasSuffix(row.Data.Body, mark) {
		t.Errorf("%d characters of the text are shown", shown)
	}
	for i, want := range []string{
		fmt.Sprintf(`read_record_field {"id":"cin_1/messages:m1","field_path":"body","offset_chars":%d,"limit_chars":16384}`,
			shown),
		fmt.Sprintf(`read_record_field {"id":"cin_1/messages:m1","field_path":"html","offset_chars":%d,"limit_chars":16384}`,
			shown),
		`fetch {"id":"cin_1/messages:m1","fields":["parts"]}`,
	} {
		if got := row.Next[i].Tool + " " + string(row.Next[i].Arguments); got != want {
			t.Errorf("reads on with %s, not %s", got, want)
		}
	}
	if !strings.Contains(string(result.Structured), `"subject":"Short"`) {
		t.Error("short fields are lost")
	}
}

// R-QRY-1: rows of a server that ignores fields are projected; the tool reference lists the other members that are
// kept.
func TestRecordsProjection(t *testing.T) {
	body := `{"data":[{"object":"record","id":"m1","stream":"messages","connection_id":"cin_1","connector_instance_id":"cin_1",
		"record_json_bytes":9,"emitted_at":"2026-01-01T00:00:00Z","data":{"subject":"S","secret":"hidden","from":{"name":"N","mail":"hidden"}}}]}`
	result := renderRecords(t, "/v1/streams/messages/records?fields=subject,from.name", body,
		scan.RowsInput{Stream: "messages", Fields: []string{"subject", "from.name"}})
	if strings.Contains(result.Text, "hidden") || strings.Contains(string(result.Structured), "hidden") {
		t.Error("an unrequested field is shown")
	}
	want := `"data":[{"handle":"cin_1/messages:m1","id":"m1","data":{"subject":"S","from":{"name":"N"}}}]`
	if !strings.Contains(string(result.Structured), want) {
		t.Errorf("structured output: %s", result.Structured)
	}
}

// R-QRY-2, R-QRY-3, R-BUD-6, R-BLOB-1: values that fit are whole; binary values and blobs are described with their
// size.
func TestRecordsClippedAndBinary(t *testing.T) {
	binary := strings.Repeat("aGVsbG8gV29ybGQh", 100)
	body := fmt.Sprintf(`{"data":[{"id":"m1","stream":"messages","connection_id":"cin_1","data":{"body":%q,"photo":%q,`+
		`"scan":%q,"file":{"blob_id":"blob_1","mime_type":"text/csv","size_bytes":7,"more":%q}}}]}`,
		strings.Repeat("😀", 3000), binary, "data:image/png;base64,"+binary, strings.Repeat("y", 500))
	result := renderRecords(t, "/v1/streams/messages/records", body, scan.RowsInput{Stream: "messages"})
	has(t, textCalls(t, result.Text, "next"), "read_record_field", `{"id":"cin_1/messages:m1","field_path":"file"}`)
	if !strings.Contains(result.Text, `"blob(text/csv 7 bytes)"`) ||
		!strings.Contains(string(result.Structured),
			`"blobs":[{"field":"file","blob_id":"blob_1","mime_type":"text/csv","size_bytes":7}]`) {
		t.Errorf("the blob is not named as R-BLOB-1 has it:\n%s\n%s", result.Text, result.Structured)
	}
	for _, want := range []string{
		strings.Repeat("😀", 3000), `"binary(base64 1200 bytes)…[0 of 1600 characters shown]"`,
		`"binary(image/png 1200 bytes)…[0 of 1622 characters shown]"`,
	} {
		if !strings.Contains(result.Text, want) || !strings.Contains(string(result.Structured), want) {
			t.Errorf("a channel lacks %.80s", want)
		}
	}
	for _, name := range []string{"photo", "scan"} {
		has(t, textCalls(t, result.Text, "next"), "read_record_field",
			fmt.Sprintf(`{"id":"cin_1/messages:m1","field_path":%q,"offset_chars":0,"limit_chars":16384}`, name))
	}
	if both := result.Text + string(result.Structured); strings.Contains(both, binary[:100]) {
		t.Error("a binary value is printed")
	}
}

// Older servers wrap the list once more or name it differently; the envelope is the same. Both channels have has_more
// if the server does not.
func TestRecordsEnvelopeVariants(t *testing.T) {
	for _, body := range []string{
		`{"data":{"data":[{"id":"m1"}],"next_cursor":"c"},"meta":{"count":{"kind":"exact","value":1}}}`,
		`{"records":[{"id":"m1"}],"next_cursor":"c","meta":{"count":{"kind":"exact","value":1}}}`,
		`{"data":{"records":[{"id":"m1"}],"next_cursor":"c","meta":{"count":{"kind":"exact","value":1}}}}`,
	} {
		result := renderRecords(t, "/v1/streams/messages/records", body,
			scan.RowsInput{Stream: "messages", ConnectionID: pointer("cin_1")})
		for _, want := range []string{`{"handle":"cin_1/messages:m1"}`, `next_cursor="c"`, "count=exact:1", "has_more=true"} {
			if !strings.Contains(result.Text, want) {
				t.Errorf("%s: text lacks %s:\n%s", body, want, result.Text)
			}
		}
		want := `{"stream":"messages","connections":{"cin_1":{}},"data":{"meta":{"count":{"kind":"exact","value":1}},` +
			`"has_more":true,"next_cursor":"c","data":[{"handle":"cin_1/messages:m1","id":"m1"}]}`
		if !strings.HasPrefix(string(result.Structured), want) {
			t.Errorf("%s became %s", body, result.Structured)
		}
	}
}

// R-HAND-7: over several connections there is a call for each that a call can name; a long field that no call can name
// leads to a fetch.
func TestRecordsShowOnlyValidCalls(t *testing.T) {
	body := `{"data":[{"id":"1","stream":"s"},{"id":"2","stream":"s","connection_id":"a/b"},{"id":"3","stream":"s",` +
		`"connection_id":"cin_3","data":{"a/b":"` +
		strings.Repeat("word ", 10_000) + `"}}],"has_more":true}`
	result := renderRecords(t, "/v1/streams/s/records?limit=1", body,
		scan.RowsInput{Call: given("query_records", `{"limit":1,"stream":"s"}`), Stream: "s"})
	calls := textCalls(t, result.Text, "next")
	place := tool.Place{Skip: 1}.CursorAt(responded("/v1/streams/s/records?connection_id=cin_3", "").Request)
	has(t, calls, "query_records", `{"limit":1,"stream":"s","connection_id":"cin_3","cursor":"`+place+`"}`)
	has(t, calls, "fetch", `{"id":"cin_3/s:3","fields":["a/b"]}`)
	if len(calls) != 2 {
		t.Errorf("continuations %s", calls)
	}
	for _, call := range calls {
		checkCall(t, call)
	}
}

// R-BUD-7, R-CLAIM-6: a member is in the row or above it by the kind of the result, whether or not the rows of a page
// agree: in a list of one stream, of one row, of rows of one connection and time, and of rows of several.
func TestRowsHaveTheSameMembers(t *testing.T) {
	row := func(connection, label, at string) string {
		return fmt.Sprintf(`{"object":"record","id":"m1","stream":"messages","connection_id":%q,"connector_key":"mail","display_name":%q,`+
			`"emitted_at":%q,"time":%q,"data":{"body":"x"}}`, connection, label, at, at)
	}
	first := row("cin_1", "Work", "2026-01-01T00:00:00Z")
	for name, others := range map[string][]string{
		"alone":                  nil,
		"of one connection":      {first},
		"of several connections": {row("cin_2", "Home", "2026-01-02T00:00:00Z")},
	} {
		for stream, want := range map[string]string{
			"messages":       "data emitted_at handle id time",
			tool.EveryStream: "connection_id data emitted_at handle id stream time",
		} {
			page := `{"data":[` + strings.Join(append([]string{first}, others...), ",") + `]}`
			result := renderRecords(t, "/v1/streams/messages/records", page, scan.RowsInput{Stream: stream})
			var shown struct {
				Stream      *string
				Connections map[string]map[string]string
				Data        struct{ Data []map[string]json.RawMessage }
			}
			if err := json.Unmarshal(result.Structured, &shown); err != nil {
				t.Fatal(err)
			}
			for i, each := range shown.Data.Data {
				if got := strings.Join(slices.Sorted(maps.Keys(each)), " "); got != want {
					t.Errorf("%s: row %d of %s has %s, want %s", name, i, stream, got, want)
				}
			}
			if shown.Connections["cin_1"]["display_name"] != "Work" || (shown.Stream == nil) != (stream == tool.EveryStream) {
				t.Errorf("%s: above the rows of %s are %v and %v", name, stream, shown.Connections, shown.Stream)
			}
		}
	}
}
