package render_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/runtime/provider/recordid"
	"github.com/pdppmcp/pdpp-mcp/runtime/read/record"
	"github.com/pdppmcp/pdpp-mcp/runtime/read/scan"
	"github.com/pdppmcp/pdpp-mcp/runtime/render"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// R-QRY-1, R-QRY-2, R-QRY-4, R-QRY-6, R-QRY-7, R-HAND-8: pages as a server sent them.
func TestRecordsGolden(t *testing.T) {
	for _, test := range []struct {
		name, arguments string
		input           scan.RowsInput
	}{
		{"default", `{"stream":"messages"}`, scan.RowsInput{Stream: "messages"}},
		{"limit2", `{"stream":"messages","limit":2}`, scan.RowsInput{Stream: "messages"}},
		{"count_exact", `{"stream":"messages","limit":1,"count":"exact"}`, scan.RowsInput{Stream: "messages"}},
		{
			"fields", `{"stream":"messages","limit":2,"fields":["id","subject"]}`,
			scan.RowsInput{Stream: "messages", Fields: []string{"id", "subject"}},
		},
		{
			"limit_clamped", `{"stream":"messages","limit":1000,"fields":["id"]}`,
			scan.RowsInput{Stream: "messages", Fields: []string{"id"}},
		},
		{
			"fan_in", `{"stream":"messages","limit":3,"fields":["id"]}`,
			scan.RowsInput{Stream: "messages", Fields: []string{"id"}},
		},
		{"tombstone", `{"stream":"threads","changes_since":"eyJ9==","limit":5}`, scan.RowsInput{Stream: "threads"}},
		{
			"changes", `{"stream":"messages","limit":60,"changes_since":"beginning","fields":["id","subject"]}`,
			scan.RowsInput{Stream: "messages"},
		},
		{
			"expanded", `{"stream":"messages","limit":1,"filter":{"has_attachments":true},"expand":["attachments"],` +
				`"expand_limit":{"attachments":1},"connection_id":"cin_gmail_personal"}`,
			scan.RowsInput{Stream: "messages", ConnectionID: pointer("cin_gmail_personal")},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			name := "records/" + test.name
			response := fixture(t, name, "/v1/streams/"+test.input.Stream+"/records")
			test.input.Call = given("query_records", test.arguments)
			result, err := runRecords(context.Background(), tool.Env{RS: &silent{}}, response, test.input)
			if err != nil {
				t.Fatal(err)
			}
			checkBounds(t, result, render.TextCharacters)
			compareResult(t, name, result)
		})
	}
}

// R-AGG-1, R-AGG-2, R-AGG-3.
func TestAggregateGolden(t *testing.T) {
	for _, test := range []struct{ name, arguments string }{
		{"count", `{"stream":"messages","metric":"count"}`},
		{"sum", `{"stream":"messages","metric":"sum","field":"size_bytes"}`},
		{"group_by", `{"stream":"messages","metric":"count","group_by":"is_flagged"}`},
		{"top_one", `{"stream":"messages","metric":"count","group_by":"is_flagged","limit":1}`},
		{"by_time_zone", `{"stream":"messages","metric":"count","group_by_time":"received_at","granularity":"month",` +
			`"time_zone":"Europe/Berlin"}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			name := "aggregate/" + test.name
			input := scan.GroupsInput{Call: given("aggregate", test.arguments), Stream: "messages"}
			result, err := runAggregate(context.Background(), tool.Env{RS: &silent{}},
				fixture(t, name, "/v1/streams/messages/aggregate"), input)
			if err != nil {
				t.Fatal(err)
			}
			checkBounds(t, result, render.TextCharacters)
			compareResult(t, name, result)
		})
	}
}

// R-SEARCH-2, R-SEARCH-3, R-SEARCH-4, R-SEARCH-5, R-SEARCH-6, R-SEARCH-9.
func TestSearchGolden(t *testing.T) {
	for _, test := range []struct {
		name, path, arguments string
	}{
		{"lexical", "/v1/search?q=overdraft", `{"q":"overdraft","limit":2}`},
		{"two_sources", "/v1/search?q=overdraft", `{"q":"overdraft","limit":3}`},
		{"no_hits", "/v1/search?q=zzzzqq", `{"q":"zzzzqq"}`},
		{"semantic", "/v1/search/semantic?q=overdraft+notice", `{"mode":"semantic","q":"overdraft notice","limit":2}`},
		{"hybrid", "/v1/search/hybrid?q=overdraft", `{"mode":"hybrid","q":"overdraft","limit":2}`},
		{"older_server", "/v1/search?q=overdraft", `{"q":"overdraft"}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			name := "search/" + test.name
			result, err := runSearch(context.Background(), tool.Env{RS: &silent{}}, fixture(t, name, test.path),
				scan.HitsInput{Call: given("search", test.arguments)})
			if err != nil {
				t.Fatal(err)
			}
			checkBounds(t, result, render.TextCharacters)
			compareResult(t, name, result)
		})
	}
}

