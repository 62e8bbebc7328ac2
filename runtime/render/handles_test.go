package render_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/pdppmcp/pdpp-mcp/e2e/journey/blind"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/recordid"
	"github.com/pdppmcp/pdpp-mcp/runtime/read/scan"
	"github.com/pdppmcp/pdpp-mcp/runtime/render"
)

// anyHandle draws every kind of handle: with compound keys, quotes, spaces, other alphabets, HTML and line separators.
var anyHandle = rapid.Custom(func(t *rapid.T) recordid.Handle {
	piece := rapid.SampledFrom([]string{
		"a", "user_123", `"`, " ", "é", "😀", "ß", "<b>", "&", ":", ",", "[", "]",
		"\u2028", "'", "=", "2026-04-01", `\`, "..", "%2F", "٣",
	})
	part := func(label string, most int) string {
		return strings.Join(rapid.SliceOfN(piece, 1, most).Draw(t, label), "")
	}
	key := part("record", 5)
	if rapid.Bool().Draw(t, "compound") {
		encoded, _ := json.Marshal([]string{key, part("second", 3)})
		key = string(encoded)
	}
	handle := recordid.Handle{Stream: strings.ReplaceAll(part("stream", 3), ":", "_"), RecordID: key}
	if rapid.Bool().Draw(t, "connected") {
		handle.ConnectionID = strings.ReplaceAll(part("connection", 3), ":", "_")
	}
	return handle
}).Filter(recordid.Handle.CanFormat)

// R-HAND-1, R-HAND-2, R-BUD-1: an id is byte-exact in both channels of every list, and in the calls.
func TestHandlesAreByteExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		handle := anyHandle.Draw(t, "handle")
		row, err := json.Marshal(map[string]any{
			"id": handle.RecordID, "record_key": handle.RecordID, "stream": handle.Stream, "connection_id": handle.ConnectionID,
			"data": map[string]any{"body": strings.Repeat("word ", 2_000)}, "snippet": "a word",
		})
		if err != nil {
			t.Fatal(err)
		}
		body := `{"object":"list","data":[` + string(row) + `]}`
		records, err1 := runRecords(context.Background(), env, responded("/v1/streams/s/records", body),
			scan.RowsInput{Stream: handle.Stream})
		search, err2 := runSearch(context.Background(), env, responded("/v1/search?q=word", body), scan.HitsInput{})
		if err := errors.Join(err1, err2); err != nil {
			t.Fatal(err)
		}
		var shown struct {
			Data    struct{ Data []struct{ Handle string } }
			Results []shownHit
		}
		if err := errors.Join(json.Unmarshal(records.Structured, &shown),
			json.Unmarshal(search.Structured, &shown)); err != nil {
			t.Fatal(err)
		}
		want := handle.String()
		if len(shown.Data.Data) != 1 || shown.Data.Data[0].Handle != want || shown.Results[0].ID != want {
			t.Fatalf("structured output has %q and %q, want %q", shown.Data, shown.Results[0].ID, want)
		}
		page, err1 := blind.Text{}.Page(records.Text)
		hits, err2 := blind.Text{}.Hits(search.Text)
		if err := errors.Join(err1, err2); err != nil {
			t.Fatal(err)
		}
		if page.Rows[0].ID != want || !slices.Equal(hits.IDs(), []string{want}) {
			t.Fatalf("text has the ids %q and %q, want %q", page.Rows[0].ID, hits.IDs(), want)
		}
		if passed := string(mustQuote(want)); !strings.Contains(search.Text, `{"id":`+passed) {
			t.Fatalf("no call has %s:\n%s", passed, search.Text)
		}
		if again, err := recordid.Parse(want); err != nil || again != handle {
			t.Fatalf("%q is read as %+v: %v", want, again, err)
		}
	})
}

// R-HAND-1, R-SEARCH-4: a connection that an id cannot hold is shown next to it and passed in the calls. Otherwise it
// is not repeated.
func TestConnectionNextToTheID(t *testing.T) {
	for connectionID, want := range map[string]string{
		"cin_1": `["cin_1/s:1","s"]`,
		"cin:1": `["s:1","cin:1"]`,
	} {
		hit, text := foundHit(t, map[string]any{"stream": "s", "record_key": "1", "connection_id": connectionID})
		if !strings.Contains(text, want) {
			t.Errorf("text lacks %s:\n%s", want, text)
		}
		arguments := fmt.Sprintf(`{"id":%q}`, hit.ID)
		if hit.ID == "s:1" {
			arguments = `{"id":"s:1","connection_id":"cin:1"}`
		}
		has(t, textCalls(t, text, "next"), "fetch", arguments)
	}
}

// mustQuote returns a JSON string without HTML escapes, as texts have it.
func mustQuote(text string) []byte {
	var out strings.Builder
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(text); err != nil {
		panic(err)
	}
	return []byte(strings.TrimSuffix(out.String(), "\n"))
}

// R-SEARCH-5, R-FETCH-5: the address of a hit is absolute, and the source's own if it has one.
func TestHitAddresses(t *testing.T) {
	for _, test := range []struct {
		members map[string]any
		want    string
	}{
		{
			map[string]any{"stream": "s", "record_key": `["a b","é"]`, "connection_id": "c&d"},
			provider + "/v1/streams/s/records/%5B%22a%20b%22%2C%22%C3%A9%22%5D?connection_id=c%26d",
		},
		{
			map[string]any{"stream": "s", "record_key": "1", "record_url": "/v1/streams/s/records/1"},
			provider + "/v1/streams/s/records/1",
		},
		{
			map[string]any{"stream": "s", "record_key": "1", "data": map[string]any{"html_url": "https://forge.example.com/1"}},
			"https://forge.example.com/1",
		},
		{
			map[string]any{
				"stream": "s", "record_key": "1",
				"data": map[string]any{"url": "/relative", "permalink": "javascript:alert(1)"},
			},
			provider + "/v1/streams/s/records/1",
		},
		{map[string]any{"stream": "s", "record_key": "1", "url": "pdpp://record/x"}, provider + "/v1/streams/s/records/1"},
		{map[string]any{"id": "https://example.com/page"}, "https://example.com/page"},
		{map[string]any{"record_url": "/v1/pages/7"}, provider + "/v1/pages/7"},
		{map[string]any{"record_url": "//elsewhere.example.com/7"}, provider + "//elsewhere.example.com/7"},
		{map[string]any{"title": "names no record"}, ""},
	} {
		if hit, _ := foundHit(t, test.members); hit.URL != test.want {
			t.Errorf("%v has the address %q, want %q", test.members, hit.URL, test.want)
		}
	}
}

// R-SEARCH-10: resource URIs at any place of an answer are in _meta only.
func TestResourceURIsAnywhere(t *testing.T) {
	token := "pdpp://record/" +
		"eyJ2IjoxLCJraW5kIjoicmVjb3JkIiwiY29ubmVjdGlvbl9pZCI6ImNpbl9hIiwic3RyZWFtIjoibm90ZXMiLCJyZWNvcmRfaWQiOiJuMSJ9"
	window := "pdpp://field-window/abc"
	hits := []string{
		`{"record_uri":"` + token + `","snippet":"a word"}`,
		`{"id":"` + token + `","title":"` + token + `"}`,
		`{"stream":"notes","record_key":"n1","url":"` + token + `","uri":"` + token + `","nested":[[{"a":"` +
			window + `"}]]}`,
		`{"stream":"notes","record_key":"n1","snippet":"see ` + token +
			` for a word","match_windows":[{"field":"body","text":"word ` + window + `","uri":"` + window + `"}]}`,
		`{"stream":"notes","record_key":"n1","display_name":"` + token + `","data":{"subject":"` + token + `"}}`,
	}
	for _, shape := range []string{
		`{"data":[%]}`, `{"results":[%]}`, `{"data":{"hits":[%],"resource":"` + token + `"}}`,
		`{"data":[%],"links":{"self":"` + window + `"},"meta":{"uris":["` + token + `"]}}`,
	} {
		for _, hit := range hits {
			body := strings.Replace(shape, "%", hit, 1)
			result, err := runSearch(context.Background(), env, responded("/v1/search?q=word", body), scan.HitsInput{})
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(result.Text+string(result.Structured), "pdpp://") {
				t.Errorf("%s\nis shown as\n%s\n%s", body, result.Text, result.Structured)
			}
			if !strings.Contains(string(result.Meta[render.ResourceURIs]), "pdpp://") {
				t.Errorf("%s: _meta has %s", body, result.Meta)
			}
			if !strings.Contains(result.Text, "notes:n1\"") {
				t.Errorf("%s: no handle in %s", body, result.Text)
			}
		}
	}
}
