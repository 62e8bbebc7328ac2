// Package measure measures the advertised surface in bytes and tokens, and checks its budgets (R-FOOT-3). Only the
// generator links the tokenizer.
package measure

import (
	"fmt"
	"unicode/utf8"

	"github.com/tiktoken-go/tokenizer"

	"github.com/pdppmcp/pdpp-mcp/generator/listing"
	"github.com/pdppmcp/pdpp-mcp/toolspec"
)

// Footprint is the size of the surface and its budgets.
type Footprint struct {
	Tools []Row // in the order of the specs
	Total Row   // of the whole tools/list result

	InstructionsCharacters       int // runes
	BudgetInstructionsCharacters int
	BudgetTokens                 int // of Total
}

// Row is the size of one entry of tools/list as served.
type Row struct {
	Name        string
	Bytes       int
	Tokens      int // counted as o200k
	BudgetBytes int
}

// Of measures a surface and its listing.
func Of(surface *toolspec.Surface, entries listing.Entries) (Footprint, error) {
	codec, err := tokenizer.Get(tokenizer.O200kBase)
	if err != nil {
		return Footprint{}, fmt.Errorf("load the o200k tokenizer: %w", err)
	}
	footprint := Footprint{
		InstructionsCharacters:       utf8.RuneCountInString(surface.Instructions),
		BudgetInstructionsCharacters: surface.Budget.InstructionsCharacters,
		BudgetTokens:                 surface.Budget.Tokens,
	}
	for _, tool := range surface.Tools {
		row, err := weigh(codec, tool.Name, entries[tool.Name], tool.Budget.Bytes)
		if err != nil {
			return Footprint{}, err
		}
		footprint.Tools = append(footprint.Tools, row)
	}
	footprint.Total, err = weigh(codec, "total", entries.Result(), surface.Budget.Bytes)
	return footprint, err
}

func weigh(codec tokenizer.Codec, name string, text []byte, budgetBytes int) (Row, error) {
	tokens, err := codec.Count(string(text))
	if err != nil {
		return Row{}, fmt.Errorf("count the tokens of %s: %w", name, err)
	}
	return Row{Name: name, Bytes: len(text), Tokens: tokens, BudgetBytes: budgetBytes}, nil
}
