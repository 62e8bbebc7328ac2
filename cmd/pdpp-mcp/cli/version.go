package cli

import (
	"cmp"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/invocation"
	"github.com/pdppmcp/pdpp-mcp/gen"
	"github.com/pdppmcp/pdpp-mcp/runtime/server/host"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// versions is the JSON output of the version command.
type versions struct {
	Version string   `json:"version"`
	Commit  string   `json:"commit"`
	Go      string   `json:"go"`
	MCP     []string `json:"mcp"` // revisions, newest first
}

func newVersionCommand(terminal invocation.Terminal, version string) *cobra.Command {
	var form invocation.Form
	command := &cobra.Command{
		Use:     "version",
		Short:   "Show the version, the commit, the Go version and the supported MCP revisions",
		Example: "  pdpp-mcp version\n  pdpp-mcp version --json",
		Args:    invocation.NoArguments,
		RunE: func(*cobra.Command, []string) error {
			if form.IsJSON() {
				return terminal.PrintJSON(versions{version, buildCommit(), runtime.Version(), host.Revisions()})
			}
			_, err := io.WriteString(terminal.Out, versionText(version))
			return err
		},
	}
	form.AddFlags(command.Flags(), "text")
	return command
}

// versionText returns the output of the version command and of --version.
func versionText(version string) string {
	return fmt.Sprintf("pdpp-mcp %s\ncommit %s\ngo %s\nmcp %s\n", version, buildCommit(), runtime.Version(), strings.Join(host.Revisions(), " "))
}

// buildVersion returns the release, or the version that the Go tool recorded, or "dev".
func buildVersion(release string) string {
	recorded := ""
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "(devel)" {
		recorded = info.Main.Version
	}
	return cmp.Or(release, recorded, "dev")
}

// buildCommit returns the commit that the Go tool recorded, marked if files had changed.
func buildCommit() string {
	commit, changed := "unknown", ""
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, setting := range info.Settings {
			switch {
			case setting.Key == "vcs.revision":
				commit = setting.Value
			case setting.Key == "vcs.modified" && setting.Value == "true":
				changed = " (modified)"
			}
		}
	}
	return commit + changed
}

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
