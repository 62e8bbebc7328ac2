package measure

import (
	"errors"
	"fmt"
	"strings"
	"text/tabwriter"
)

// part is a measured part of the surface: a tool, tools/list or the instructions.
type part struct {
	name         string
	size, budget int
	unit         string
	note         string // for the table
	spec         string // the file with the budget
}

func (f Footprint) parts() []part {
	var parts []part
	for _, row := range f.Tools {
		parts = append(parts, part{
			row.Name, row.Bytes, row.BudgetBytes, "bytes", fmt.Sprintf(", %d tokens", row.Tokens),
			"toolspec/tools/" + row.Name + ".yaml",
		})
	}
	const surface = "toolspec/surface.yaml"
	return append(parts,
		part{"tools/list", f.Total.Bytes, f.Total.BudgetBytes, "bytes", "", surface},
		part{"tools/list", f.Total.Tokens, f.BudgetTokens, "tokens", "", surface},
		part{"instructions", f.InstructionsCharacters, f.BudgetInstructionsCharacters, "characters", "", surface})
}

// Check joins an error for each part that is over its budget.
func (f Footprint) Check() error {
	var problems []error
	for _, part := range f.parts() {
		if over := part.size - part.budget; over > 0 {
			problems = append(problems, fmt.Errorf(
				"%s has %d %s, %d over its budget of %d: shorten it, or raise the budget in %s",
				part.name, part.size, part.unit, over, part.budget, part.spec))
		}
	}
	return errors.Join(problems...)
}

// Table returns the footprint as a table with a line for each part.
func (f Footprint) Table() string {
	var text strings.Builder
	table := tabwriter.NewWriter(&text, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(table, "part\tsize\tbudget\theadroom\t unit\n")
	for _, part := range f.parts() {
		fmt.Fprintf(table, "%s\t%d\t%d\t%d\t %s%s\n", part.name, part.size, part.budget, part.budget-part.size,
			part.unit, part.note)
	}
	table.Flush() //nolint:errcheck // a strings.Builder takes every write
	return text.String()
}
