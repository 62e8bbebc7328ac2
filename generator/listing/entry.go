// Package listing writes the texts about the surface that people and models read: the tools/list result, the
// instructions, the reference pages and the README table.
package listing

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/pdppmcp/pdpp-mcp/generator/ordered"
	"github.com/pdppmcp/pdpp-mcp/generator/plan"
	"github.com/pdppmcp/pdpp-mcp/generator/schema"
)

// Entries are the entries of tools/list by the name of the tool, as the SDK serves them.
type Entries map[string]json.RawMessage

// EntriesOf writes the entry of every tool. The SDK sends the members in this order.
func EntriesOf(surface *plan.Plan, schemas map[string]schema.Pair) (Entries, error) {
	entries := Entries{}
	for _, tool := range surface.Tools {
		pair := schemas[tool.Name]
		members := ordered.Object{
			{Name: "annotations", Value: annotations(tool.Title)},
			{Name: "description", Value: tool.Description},
			{Name: "inputSchema", Value: pair.Input},
			{Name: "name", Value: tool.Name},
		}
		if !tool.Output.Unserved {
			members = append(members, ordered.Member{Name: "outputSchema", Value: pair.Output})
		}
		entry, err := ordered.Compact(append(members, ordered.Member{Name: "title", Value: tool.Title}))
		if err != nil {
			return nil, err
		}
		entries[tool.Name] = entry
	}
	return entries, nil
}

// annotations returns the annotations of a tool. All tools only read, and only what was granted (R-SURF-3).
func annotations(title string) ordered.Object {
	return ordered.Object{
		{Name: "destructiveHint", Value: false},
		{Name: "idempotentHint", Value: true},
		{Name: "openWorldHint", Value: false},
		{Name: "readOnlyHint", Value: true},
		{Name: "title", Value: title},
	}
}

// Result returns the tools/list result without white space, its entries sorted by name as the SDK lists them.
func (e Entries) Result() ([]byte, error) { return ordered.Compact(e.result()) }

// Indented returns the result indented, for diffs.
func (e Entries) Indented() ([]byte, error) { return ordered.Indented(e.result()) }

func (e Entries) result() ordered.Object {
	tools := make([]json.RawMessage, 0, len(e))
	for _, name := range slices.Sorted(maps.Keys(e)) {
		tools = append(tools, e[name])
	}
	return ordered.Object{{Name: "tools", Value: tools}}
}
