// Package listing writes the texts about the surface that people and models read: the tools/list result, the
// instructions, the reference pages and the README table.
package listing

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/pdppmcp/pdpp-mcp/generator/ordered"
	"github.com/pdppmcp/pdpp-mcp/generator/schema"
	"github.com/pdppmcp/pdpp-mcp/toolspec"
)

// Entries are the entries of tools/list by the name of the tool, as the SDK serves them.
type Entries map[string]json.RawMessage

// entry is an entry of tools/list. The SDK sends the members in this order.
type entry struct {
	Annotations  annotations    `json:"annotations"`
	Description  string         `json:"description"`
	InputSchema  schema.Schema  `json:"inputSchema"`
	Name         string         `json:"name"`
	OutputSchema *schema.Schema `json:"outputSchema,omitzero"`
	Title        string         `json:"title"`
}

type annotations struct {
	Destructive bool   `json:"destructiveHint"`
	Idempotent  bool   `json:"idempotentHint"`
	OpenWorld   bool   `json:"openWorldHint"`
	ReadOnly    bool   `json:"readOnlyHint"`
	Title       string `json:"title"`
}

// EntriesOf writes the entry of every tool. All tools only read, and only what was granted (R-SURF-3).
func EntriesOf(surface *toolspec.Surface) Entries {
	entries := Entries{}
	for _, tool := range surface.Tools {
		listed := entry{
			Annotations: annotations{Idempotent: true, ReadOnly: true, Title: tool.Title},
			Description: tool.Description,
			InputSchema: schema.Input(tool),
			Name:        tool.Name,
			Title:       tool.Title,
		}
		if !tool.Structured.Unserved {
			served := schema.Output(tool.Structured)
			listed.OutputSchema = &served
		}
		entries[tool.Name] = ordered.Compact(listed)
	}
	return entries
}

// Result returns the tools/list result without white space, its entries sorted by name as the SDK lists them.
func (e Entries) Result() []byte { return ordered.Compact(e.result()) }

// Indented returns the result indented, for diffs.
func (e Entries) Indented() []byte { return ordered.Indented(e.result()) }

func (e Entries) result() map[string][]json.RawMessage {
	tools := make([]json.RawMessage, 0, len(e))
	for _, name := range slices.Sorted(maps.Keys(e)) {
		tools = append(tools, e[name])
	}
	return map[string][]json.RawMessage{"tools": tools}
}
