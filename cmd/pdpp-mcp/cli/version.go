package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/invocation"
	"github.com/pdppmcp/pdpp-mcp/runtime/host"
)

// versions is the output of version for programs.
type versions struct {
	Version string   `json:"version"`
	Commit  string   `json:"commit"`
	Go      string   `json:"go"`
	MCP     []string `json:"mcp"` // revisions, the newest first
}

func newVersionCommand(terminal invocation.Terminal, version string) *cobra.Command {
	var form invocation.Form
	command := &cobra.Command{
		Use:   "version",
		Short: "Show the version, the commit, the Go version and the MCP revisions spoken",
		Args:  invocation.NoArguments,
		RunE: func(*cobra.Command, []string) error {
			if form.IsJSON() {
				return terminal.PrintJSON(versions{version, buildCommit(), runtime.Version(), host.Revisions()})
			}
			_, err := fmt.Fprintf(terminal.Out, "pdpp-mcp %s\ncommit %s\ngo %s\nmcp %s\n",
				version, buildCommit(), runtime.Version(), strings.Join(host.Revisions(), " "))
			return err
		},
	}
	form.AddFlags(command.Flags(), "text")
	return command
}

// buildVersion returns the release, or else the version that the Go tool recorded, or else "dev".
func buildVersion(release string) string {
	if release != "" {
		return release
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		return info.Main.Version
	}
	return "dev"
}

// buildCommit returns the commit that the Go tool recorded, with a mark if files had changed.
func buildCommit() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	commit, changed := "unknown", ""
	for _, setting := range info.Settings {
		switch {
		case setting.Key == "vcs.revision":
			commit = setting.Value
		case setting.Key == "vcs.modified" && setting.Value == "true":
			changed = " (modified)"
		}
	}
	return commit + changed
}
