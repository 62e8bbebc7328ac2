package cli

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/invocation"
)

// newShareCommand makes the hidden command that writes the man pages and shell completions of a package, for make build.
func newShareCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "share <directory>",
		Short:  "Write the man pages and the shell completions below a directory",
		Hidden: true,
		Args:   invocation.OneArgument("directory"),
		RunE: func(command *cobra.Command, positional []string) error {
			files, err := sharedFiles(command.Root())
			if err != nil {
				return err
			}
			return writeSharedFiles(positional[0], files)
		},
	}
}

// sharedFiles returns the contents of the files by their path below share/. They depend on the binary alone.
func sharedFiles(root *cobra.Command) (map[string][]byte, error) {
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	files := make(map[string][]byte)
	addManualPages(files, root)
	for name, generate := range map[string]func(io.Writer) error{
		"pdpp-mcp.bash": func(out io.Writer) error { return root.GenBashCompletionV2(out, true) },
		"_pdpp-mcp":     root.GenZshCompletion,
		"pdpp-mcp.fish": func(out io.Writer) error { return root.GenFishCompletion(out, true) },
		"pdpp-mcp.ps1":  root.GenPowerShellCompletionWithDesc,
	} {
		var script bytes.Buffer
		if err := generate(&script); err != nil {
			return nil, fmt.Errorf("write the completion %s: %w", name, err)
		}
		files[filepath.Join("completions", name)] = script.Bytes()
	}
	return files, nil
}

func addManualPages(files map[string][]byte, command *cobra.Command) {
	files[filepath.Join("man", "man1", manualName(command)+".1")] = manualPage(command)
	for _, below := range command.Commands() {
		if below.IsAvailableCommand() {
			addManualPages(files, below)
		}
	}
}

func writeSharedFiles(directory string, files map[string][]byte) error {
	for name, content := range files {
		path := filepath.Join(directory, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return fmt.Errorf("make the directory of %s: %w", name, err)
		}
		if err := os.WriteFile(path, content, 0o644); err != nil { // readable by everybody
			return fmt.Errorf("write %s: %w", name, err)
		}
	}
	return nil
}
