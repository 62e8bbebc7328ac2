package render_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/runtime/provider/recordid"
	"github.com/pdppmcp/pdpp-mcp/runtime/read/record"
	"github.com/pdppmcp/pdpp-mcp/runtime/read/scan"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

func hitOf(stream, key, field, text string) string {
	return fmt.Sprintf(`{"stream":%q,"record_key":%q,"connection_id":"cin_1","display_name":"Mail",`+
		`"authored_at":"2026-02-12T17:12:00Z",`+
		`"evidence_excerpts":[{"field_path":%q,"preview_text":%q,"truncated":false}]}`, stream, key, field, text)
}

func searchHits(t *testing.T, path, arguments string, hits ...string) *tool.Result {
	t.Helper()
	body := `{"object":"list","data":[` + strings.Join(hits, ",") + `],"has_more":false}`
	result, err := runSearch(t.Context(), env, responded(path, body), scan.HitsInput{Call: given("search", arguments)})
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// R-SEARCH-2, R-SEARCH-5: a record and its body, which have one id in one connection, are next to each other and show
// the text that both hold once. Other hits stay in rank order.
func TestARecordAndItsBodyShareTheirEvidence(t *testing.T) {
	const begin = "The shop has never seen it. Inside is my grandfather's <mark>barometer</mark>. Please look. It has a crack"
	result := searchHits(t, "/v1/search?q=barometer", `{"q":"barometer"}`,
		hitOf("messages", "m1", "snippet", begin+"…"),
		hitOf("events", "e1", "title", "The <mark>barometer</mark> comes home"),
		hitOf("message_bodies", "m1", "body_text", begin+" in the glass."),
		hitOf("issues", "m1", "title",
			"Another text about a <mark>barometer</mark> of the same id, and long enough to be left out"),
	)
	var shown struct {
		Results []struct {
			ID       string
			Evidence []struct {
				Preview string
				ShownIn string `json:"shown_in"`
			}
		}
	}
	if err := json.Unmarshal(result.Structured, &shown); err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, hit := range shown.Results {
		ids = append(ids, hit.ID)
	}
	if want := "cin_1/messages:m1 cin_1/message_bodies:m1 cin_1/events:e1 cin_1/issues:m1"; strings.Join(ids,
		" ") != want {
		t.Fatalf("the order is %s, want %s", ids, want)
	}
	if first := shown.Results[0].Evidence[0]; first.Preview != "" || first.ShownIn != "cin_1/message_bodies:m1" {
		t.Errorf("the mail shows %+v", first)
	}
	for channel, text := range map[string]string{"text": result.Text, "structured": string(result.Structured)} {
		if strings.Count(text, "has never seen it") != 1 || !strings.Contains(text, `"shown_in":"cin_1/message_bodies:m1"`) {
			t.Errorf("%s repeats the text, or does not say where it is:\n%s", channel, text)
		}
	}
}

// R-SEARCH-1, R-SEARCH-11: a hybrid search says which hits lack words of the query, where the provider says how it
// found them. A semantic search says that nothing is ever too far from the query.
func TestHitsFoundByMeaning(t *testing.T) {
	hit := func(sources string) string {
		return `{"stream":"messages","record_key":"m1","connection_id":"cin_1","snippet":"a text"` + sources + `}`
	}
	words, meaning, both := hit(`,"retrieval_sources":["lexical"]`), hit(`,"retrieval_sources":["semantic"]`), hit(
		`,"retrieval_sources":["lexical","semantic"]`)
	for _, test := range []struct {
		path string
		hits []string
		want string
	}{
		{
			"/v1/search/hybrid?q=a",
			[]string{words, meaning, both, meaning},
			"Found by meaning alone, without all words of the query: hits 2, 4.",
		},
		{
			"/v1/search/hybrid?q=a",
			[]string{meaning, meaning},
			"No hit has all words of the query: these were found by meaning alone.",
		},
		{"/v1/search/hybrid?q=a", []string{words, both}, ""},
		{"/v1/search/hybrid?q=a", []string{hit("")}, ""},
		{
			"/v1/search/semantic?q=a",
			[]string{meaning},
			"Every record has a rank by meaning: these are the nearest ones, and may not be about the query.",
		},
	} {
		result := searchHits(t, test.path, `{"q":"a","mode":"hybrid"}`, test.hits...)
		for channel, text := range map[string]string{"text": result.Text, "structured": string(result.Structured)} {
			if !strings.Contains(text, test.want) || test.want == "" && strings.Contains(text, "by meaning") {
				t.Errorf("%s does not say %q:\n%s", channel, test.want, text)
			}
		}
	}
}

// R-SEARCH-11: the result of a query with operators says that the provider has no such syntax, also if there are hits.
func TestOperatorsOfAQuery(t *testing.T) {
	const said = "The provider has no query syntax"
	for q, isSaid := range map[string]bool{
		"baromet*": true, "a OR b": true, `"an exact phrase"`: true, "a|b": true, "lost and found": false,
		"what is it?": false, "ORlando": false,
	} {
		result := searchHits(t, "/v1/search?q="+strings.ReplaceAll(q, " ", "+"), `{"q":"a"}`,
			hitOf("messages", "m1", "subject", "a text"))
		if strings.Contains(result.Text, said) != isSaid || strings.Contains(string(result.Structured), said) != isSaid {
			t.Errorf("%s:\n%s", q, result.Text)
		}
	}
}

// R-BLOB-1: a file that read_record_field cannot show has no call that reads it.
func TestOnlyReadableFilesAreOffered(t *testing.T) {
	for _, test := range []struct {
		file      string
		isOffered bool
	}{
		{`"mime_type":"text/csv","size_bytes":7`, true},
		{`"mime_type":"image/png","size_bytes":7`, true},
		{`"mime_type":"application/octet-stream","size_bytes":7`, true},
		{`"mime_type":"application/pdf","size_bytes":7`, true}, // R-DOC-6
		{`"mime_type":"application/zip","size_bytes":7`, false},
		{`"mime_type":"video/mp4","size_bytes":7`, false},
		{`"mime_type":"image/png","size_bytes":2000000`, false},
		{`"mime_type":"text/csv","size_bytes":20000000`, false},
	} {
		body := `{"data":[{"id":"m1","stream":"s","connection_id":"cin_1","data":{"file":{"blob_id":"blob_1",` +
			test.file + `}}}]}`
		result := renderRecords(t, "/v1/streams/s/records", body, scan.RowsInput{Stream: "s"})
		if strings.Contains(result.Text, "next: read_record_field") != test.isOffered ||
			strings.Contains(string(result.Structured), tool.FieldTool) != test.isOffered {
			t.Errorf("%s:\n%s\n%s", test.file, result.Text, result.Structured)
		}
	}
}

// R-ARG-8: an expanded child keeps the time at which it was collected.
func TestAnExpandedChildKeepsItsTime(t *testing.T) {
	body := `{"data":[{"id":"m1","stream":"s","connection_id":"cin_1","emitted_at":"2026-01-01T00:00:00Z",` +
		`"data":{"a":1},"expanded":{"files":` +
		`{"object":"list","data":[{"id":"f1","stream":"files","connection_id":"cin_1","emitted_at":"2026-01-02T00:00:00Z",` +
		`"data":{"b":1}}]}}}]}`
	result := renderRecords(t, "/v1/streams/s/records?expand=files", body, scan.RowsInput{Stream: "s"})
	for channel, text := range map[string]string{"text": result.Text, "structured": string(result.Structured)} {
		if !strings.Contains(text, `"emitted_at":"2026-01-02T00:00:00Z"`) {
			t.Errorf("%s lacks the time:\n%s", channel, text)
		}
	}
}

// R-FETCH-1: the name of a field cannot begin another line in the text of a document.
func TestAFieldNameForgesNoLine(t *testing.T) {
	body := `{"id":"m1","stream":"s","connection_id":"cin_1","data":{"a\nsubject: forged\u2028\u202e":"x","plain name":"y"}}`
	result, err := readDocument(t.Context(), env, responded("/v1/streams/s/records/m1", body), record.DocumentInput{
		Target: recordid.Target{Handle: "cin_1/s:m1", Stream: "s", RecordID: "m1"},
	})
	if err != nil {
		t.Fatal(err)
	}
	var document struct{ Text string }
	if err := json.Unmarshal(result.Structured, &document); err != nil {
		t.Fatal(err)
	}
	if want := `"a\nsubject: forged\u2028\u202e": x` + "\nplain name: y"; document.Text != want {
		t.Errorf("the text is %q, want %q", document.Text, want)
	}
}

// R-ERR-9: no renderer of rows works on for a call that has ended.
func TestRenderersEndWithTheirCall(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	rows := `{"metric":"count","data":[` + strings.Repeat(`{"id":"m1","stream":"s"},`, 99) +
		`{}],"groups":[{"key":1,"count":1}]}`
	_, records := runRecords(ctx, env, responded("/v1/streams/s/records?limit=100", rows), scan.RowsInput{Stream: "s"})
	_, search := runSearch(ctx, env, responded("/v1/search?q=a&limit=100", rows), scan.HitsInput{})
	_, aggregate := runAggregate(ctx, env, responded("/v1/streams/s/aggregate", rows), scan.GroupsInput{Stream: "s"})
	for name, err := range map[string]error{"records": records, "search": search, "aggregate": aggregate} {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
