package cli

import (
	"encoding/json"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/invocation"
	"github.com/pdppmcp/pdpp-mcp/golden"
)

// Covers R-OPS-4: the schema that editors use has the settings as the commands have them.
func TestConfigSchema(t *testing.T) {
	schema, err := json.MarshalIndent(invocation.ConfigSchema(testRoot()), "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	golden.File(t, "../../../docs/config.schema.json", append(schema, '\n'))
}

// R-OPS-4: an editor that goes by the schema takes the times that the settings take, and refuses the others.
func TestConfigSchemaTakesWhatDurationsTake(t *testing.T) {
	encoded, err := json.Marshal(invocation.ConfigSchema(testRoot()))
	if err != nil {
		t.Fatal(err)
	}
	var schema jsonschema.Schema
	if err := json.Unmarshal(encoded, &schema); err != nil {
		t.Fatal(err)
	}
	resolved, err := schema.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	tried := 0
	for name, flag := range invocation.Settings(testRoot()) {
		if flag.Value.Type() != "duration" {
			continue
		}
		for _, text := range []string{
			"0", "0s", "0m0s", "15s", "1h30m", "1.5s", ".5s", "2.s", "+5s", "10µs", "10μs", "7ns",
			"", "5", "s", ".s", "1.2.3s", "5 s", "5d", "soon", "s5", "00",
		} {
			tried++
			takes := flag.Value.Set(text) == nil
			if allows := resolved.Validate(map[string]any{name: text}) == nil; allows != takes {
				t.Errorf("%s: %q is taken: %t, and allowed by the schema: %t", name, text, takes, allows)
			}
		}
		takes := flag.Value.Set("0") == nil // as the number is written in YAML
		if allows := resolved.Validate(map[string]any{name: 0}) == nil; allows != takes {
			t.Errorf("%s: the number 0 is taken: %t, and allowed by the schema: %t", name, takes, allows)
		}
		if resolved.Validate(map[string]any{name: "-5s"}) == nil {
			t.Errorf("%s: a negative time is allowed by the schema", name)
		}
	}
	if tried == 0 {
		t.Error("no setting is a time")
	}
}
