package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/commandline"
	"github.com/pdppmcp/pdpp-mcp/runtime/server/auth"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// demoWords finds the answer to demoQuestion in the team chat of the sample data.
const (
	demoWords    = "barometer found"
	demoQuestion = "Who had my grandfather's barometer, and what became of it?"

	demoQuery = `{"` + tool.HitsWords + `":"` + demoWords + `","` + tool.HitsLimit + `":3}`
)

// errDemoAnswer reports that the adapter answered the demonstration with an error.
var errDemoAnswer = errors.New("the adapter answered with an error")

// demonstrate makes one call of a real adapter process over stdio, prints the answer as a model reads it, and prints
// how to connect a host to the same data.
func demonstrate(ctx context.Context, stdout, stderr io.Writer, adapter, providerURL, cacheRoot string) error {
	command, err := adapterCommand(adapter, providerURL, cacheRoot)
	if err != nil {
		return err
	}
	answer, err := askOnce(ctx, command, stderr)
	if err != nil {
		return fmt.Errorf("demonstrate with %s: %w", adapter, err)
	}
	snippets, err := hostSnippets(command)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(stdout, "\nOne call over stdio, and its answer as a model reads it:\n\n  %s %s\n\n%s\n\n"+
		"Paste into another terminal, and ask your model: %s\n\n%s\n%s\nThe sandbox runs until Ctrl-C.\n",
		tool.HitsTool, demoQuery, indented(answer), demoQuestion, snippets, otherWays(command[0], providerURL, command[len(command)-1]))
	if err != nil {
		return fmt.Errorf("print the demonstration: %w", err)
	}
	return nil
}

// adapterCommand returns the command line that a host runs. Its paths are absolute, since a host starts it in another
// folder.
func adapterCommand(adapter, providerURL, cacheRoot string) ([]string, error) {
	binary, err := filepath.Abs(adapter)
	if err != nil {
		return nil, fmt.Errorf("find the adapter: %w", err)
	}
	if _, err := os.Stat(binary); err != nil {
		return nil, fmt.Errorf("find the adapter; make build makes it: %w", err)
	}
	root, err := filepath.Abs(cacheRoot)
	if err != nil {
		return nil, fmt.Errorf("find the credential cache: %w", err)
	}
	return []string{binary, "stdio", "--provider-url", providerURL, "--cache-root", root}, nil
}

func askOnce(ctx context.Context, command []string, stderr io.Writer) (answer string, err error) {
	process := exec.CommandContext(ctx, command[0], command[1:]...)
	process.Stderr = stderr
	client := mcp.NewClient(&mcp.Implementation{Name: "pdpp-sandbox", Version: "demo"}, nil)
	session, err := client.Connect(ctx, &mcp.CommandTransport{Command: process}, nil)
	if err != nil {
		return "", fmt.Errorf("connect: %w", err)
	}
	defer func() { err = errors.Join(err, session.Close()) }()
	result, err := session.CallTool(ctx, &mcp.CallToolParams{Name: tool.HitsTool, Arguments: json.RawMessage(demoQuery)})
	if err != nil {
		return "", fmt.Errorf("call "+tool.HitsTool+": %w", err)
	}
	var text strings.Builder
	for _, content := range result.Content {
		if part, ok := content.(*mcp.TextContent); ok {
			text.WriteString(part.Text)
		}
	}
	if result.IsError {
		return "", fmt.Errorf("%w: %s", errDemoAnswer, text.String())
	}
	return text.String(), nil
}

// hostDocument is the JSON in which most hosts configure stdio servers.
type hostDocument struct {
	Servers struct {
		PDPP struct {
			Command   string   `json:"command"`
			Arguments []string `json:"args"`
		} `json:"pdpp"`
	} `json:"mcpServers"`
}

// hostSnippets returns the lines to paste: a command each for Claude Code and Codex, and JSON for other hosts.
func hostSnippets(command []string) (string, error) {
	var document hostDocument
	document.Servers.PDPP.Command, document.Servers.PDPP.Arguments = command[0], command[1:]
	configuration, err := json.MarshalIndent(document, "  ", "  ")
	if err != nil {
		return "", fmt.Errorf("encode the host configuration: %w", err)
	}
	line := shellLine(command)
	return fmt.Sprintf("Claude Code:\n\n  claude mcp add pdpp -- %s\n\nCodex:\n\n  codex mcp add pdpp -- %s\n\nOther hosts with stdio servers:\n\n  %s\n",
		line, line, configuration), nil
}

// otherWays returns the lines for a try without a host, for a sign-in over HTTP, and for a grant of the user's choice.
func otherWays(binary, providerURL, cacheRoot string) string {
	return fmt.Sprintf("No host at hand:\n\n  %s\n\nOver HTTP, with a sign-in (other hosts: %s/dashboard/connect):\n\n  %s\n\nA grant of your own choice:\n\n  %s\n",
		shellLine([]string{binary, "call", tool.HitsTool, "--" + tool.HitsWords, demoWords, "--provider-url", providerURL, "--cache-root", cacheRoot}),
		providerURL,
		shellLine([]string{"claude", "mcp", "add", "--transport", "http", "pdpp-hosted", providerURL + auth.MCPPath}),
		shellLine([]string{binary, "connect", providerURL, "--cache-root", cacheRoot}))
}

// shellLine writes words so that a POSIX shell reads them as they are.
func shellLine(words []string) string {
	quoted := make([]string, len(words))
	for i, word := range words {
		quoted[i] = commandline.Word(word)
	}
	return strings.Join(quoted, " ")
}

func indented(text string) string {
	return "  " + strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n  ")
}
