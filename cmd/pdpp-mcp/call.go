package main

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pdppmcp/pdpp-mcp/gen"
	"github.com/pdppmcp/pdpp-mcp/runtime/host"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

func newCallCommand(terminal terminal, logging *logging) *cobra.Command {
	var provider provider
	var arguments string
	command := &cobra.Command{
		Use:   "call <tool> [--json '{…}']",
		Short: "Call one tool and print what a model would read",
		Args: func(_ *cobra.Command, positional []string) error {
			if len(positional) != 1 {
				return &usageError{"call takes the name of one tool: " + toolNames()}
			}
			return nil
		},
		RunE: func(command *cobra.Command, positional []string) error {
			definition, err := findTool(positional[0])
			if err != nil {
				return err
			}
			reader, err := provider.reader(logging.logger())
			if err != nil {
				return err
			}
			text, err := callTool(command.Context(), definition, reader, json.RawMessage(arguments))
			if err != nil {
				return err
			}
			_, err = fmt.Fprintln(terminal.out, text)
			return err
		},
	}
	provider.addFlags(command.Flags())
	command.Flags().StringVar(&arguments, "json", "{}", "the tool's arguments as one JSON object")
	return command
}

func findTool(name string) (tool.Definition, error) {
	definitions := gen.Surface().Tools
	i := slices.IndexFunc(definitions, func(definition tool.Definition) bool { return definition.Name == name })
	if i < 0 {
		return tool.Definition{}, &usageError{fmt.Sprintf("unknown tool %q; pass one of: %s", name, toolNames())}
	}
	return definitions[i], nil
}

func toolNames() string {
	var names []string
	for _, definition := range gen.Surface().Tools {
		names = append(names, definition.Name)
	}
	return strings.Join(names, ", ")
}

// callTool runs a tool under the same rules as a server: a client token only, one time limit for all.
func callTool(ctx context.Context, definition tool.Definition, reader rs.Reader, arguments json.RawMessage) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, host.DefaultCallTimeout)
	defer cancel()
	if err := host.Admit(ctx, reader); err != nil {
		return "", err
	}
	result, err := definition.Run(ctx, tool.Env{RS: reader}, arguments)
	if err != nil {
		return "", err
	}
	return result.Text, nil
}
