package page_test

import (
	"encoding/json"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/pdppmcp/pdpp-mcp/golden"
	"github.com/pdppmcp/pdpp-mcp/runtime/server/page"
)

// discovery are the two documents and the schemas that are written from the notes on the drafts.
var discovery = []struct{ path, media, schema string }{
	{"/mcp/server-card", "application/mcp-server-card+json", "testdata/server-card.schema.json"},
	{"/.well-known/ai-catalog.json", "application/ai-catalog+json", "testdata/ai-catalog.schema.json"},
}

func TestCardGolden(t *testing.T) { // R-MCP-2
	golden.File(t, "testdata/server-card.json", get(routes(options()), "/mcp/server-card").Body.Bytes())
	golden.File(t, "testdata/ai-catalog.json", get(routes(options()), "/.well-known/ai-catalog.json").Body.Bytes())
}

// R-MCP-2: both documents have the form of the drafts, for every kind of origin and version.
func TestCardsFitTheirSchemas(t *testing.T) {
	for _, origin := range []string{
		publicOrigin, "http://127.0.0.1:8080", "https://[2001:db8::1]:8443",
		"https://Data.Example.org",
	} {
		for _, version := range []string{"v1.2.3", "", "(devel)", "v0.0.0-20261122150000-abcdef123456+dirty"} {
			changed := withOrigin(origin)
			changed.Version = version
			for _, each := range discovery {
				answer := get(routes(changed), each.path)
				if media := answer.Header().Get("Content-Type"); answer.Code != http.StatusOK || media != each.media {
					t.Errorf("%s is %d %s", each.path, answer.Code, media)
				}
				if err := schemaOf(t, each.schema).Validate(decoded(t, answer.Body.Bytes())); err != nil {
					t.Errorf("%s at %s in version %q: %v\n%s", each.path, origin, version, err, answer.Body)
				}
			}
		}
	}
}

// The schemas refuse invalid documents.
func TestCardSchemasCanFail(t *testing.T) {
	card := get(routes(options()), "/mcp/server-card").Body.String()
	for name, change := range map[string][2]string{
		"two slashes": {"pdppmcp/pdpp-mcp\",\"version", "pdppmcp/pdpp/mcp\",\"version"},
		"a range":     {`"version":"1.2.3"`, `"version":"^1.2.3"`},
		"no remote":   {`"streamable-http"`, `"stdio"`},
		"tools":       {`"title"`, `"tools":[],"title"`},
		"description": {`"description":"`, `"description":"` + strings.Repeat("x", 100)},
	} {
		changed := strings.Replace(card, change[0], change[1], 1)
		if changed == card || schemaOf(t, discovery[0].schema).Validate(decoded(t, []byte(changed))) == nil {
			t.Errorf("%s passes", name)
		}
	}
}

// R-MCP-2: the card says of the program what the registry says of it, and the index leads to it.
func TestCardIsTheRegistrysEntry(t *testing.T) {
	text, err := os.ReadFile("../../../packaging/registry/server.json")
	if err != nil {
		t.Fatal(err)
	}
	entry, _ := decoded(t, text).(map[string]any)
	card, _ := decoded(t, get(routes(options()), "/mcp/server-card").Body.Bytes()).(map[string]any)
	for _, name := range []string{"name", "title", "description"} {
		if entry[name] != card[name] || card[name] == nil {
			t.Errorf("%s is %v in the card, %v in the registry", name, card[name], entry[name])
		}
	}
	index := get(routes(options()), "/").Body.String()
	for _, each := range discovery {
		if !strings.Contains(index, `"`+publicOrigin+each.path+`"`) || !slices.Contains(page.Paths(), each.path) {
			t.Errorf("the index or the paths lack %s:\n%s", each.path, index)
		}
	}
}

// The title is the operator's name of the server, if set.
func TestCardTitle(t *testing.T) { // R-MCP-2
	for name, want := range map[string]string{
		"pdpp-mcp": "PDPP personal data", "": "PDPP personal data",
		"Data of\nAcme": "Data of Acme", strings.Repeat("x", 101): "PDPP personal data",
	} {
		changed := options()
		changed.Name = name
		card, _ := decoded(t, get(routes(changed), "/mcp/server-card").Body.Bytes()).(map[string]any)
		if card["title"] != want {
			t.Errorf("%q has the title %q, want %q", name, card["title"], want)
		}
	}
}

func schemaOf(t *testing.T, file string) *jsonschema.Resolved {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var schema jsonschema.Schema
	if err := json.Unmarshal(text, &schema); err != nil {
		t.Fatal(err)
	}
	resolved, err := schema.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	return resolved
}

func decoded(t *testing.T, text []byte) any {
	t.Helper()
	var value any
	if err := json.Unmarshal(text, &value); err != nil {
		t.Fatal(err)
	}
	return value
}
