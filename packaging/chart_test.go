package packaging_test

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/golden"
)

// Covers R-OPS-4: the chart's values hold the server's configuration file under the names of its schema, but for what
// the chart sets itself and what `serve` does not use. A secret has no name there.
func TestChartKnowsTheConfiguration(t *testing.T) {
	settings := decode(t, "../docs/config.schema.json")["properties"].(map[string]any)
	for _, name := range []string{
		"listen", "metrics-listen", "introspection-client-secret-file", // templates/configmap.yaml
		"cache-root", "grant-id", "access-token-file",
	} {
		if settings[name] == nil {
			t.Errorf("there is no setting %s to leave out", name)
		}
		delete(settings, name)
	}
	// Other commands read several providers.
	settings["provider-url"] = map[string]any{
		"type":        "string",
		"description": "origin of the PDPP provider, such as https://pdpp.example (required)",
	}
	const file = "chart/values.schema.json"
	values := decode(t, file)
	values["properties"].(map[string]any)["config"].(map[string]any)["properties"] = settings
	written, err := json.MarshalIndent(values, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	golden.File(t, file, append(written, '\n'))
}

func decode(t *testing.T, path string) (object map[string]any) {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(content, &object); err != nil {
		t.Fatal(err)
	}
	return object
}
