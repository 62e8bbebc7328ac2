// Command pdpp-mcp-share writes the man pages and the shell completions of pdpp-mcp below a directory, for make build.
package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli"
	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/invocation"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "pdpp-mcp-share:", err)
		os.Exit(1)
	}
}

func run(arguments []string) error {
	if len(arguments) != 1 {
		return fmt.Errorf("pass one directory, got %d arguments", len(arguments))
	}
	files, err := sharedFiles(commands())
	if err != nil {
		return err
	}
	return writeSharedFiles(arguments[0], files)
}

// commands returns the tree of all commands of pdpp-mcp, including those that cobra adds.
func commands() *cobra.Command {
	root, _ := cli.NewRoot(invocation.Terminal{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}, "", nil)
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	return root
}

// sharedFiles returns the contents of the files by their paths below share/. They depend only on the commands.
func sharedFiles(root *cobra.Command) (map[string][]byte, error) {
	files := make(map[string][]byte)
	visit(root, func(command *cobra.Command) {
		files[filepath.Join("man", "man1", manualName(command)+".1")] = manualPage(command)
	})
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

// visit visits every listed command.
func visit(command *cobra.Command, do func(*cobra.Command)) {
	do(command)
	for _, child := range command.Commands() {
		if child.IsAvailableCommand() {
			visit(child, do)
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
