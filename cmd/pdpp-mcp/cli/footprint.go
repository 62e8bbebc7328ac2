package cli

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/invocation"
	"github.com/pdppmcp/pdpp-mcp/gen"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

func newFootprintCommand(terminal invocation.Terminal) *cobra.Command {
	var form invocation.Form
	command := &cobra.Command{
		Use:   "footprint",
		Short: "Show the bytes and tokens of the advertised surface against its budgets",
		Args:  invocation.NoArguments,
		RunE: func(*cobra.Command, []string) error {
			footprint := gen.Footprint()
			if form.IsJSON() {
				return terminal.PrintJSON(footprint)
			}
			return printFootprint(terminal.Out, footprint)
		},
	}
	form.AddFlags(command.Flags(), "table")
	return command
}

func printFootprint(out io.Writer, footprint tool.Footprint) error {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "tool\tbytes\tbudget\ttokens\tbudget\t")
	for _, row := range footprint.Tools {
		fmt.Fprintf(table, "%s\t%d\t%d\t%d\t\t\n", row.Name, row.Bytes, row.BudgetBytes, row.Tokens)
	}
	total := footprint.Total
	fmt.Fprintf(table, "tools/list\t%d\t%d\t%d\t%d\t\n", total.Bytes, total.BudgetBytes, total.Tokens, footprint.BudgetTokens)
	if err := table.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(out, "instructions: %d characters, budget %d\n",
		footprint.InstructionsCharacters, footprint.BudgetInstructionsCharacters)
	return err
}