// R-FETCH-1, R-FETCH-2, R-FETCH-3, R-FETCH-5, R-FETCH-7.
func TestDocumentGolden(t *testing.T) {
	messages := recordid.Target{
		Handle: "cin_gmail_personal/messages:p-msg-010", ConnectionID: pointer("cin_gmail_personal"),
		Stream: "messages", RecordID: "p-msg-010",
	}
	for _, test := range []struct {
		name  string
		input record.DocumentInput
	}{
		{"detail", record.DocumentInput{Target: messages}},
		{"fields", record.DocumentInput{Target: messages, Fields: []string{"subject"}}},
		{"expanded", record.DocumentInput{Target: messages}},
		{"blob", record.DocumentInput{Target: recordid.Target{
			Handle: "attachments:p-msg-010:2", Stream: "attachments",
			RecordID: "p-msg-010:2",
		}}},
		{"flat", record.DocumentInput{Target: recordid.Target{Handle: "issues:7", Stream: "issues", RecordID: "7"}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			name := "document/" + test.name
			response := fixture(t, name, "/v1/streams/messages/records/p-msg-010")
			result, err := readDocument(context.Background(), tool.Env{RS: &silent{}}, response, test.input)
			if err != nil {
				t.Fatal(err)
			}
			checkBounds(t, result, render.ChannelCharacters)
			checkDocument(t, result)
			compareResult(t, name, result)
		})
	}
}

// checkDocument checks that both channels have the five members of R-FETCH-1.
func checkDocument(t *testing.T, result *tool.Result) {
	t.Helper()
	if result.Text != string(result.Structured) {
		t.Error("text and structured output differ")
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(result.Structured, &members); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"id", "title", "text", "url", "metadata"} {
		if _, ok := members[name]; !ok {
			t.Errorf("no %s", name)
		}
	}
	if len(members) != 5 {
		t.Errorf("%d members", len(members))
	}
}

// R-WIN-1, R-WIN-2.
func TestFieldWindowGolden(t *testing.T) {
	body := recordid.Target{
		Handle: "cin_gmail_personal/message_bodies:p-msg-005", ConnectionID: pointer("cin_gmail_personal"),
		Stream: "message_bodies", RecordID: "p-msg-005",
	}
	for _, test := range []struct {
		name, arguments string
		input           record.FieldWindowInput
	}{
		{
			"first", `{"id":"cin_gmail_personal/message_bodies:p-msg-005","field_path":"body_text"}`,
			record.FieldWindowInput{Target: body, FieldPath: "body_text"},
		},
		{
			"match", `{"id":"cin_gmail_personal/message_bodies:p-msg-005","field_path":"body_text","q":"needle",` +
				`"limit_chars":4096}`,
			record.FieldWindowInput{Target: body, FieldPath: "body_text"},
		},
		{
			"past_end", `{"id":"cin_gmail_personal/message_bodies:p-msg-005","field_path":"body_text","offset_chars":99999}`,
			record.FieldWindowInput{Target: body, FieldPath: "body_text"},
		},
		{"codepoints", `{"id":"threads:shared-1","connection_id":"cin_gmail_personal","field_path":"subject",` +
			`"limit_chars":3}`, record.FieldWindowInput{
			Target: recordid.Target{
				Handle: "threads:shared-1", ConnectionID: pointer("cin_gmail_personal"),
				Stream: "threads", RecordID: "shared-1",
			},
			FieldPath: "subject",
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			name := "fieldwindow/" + test.name
			response := fixture(t, name, "/v1/streams/message_bodies/records/p-msg-005/field-window?field=body_text")
			test.input.Call = given("read_record_field", test.arguments)
			result, err := readWindow(context.Background(), tool.Env{RS: &silent{}}, response, test.input)
			if err != nil {
				t.Fatal(err)
			}
			checkBounds(t, result, render.ChannelCharacters)
			compareResult(t, name, result)
		})
	}
}
