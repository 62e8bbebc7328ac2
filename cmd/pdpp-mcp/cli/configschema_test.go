package cli

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/invocation"
	"github.com/pdppmcp/pdpp-mcp/golden"
)

// Covers R-OPS-4: the schema that editors use has the settings as the commands have them.
func TestConfigSchema(t *testing.T) {
	schema, err := json.MarshalIndent(configSchema(testRoot()), "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	golden.File(t, "../../../docs/config.schema.json", append(schema, '\n'))
}

// R-OPS-4: an editor that goes by the schema takes the times that the settings take, and refuses the others.
func TestConfigSchemaTakesWhatDurationsTake(t *testing.T) {
	encoded, err := json.Marshal(configSchema(testRoot()))
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

func testRoot() *cobra.Command {
	root, _ := NewRoot(invocation.Terminal{In: io.NopCloser(&bytes.Buffer{}), Out: io.Discard, Err: io.Discard}, "", nil)
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	return root
}

// configSchema returns the JSON Schema of configuration files, for editors: the settings of all commands, from their
// flags.
func configSchema(root *cobra.Command) map[string]any {
	properties := make(map[string]any)
	for name, flag := range invocation.Settings(root) {
		properties[name] = settingSchema(flag)
	}
	return map[string]any{
		"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "Configuration of pdpp-mcp", "type": "object",
		"description": "Flags of the commands and their values. A passed flag wins over its variable, and that over this file.",
		"properties":  properties, "additionalProperties": false,
	}
}

// settingSchema describes one setting. It may change the value of the flag.
func settingSchema(flag *pflag.Flag) map[string]any {
	_, usage := pflag.UnquoteUsage(flag)
	description, _, _ := strings.Cut(usage, " [$")
	schema := map[string]any{"description": description}
	one := "string"
	switch flag.Value.Type() {
	case "bool":
		one = "boolean"
	case "int":
		one = "integer"
	case "float64":
		one = "number"
	case "duration":
		addDuration(schema, flag)
		return schema
	}
	choice, isChoice := flag.Value.(*invocation.Choice)
	_, isList := flag.Value.(pflag.SliceValue)
	switch {
	case isList:
		schema["anyOf"] = []any{
			map[string]any{"type": one},
			map[string]any{"type": "array", "items": map[string]any{"type": one}},
		}
	case isChoice:
		schema["enum"] = slices.Clone(choice.Words)
	default:
		schema["type"] = one
	}
	return schema
}

// durationPattern matches what time.ParseDuration accepts, except negative durations.
const durationPattern = `^\+?(0|(([0-9]+\.?[0-9]*|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h))+)$`

// addDuration says what a setting of type duration takes: a text, and where 0 has a meaning that too, which YAML takes
// for a number.
func addDuration(schema map[string]any, flag *pflag.Flag) {
	text := map[string]any{"type": "string", "pattern": durationPattern}
	schema["examples"] = []string{"15s"}
	if flag.Value.Set("0s") != nil {
		text["not"] = map[string]any{"pattern": "^[^1-9]*$"}
		maps.Copy(schema, text)
		return
	}
	schema["anyOf"] = []any{text, map[string]any{"const": 0}}
}
