package cli

import (
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/invocation"
	"github.com/pdppmcp/pdpp-mcp/gen"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

func newFootprintCommand(terminal invocation.Terminal) *cobra.Command {
	var form invocation.Form
	command := &cobra.Command{
		Use:     "footprint",
		Short:   "Show the bytes and tokens of the advertised surface against its budgets",
		Example: "  pdpp-mcp footprint\n  pdpp-mcp footprint --json",
		Args:    invocation.NoArguments,
		Hidden:  true,
		RunE: func(*cobra.Command, []string) error {
			footprint := gen.Footprint()
			if form.IsJSON() {
				return terminal.PrintJSON(footprint)
			}
			return printFootprint(terminal, footprint)
		},
	}
	form.AddFlags(command.Flags(), "table")
	return command
}

func printFootprint(terminal invocation.Terminal, footprint tool.Footprint) error {
	rows := [][]string{{"tool", "bytes", "budget", "tokens", "budget"}}
	for _, row := range append(footprint.Tools, footprint.Total) {
		rows = append(rows, []string{row.Name, strconv.Itoa(row.Bytes), strconv.Itoa(row.BudgetBytes), strconv.Itoa(row.Tokens), ""})
	}
	total := rows[len(rows)-1]
	total[0], total[4] = "tools/list", strconv.Itoa(footprint.BudgetTokens)
	if err := terminal.PrintTable(rows); err != nil {
		return err
	}
	_, err := fmt.Fprintf(terminal.Out, "instructions: %d characters, budget %d\n",
		footprint.InstructionsCharacters, footprint.BudgetInstructionsCharacters)
	return err
}
