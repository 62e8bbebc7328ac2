package measure

import (
	"errors"
	"fmt"
	"strings"
	"text/tabwriter"
)

// OverBudgetError is a part of the surface that is larger than its budget.
type OverBudgetError struct {
	Part   string // a tool, "tools/list" or "instructions"
	Size   int
	Budget int
	Unit   string // bytes, tokens or characters
	Where  string // where the budget stands
}

func (e *OverBudgetError) Error() string {
	return fmt.Sprintf("%s has %d %s, %d over its budget of %d: shorten it, or raise the budget in %s",
		e.Part, e.Size, e.Unit, e.Size-e.Budget, e.Budget, e.Where)
}

// Check joins an *OverBudgetError for each part that is over its budget.
func (f Footprint) Check() error {
	var problems []error
	hold := func(part string, size, budget int, unit, where string) {
		if size > budget {
			problems = append(problems, &OverBudgetError{Part: part, Size: size, Budget: budget, Unit: unit, Where: where})
		}
	}
	for _, row := range f.Tools {
		hold(row.Name, row.Bytes, row.BudgetBytes, "bytes", "toolspec/tools/"+row.Name+".yaml")
	}
	const surface = "toolspec/surface.yaml"
	hold("tools/list", f.Total.Bytes, f.Total.BudgetBytes, "bytes", surface)
	hold("tools/list", f.Total.Tokens, f.BudgetTokens, "tokens", surface)
	hold("instructions", f.InstructionsCharacters, f.BudgetInstructionsCharacters, "characters", surface)
	return errors.Join(problems...)
}

// Table returns the footprint as a table: a line for each tool, the whole, and the instructions.
func (f Footprint) Table() string {
	var text strings.Builder
	table := tabwriter.NewWriter(&text, 0, 0, 2, ' ', tabwriter.AlignRight)
	line := func(name string, size, budget int, unit string) {
		fmt.Fprintf(table, "%s\t%d\t%d\t%d\t %s\n", name, size, budget, budget-size, unit)
	}
	fmt.Fprint(table, "part\tsize\tbudget\theadroom\t unit\n")
	for _, row := range f.Tools {
		line(row.Name, row.Bytes, row.BudgetBytes, fmt.Sprintf("bytes, %d tokens", row.Tokens))
	}
	line("tools/list", f.Total.Bytes, f.Total.BudgetBytes, "bytes")
	line("tools/list", f.Total.Tokens, f.BudgetTokens, "tokens")
	line("instructions", f.InstructionsCharacters, f.BudgetInstructionsCharacters, "characters")
	table.Flush() //nolint:errcheck // a strings.Builder takes every write
	return text.String()
}
