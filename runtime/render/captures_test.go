package render_test

import (
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/pdppmcp/pdpp-mcp/e2e/journey/blind"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/recordid"
	"github.com/pdppmcp/pdpp-mcp/runtime/render"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// R-BUD-1, R-BUD-2, R-QRY-1, R-QRY-2, R-AGG-3, R-SEARCH-6, R-HAND-8, R-ERR-1: the answers of a real server as a model
// sees them. Each success has its handles in text and continuations that the tools accept; each refusal keeps its
// envelope.
func TestCapturedReads(t *testing.T) {
	shown := map[string]int{}
	for _, capture := range captures(t) {
		t.Run(capture.name, func(t *testing.T) {
			response, err := capture.read(t)
			if err != nil {
				checkRefusal(t, capture, tool.Failed(err))
				shown["refused"]++
				return
			}
			renderer := capture.renderer()
			if renderer == nil {
				return
			}
			result, err := renderer.run(response, nil)
			if err != nil {
				t.Fatal(err)
			}
			shown[renderer.tool]++
			checkResult(t, renderer, result)
			checkHandles(t, capture, result)
			checkEnvelope(t, capture, renderer, result)
		})
	}
	for _, renderer := range renderers {
		if shown[renderer.tool] < 5 {
			t.Errorf("only %d captures of %s", shown[renderer.tool], renderer.tool)
		}
	}
	if shown["refused"] < 50 {
		t.Errorf("only %d refusals", shown["refused"])
	}
}

// checkResult checks what holds for every result.
func checkResult(t *testing.T, renderer *rendered, result *tool.Result) {
	t.Helper()
	checkBounds(t, result, renderer.bound)
	checkOutputSchema(t, renderer.tool, result.Structured)
	for _, call := range allCalls(t, renderer.tool, result) {
		checkCall(t, call)
	}
	if renderer.tool == "fetch" {
		checkDocument(t, result)
	}
	if renderer.tool == "search" {
		checkURLs(t, result)
	}
}

// checkRefusal checks that both channels have the envelope, and not the bearer.
func checkRefusal(t *testing.T, capture capture, result *tool.Result) {
	t.Helper()
	checkBounds(t, result, render.TextCharacters)
	checkOutputSchema(t, "query_records", result.Structured)
	var structured struct {
		Error      json.RawMessage `json:"error"`
		HTTPStatus int             `json:"http_status"`
	}
	if err := json.Unmarshal(result.Structured, &structured); err != nil || !result.IsError {
		t.Fatalf("error %t: %v", result.IsError, err)
	}
	if result.Text != string(structured.Error) {
		t.Error("text is not the error object")
	}
	var sent struct {
		Error json.RawMessage `json:"error"`
	}
	if err := json.Unmarshal([]byte(capture.body), &sent); err != nil {
		t.Fatal(err)
	}
	if sent.Error[0] != '{' { // a framework's shape is the object itself
		sent.Error = json.RawMessage(capture.body)
	}
	want, got := map[string]json.RawMessage{}, map[string]json.RawMessage{}
	if err := errors.Join(json.Unmarshal(sent.Error, &want), json.Unmarshal(structured.Error, &got)); err != nil {
		t.Fatal(err)
	}
	if signIn := result.Meta["dev.pdpp/sign_in"]; signIn != nil { // a name was wrong and not the login (R-ERR-7)
		if err := json.Unmarshal(signIn, &got); err != nil || !strings.HasPrefix(string(want["code"]), `"context.`) {
			t.Errorf("%s became %s, %v", want["code"], signIn, err)
		}
	}
	for name, value := range want {
		if !sameJSON(value, got[name]) {
			t.Errorf("%s: %s became %s", name, value, got[name])
		}
	}
	for _, name := range []string{"type", "code", "message", "hint"} {
		if len(got[name]) < 3 {
			t.Errorf("no %s in %s", name, result.Text)
		}
	}
	if strings.Contains(string(result.Structured), "token_of_a_test_3fKq9") {
		t.Error("shows the bearer")
	}
}

func sameJSON(a, b json.RawMessage) bool {
	var left, right any
	if json.Unmarshal(a, &left) != nil || json.Unmarshal(b, &right) != nil {
		return false
	}
	first, _ := json.Marshal(left)
	second, _ := json.Marshal(right)
	return string(first) == string(second)
}

// checkHandles checks that the text has the ids, cursors, counts and warnings of a list.
func checkHandles(t *testing.T, capture capture, result *tool.Result) {
	t.Helper()
	var page struct {
		Object           string
		NextCursor       string `json:"next_cursor"`
		NextChangesSince string `json:"next_changes_since"`
		Data             json.RawMessage
		Meta             struct {
			Count    json.RawMessage
			Warnings []struct{ Code string }
		}
	}
	if err := json.Unmarshal([]byte(capture.body), &page); err != nil {
		t.Fatal(err)
	}
	var rows []struct {
		ID           string
		RecordKey    string `json:"record_key"`
		Stream       string
		ConnectionID string `json:"connection_id"`
	}
	if page.Object == "list" {
		if err := json.Unmarshal(page.Data, &rows); err != nil {
			t.Fatal(err)
		}
	}
	leftOut := strings.Contains(result.Text, `"cursor":"place.`)
	wanted := []string{}
	for _, row := range rows {
		if !leftOut {
			handle := recordid.Handle{ConnectionID: row.ConnectionID, Stream: row.Stream, RecordID: row.ID + row.RecordKey}
			if handle.ID() == "" {
				t.Errorf("%+v has no handle (R-HAND-9)", handle)
			}
			wanted = append(wanted, handle.ID())
		}
	}
	if !leftOut {
		wanted = append(wanted, page.NextCursor, page.NextChangesSince)
	}
	for _, warning := range page.Meta.Warnings {
		wanted = append(wanted, warning.Code)
	}
	for _, handle := range wanted {
		if handle == "" {
			continue
		}
		quoted, _ := json.Marshal(handle)
		inText := slices.ContainsFunc([]string{"=", "\n[", `{"handle":`, `"cursor":`, `"changes_since":`},
			func(before string) bool {
				return strings.Contains(result.Text, before+string(quoted))
			})
		if !inText || !strings.Contains(string(result.Structured), string(quoted)) {
			t.Errorf("%s is not in both channels", handle)
		}
	}
}

// checkEnvelope checks that structured.data is what the server sent, and a window too, unless its range is longer than
// its text (TestCapturedWindows).
func checkEnvelope(t *testing.T, capture capture, renderer *rendered, result *tool.Result) {
	t.Helper()
	var structured struct {
		Data, Window json.RawMessage
		ProviderURL  string `json:"provider_url"`
	}
	if err := json.Unmarshal(result.Structured, &structured); err != nil {
		t.Fatal(err)
	}
	if structured.ProviderURL != provider && renderer.tool != "fetch" {
		t.Errorf("provider_url is %q", structured.ProviderURL) // R-ERR-8
	}
	switch renderer.tool {
	case "query_records":
		checkRows(t, capture.body, result)
	case "aggregate":
		checkInformative(t, capture.body, structured.Data, "object", "links", "approximate", "meta")
	case "search":
		checkInformative(t, capture.body, structured.Data, "object", "data", "url", "links", "has_more",
			"next_cursor", "meta")
	case "read_record_field":
		var sent struct{ Window json.RawMessage }
		var window struct {
			Text  string `json:"text"`
			Start int    `json:"start_chars"`
			End   int    `json:"end_chars"`
		}
		if err := errors.Join(json.Unmarshal([]byte(capture.body), &sent), json.Unmarshal(sent.Window, &window)); err != nil {
			t.Fatal(err)
		}
		if utf8.RuneCountInString(window.Text) == window.End-window.Start && !sameJSON(structured.Window, sent.Window) {
			t.Errorf("window is not what was sent: %s", structured.Window)
		}
	}
}

// checkInformative checks that an object has every informative member that was sent, except some names (R-BUD-7).
func checkInformative(t *testing.T, sent string, shown json.RawMessage, save ...string) {
	t.Helper()
	var want, got map[string]json.RawMessage
	if err := errors.Join(json.Unmarshal([]byte(sent), &want), json.Unmarshal(shown, &got)); err != nil {
		t.Fatal(err)
	}
	for name, value := range want {
		if string(value) != "null" && !slices.Contains(save, name) && !sameJSON(value, got[name]) {
			t.Errorf("%s was sent as %s and is shown as %s", name, value, got[name])
		}
		if slices.Contains([]string{"links", "url"}, name) && got[name] != nil {
			t.Errorf("%s is shown: %s", name, got[name])
		}
	}
}

// checkRows checks that both channels have the rows that were sent, each with its fields and the members of its
// wrapper: in the row, or once for the stream and for the connection with which its handle begins (R-BUD-5, R-BUD-7).
func checkRows(t *testing.T, body string, result *tool.Result) {
	t.Helper()
	var sent struct{ Data []map[string]json.RawMessage }
	var shown struct {
		Stream      json.RawMessage
		Connections map[string]map[string]json.RawMessage
		Data        struct{ Data []map[string]json.RawMessage }
	}
	if err := errors.Join(json.Unmarshal([]byte(body), &sent), json.Unmarshal(result.Structured, &shown)); err != nil {
		t.Fatal(err)
	}
	text, err1 := blind.Text{}.Page(result.Text)
	structured, err2 := blind.Structured{}.Page(string(result.Structured))
	if err := errors.Join(err1, err2); err != nil {
		t.Fatalf("%v:\n%s", err, result.Text)
	}
	if diff := cmp.Diff(structured.Rows, text.Rows, asTexts); diff != "" {
		t.Errorf("the rows differ (-structured +text):\n%s", diff)
	}
	for i, row := range shown.Data.Data {
		var handle string
		_ = json.Unmarshal(row["handle"], &handle)
		connection, _, _ := strings.Cut(handle, "/")
		if own := rawjson.TextOf(row["connection_id"]); own != "" { // the handle is a URI
			connection = own
		}
		around := maps.Clone(shown.Connections[connection])
		if around != nil {
			around["stream"], around["connection_id"] = shown.Stream, rawjson.Quote(connection)
		}
		for name, value := range sent.Data[i] {
			switch {
			case name == "connector_instance_id" || name == "object" || string(value) == "null" || name == "expanded":
			case row[name] == nil && around[name] == nil:
				t.Errorf("row %d lacks %s", i, name)
			case !sameJSON(blobNamed(value), row[name]) && !sameJSON(value, around[name]):
				t.Errorf("row %d has %s as %s, sent as %s", i, name, row[name], value)
			}
		}
	}
}

// blobNamed returns the data of a record with the name of a blob in place of its reference.
func blobNamed(data json.RawMessage) json.RawMessage {
	var fields map[string]json.RawMessage
	if json.Unmarshal(data, &fields) != nil || fields["blob_ref"] == nil {
		return data
	}
	fields["blob_ref"] = blind.BlobNamed(fields["blob_ref"])
	named, _ := json.Marshal(fields)
	return named
}

// checkURLs checks that the address of every hit is absolute (R-FETCH-5).
func checkURLs(t *testing.T, result *tool.Result) {
	t.Helper()
	var hits struct {
		Results []struct{ ID, URL string }
	}
	if err := json.Unmarshal(result.Structured, &hits); err != nil {
		t.Fatal(err)
	}
	for _, hit := range hits.Results {
		if !strings.HasPrefix(hit.URL, provider+"/v1/streams/") {
			t.Errorf("%s has the address %q", hit.ID, hit.URL)
		}
	}
}
