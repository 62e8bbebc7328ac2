package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pdppmcp/pdpp-mcp/runtime/host"
)

// version is set by the linker for releases.
var version = ""

func newVersionCommand(terminal terminal) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Show the version, the commit, the Go version and the MCP revisions spoken",
		Args:  noArguments,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintf(terminal.out, "pdpp-mcp %s\ncommit %s\ngo %s\nmcp %s\n",
				buildVersion(), buildCommit(), runtime.Version(), strings.Join(host.Revisions(), " "))
			return err
		},
	}
}

// buildVersion is the release, else what the Go tool recorded, else "dev".
func buildVersion() string {
	if version != "" {
		return version
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		return info.Main.Version
	}
	return "dev"
}

// buildCommit is the commit that the Go tool recorded, with a mark when files had changed.
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
