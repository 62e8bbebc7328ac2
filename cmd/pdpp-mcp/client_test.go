package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// runClient is the program mcp-call of the scripts: an MCP client that starts `pdpp-mcp stdio`, calls one
// tool and prints the text of the result, which is all that many clients show a model.
//
//	mcp-call <tool> ['{…}' | name=value-as-JSON …]
//
// It exits 1 when the result is an error, and 2 when the protocol failed.
func runClient() int {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	result, err := callOverStdio(ctx, os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	for _, content := range result.Content {
		if text, ok := content.(*mcp.TextContent); ok {
			fmt.Println(text.Text)
		}
	}
	if result.IsError {
		return 1
	}
	return 0
}

var errNoTool = errors.New("usage: mcp-call <tool> ['{...}' | name=value ...]")

func callOverStdio(ctx context.Context, words []string) (*mcp.CallToolResult, error) {
	if len(words) == 0 {
		return nil, errNoTool
	}
	arguments, err := clientArguments(words[1:])
	if err != nil {
		return nil, err
	}
	command := exec.CommandContext(ctx, "pdpp-mcp", "stdio")
	command.Stderr = os.Stderr
	client := mcp.NewClient(&mcp.Implementation{Name: "mcp-call", Version: "test"}, nil)
	session, err := client.Connect(ctx, &mcp.CommandTransport{Command: command}, nil)
	if err != nil {
		return nil, err
	}
	result, err := session.CallTool(ctx, &mcp.CallToolParams{Name: words[0], Arguments: arguments})
	return result, errors.Join(err, session.Close())
}

func clientArguments(words []string) (json.RawMessage, error) {
	if len(words) == 1 && strings.HasPrefix(words[0], "{") {
		return json.RawMessage(words[0]), nil
	}
	arguments := make(map[string]json.RawMessage)
	for _, word := range words {
		name, value, _ := strings.Cut(word, "=")
		arguments[name] = json.RawMessage(value)
	}
	return json.Marshal(arguments)
}
