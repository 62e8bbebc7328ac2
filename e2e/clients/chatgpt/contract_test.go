// Package chatgpt_test checks search and fetch against ChatGPT's contract for connectors and deep research, whose
// schemas are in testdata.
package chatgpt_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// contract returns a schema of testdata.
func contract(t *testing.T, name string) *jsonschema.Resolved {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("testdata", name+".schema.json"))
	if err != nil {
		t.Fatal(err)
	}
	var schema jsonschema.Schema
	if err := json.Unmarshal(content, &schema); err != nil {
		t.Fatal(err)
	}
	resolved, err := schema.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	return resolved
}

// decode checks JSON against a schema, and decodes it.
func decode(t *testing.T, schema *jsonschema.Resolved, content, into any) {
	t.Helper()
	encoded, err := json.Marshal(content)
	if err != nil {
		t.Fatal(err)
	}
	var instance any
	if err := json.Unmarshal(encoded, &instance); err != nil {
		t.Fatal(err)
	}
	if err := schema.Validate(instance); err != nil {
		t.Errorf("%s breaks the contract: %v", encoded, err)
	}
	if err := json.Unmarshal(encoded, into); err != nil {
		t.Fatal(err)
	}
}

type found struct {
	Results []struct{ ID, Title, URL string } `json:"results"`
}

type document struct{ ID, Title, Text, URL string }

// R-SEARCH-5, R-HAND-2, R-FETCH-1: an id goes from search to fetch unchanged, with a new session for each call, and
// both results fit the contract. ChatGPT calls the argument of search query.
func TestSearchAndFetch(t *testing.T) {
	server := newServer(t)
	for _, argument := range []string{"q", "query"} {
		result := server.call(t, "search", map[string]any{argument: "overdraft", "limit": 3})
		var hits found
		decode(t, contract(t, "search"), result.StructuredContent, &hits)
		if len(hits.Results) != 3 {
			t.Fatalf("%s: %d results, want 3", argument, len(hits.Results))
		}
		for _, hit := range hits.Results {
			fetched := server.call(t, "fetch", map[string]any{"id": hit.ID})
			var read, shown document
			decode(t, contract(t, "fetch"), fetched.StructuredContent, &read)
			if read.ID != hit.ID || read.URL != hit.URL {
				t.Errorf("fetch of %+v gives id %q and url %q", hit, read.ID, read.URL)
			}
			decode(t, contract(t, "fetch"), json.RawMessage(textOf(t, fetched)), &shown)
			if shown != read {
				t.Errorf("the text of %s is another document than the structured content", hit.ID)
			}
		}
	}
	for _, request := range server.provider.Take() {
		if request.Bearer != "everything" && request.Bearer != "" { // introspection sends none
			t.Errorf("%s was asked with the bearer %q", request.URI, request.Bearer)
		}
	}
}

// R-SEARCH-5: a search without hits returns an empty list, not an error.
func TestSearchWithoutHits(t *testing.T) {
	var hits found
	decode(t, contract(t, "search"), newServer(t).call(t, "search", map[string]any{"query": "zyxwvut"}).StructuredContent, &hits)
	if hits.Results == nil || len(hits.Results) > 0 {
		t.Errorf("results are %v, want an empty list", hits.Results)
	}
}

// R-SEARCH-2: the text of search is for readers of text, handle first, and not the JSON that the contract repeats
// there. A client that reads results from the text alone finds none; docs/clients.md says so.
func TestTextOfSearchIsNotTheContract(t *testing.T) {
	text := textOf(t, newServer(t).call(t, "search", map[string]any{"query": "overdraft"}))
	if json.Valid([]byte(text)) {
		t.Errorf("the text of search is JSON now: hold it to the contract too, and change docs/clients.md:\n%s", text)
	}
}

// R-SURF-3: ChatGPT asks people to confirm each call of a tool that is not marked as read-only.
func TestToolsAreReadOnly(t *testing.T) {
	listed, err := newServer(t).session(t).ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, advertised := range listed.Tools {
		if advertised.Annotations == nil || !advertised.Annotations.ReadOnlyHint {
			t.Errorf("%s has no readOnlyHint", advertised.Name)
		}
	}
}

// textOf returns the only text of a result.
func textOf(t *testing.T, result *mcp.CallToolResult) string {
	t.Helper()
	if len(result.Content) != 1 {
		t.Fatalf("%d content items, want one", len(result.Content))
	}
	text, isText := result.Content[0].(*mcp.TextContent)
	if !isText {
		t.Fatalf("content is %T, want a text", result.Content[0])
	}
	return text.Text
}
