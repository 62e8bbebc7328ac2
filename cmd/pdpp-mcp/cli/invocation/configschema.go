package invocation

import (
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// ConfigSchema returns the JSON Schema of configuration files, for editors: the settings of all commands, from their flags.
func ConfigSchema(root *cobra.Command) map[string]any {
	properties := make(map[string]any)
	for name, flag := range Settings(root) {
		properties[name] = settingSchema(flag)
	}
	return map[string]any{
		"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "Configuration of pdpp-mcp", "type": "object",
		"description": "Flags of the commands and their values. A passed flag wins over its variable, and that over this file.",
		"properties":  properties, "additionalProperties": false,
	}
}

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
	choice, isChoice := flag.Value.(*Choice)
	_, isList := flag.Value.(pflag.SliceValue)
	switch {
	case isList:
		schema["anyOf"] = []any{map[string]any{"type": one}, map[string]any{"type": "array", "items": map[string]any{"type": one}}}
	case isChoice:
		schema["enum"] = slices.Clone(choice.Words)
	default:
		schema["type"] = one
	}
	return schema
}

// durationPattern is what time.ParseDuration takes but for negative ones, which no setting does.
const durationPattern = `^\+?(0|(([0-9]+\.?[0-9]*|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h))+)$`

// addDuration says what a setting of type duration takes: a text, and where 0 has a meaning that too, which YAML takes for a number.
func addDuration(schema map[string]any, flag *pflag.Flag) {
	text := map[string]any{"type": "string", "pattern": durationPattern}
	schema["examples"] = []string{"15s"}
	if timeout, ok := flag.Value.(*duration); ok && !timeout.takesZero {
		text["not"] = map[string]any{"pattern": "^[^1-9]*$"}
		maps.Copy(schema, text)
		return
	}
	schema["anyOf"] = []any{text, map[string]any{"const": 0}}
}
