package golden_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/tiktoken-go/tokenizer"

	"github.com/pdppmcp/pdpp-mcp/gen"
	"github.com/pdppmcp/pdpp-mcp/generator/listing"
	"github.com/pdppmcp/pdpp-mcp/generator/schema"
)

// R-FOOT-1, R-INSTR-4: the live payload equals the golden, byte for byte, in every revision, and does not
// depend on a resource server.
func TestLivePayloadIsTheGolden(t *testing.T) {
	want := string(compact(t, readFile(t, "tools_list.json")))
	for _, revision := range []string{oldRevision, newRevision} {
		t.Run(revision, func(t *testing.T) {
			if diff := cmp.Diff(want, resultOf(t, liveList(t, revision))); diff != "" {
				t.Errorf("payload (-golden +live):\n%s", diff)
			}
		})
	}
}

// R-MCP-1, R-INSTR-4: prompts/list is the golden in every revision, and does not depend on a resource server either.
func TestLivePromptsAreTheGolden(t *testing.T) {
	want := string(compact(t, readFile(t, "prompts_list.json")))
	for _, revision := range []string{oldRevision, newRevision} {
		t.Run(revision, func(t *testing.T) {
			session := connect(t, revision)
			session.greet()
			var result struct{ Prompts json.RawMessage }
			decode(t, session.ask(2, "prompts/list", nil), &result)
			if diff := cmp.Diff(want, `{"prompts":`+string(result.Prompts)+`}`); diff != "" {
				t.Errorf("prompts (-golden +live):\n%s", diff)
			}
		})
	}
}

// R-INSTR-1, R-FOOT-2: initialize and server/discover return the instructions.
func TestInstructionsAreTheGolden(t *testing.T) {
	want := strings.TrimSuffix(string(readFile(t, "instructions.txt")), "\n")
	if want == "" {
		t.Fatal("there are no instructions")
	}
	for _, revision := range []string{oldRevision, newRevision} {
		t.Run(revision, func(t *testing.T) {
			var result struct{ Instructions string }
			decode(t, connect(t, revision).greet(), &result)
			if diff := cmp.Diff(want, result.Instructions); diff != "" {
				t.Errorf("instructions (-golden +live):\n%s", diff)
			}
		})
	}
}

// R-INSTR-2, R-INSTR-3: the instructions contain what a model must know, and their opening is useful alone.
func TestInstructionsAreComplete(t *testing.T) {
	instructions := gen.Surface().Instructions
	if err := listing.CheckInstructions(instructions); err != nil {
		t.Error(err)
	}
	opening := listing.Opening(instructions)
	for _, word := range []string{"Start with schema", "connection_id", "typed objects", "limit", "cursor", "fields"} {
		if !strings.Contains(opening, word) {
			t.Errorf("the first 512 characters do not say %q:\n%s", word, opening)
		}
	}
}

// R-FOOT-1, R-FOOT-3: the footprint that the binary reports is the one that it serves, and fits the budgets.
func TestFootprintIsMeasuredAndFits(t *testing.T) {
	codec, err := tokenizer.Get(tokenizer.O200kBase)
	if err != nil {
		t.Fatal(err)
	}
	footprint := gen.Footprint()
	live := map[string]string{}
	entries := liveList(t, newRevision)
	for _, entry := range entries {
		live[nameOf(t, entry)] = string(entry)
	}
	live["total"] = resultOf(t, entries)
	for _, row := range append(slices.Clone(footprint.Tools), footprint.Total) {
		tokens, err := codec.Count(live[row.Name])
		if err != nil {
			t.Fatal(err)
		}
		if row.Bytes != len(live[row.Name]) || row.Tokens != tokens {
			t.Errorf("%s: footprint says %d bytes, %d tokens; served are %d, %d", row.Name, row.Bytes, row.Tokens,
				len(live[row.Name]), tokens)
		}
		if row.Bytes > row.BudgetBytes {
			t.Errorf("%s: %d bytes, budget %d", row.Name, row.Bytes, row.BudgetBytes)
		}
		if line := fmt.Sprintf("%d bytes",
			row.BudgetBytes-row.Bytes); !strings.Contains(strings.Join(strings.Fields(string(readFile(t, "budget.txt"))), " "),
			line) {
			t.Errorf("%s: budget.txt does not show the headroom of %s", row.Name, line)
		}
	}
	if footprint.Total.Tokens > footprint.BudgetTokens {
		t.Errorf("total: %d tokens, budget %d", footprint.Total.Tokens, footprint.BudgetTokens)
	}
	characters := utf8.RuneCountInString(gen.Surface().Instructions)
	if footprint.InstructionsCharacters != characters || characters > footprint.BudgetInstructionsCharacters {
		t.Errorf("instructions: %d characters, footprint says %d, budget %d", characters, footprint.InstructionsCharacters,
			footprint.BudgetInstructionsCharacters)
	}
}

// R-SURF-10: every schema that is served is portable.
func TestServedSchemasArePortable(t *testing.T) {
	for _, entry := range liveList(t, newRevision) {
		var served struct{ InputSchema, OutputSchema json.RawMessage }
		decode(t, entry, &served)
		if err := schema.Lint(schema.InputSide, served.InputSchema); err != nil {
			t.Errorf("%s: %v", nameOf(t, entry), err)
		}
		if err := schema.Lint(schema.OutputSide, served.OutputSchema); err != nil && served.OutputSchema != nil {
			t.Errorf("%s: %v", nameOf(t, entry), err)
		}
	}
}

// resultOf returns the tools as a tools/list result, without the members that differ between revisions.
func resultOf(t *testing.T, tools []json.RawMessage) string {
	t.Helper()
	var result strings.Builder
	result.WriteString(`{"tools":[`)
	for i, entry := range tools {
		if i > 0 {
			result.WriteByte(',')
		}
		result.Write(entry)
	}
	result.WriteString("]}")
	return result.String()
}

func nameOf(t *testing.T, entry json.RawMessage) string {
	t.Helper()
	var named struct{ Name string }
	decode(t, entry, &named)
	return named.Name
}
