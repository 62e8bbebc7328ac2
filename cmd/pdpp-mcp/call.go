package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pdppmcp/pdpp-mcp/gen"
	"github.com/pdppmcp/pdpp-mcp/runtime/host"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// newCallCommand has a command for each tool, with a flag for each of its arguments.
func newCallCommand(terminal terminal, logging *logging) *cobra.Command {
	command := &cobra.Command{
		Use:   "call <tool> [--argument value …] [--json '{…}']",
		Short: "Call one tool from a terminal or a script",
		Long: `Call one tool. On a terminal the answer is shown for people; in a pipe or a file it is the
structured output as JSON. --format text prints what a model reads that sees only text.`,
		Example: "  pdpp-mcp call " + strings.Join(gen.Surface().Examples, "\n  pdpp-mcp call "),
		// The flags of a tool that is not there are no news: the name is what is wrong.
		FParseErrWhitelist:         cobra.FParseErrWhitelist{UnknownFlags: true},
		SuggestionsMinimumDistance: 3,
		Args:                       refuseTool,
		RunE:                       func(*cobra.Command, []string) error { return nil }, // Args refuses every call without a tool
	}
	for _, definition := range gen.Surface().Tools {
		command.AddCommand(newToolCommand(terminal, logging, definition))
	}
	return command
}

// refuseTool is about a command line on which no tool was found.
func refuseTool(command *cobra.Command, positional []string) error {
	if len(positional) == 0 {
		return &usageError{"call takes the name of one tool: " + toolNames()}
	}
	message := fmt.Sprintf("unknown tool %q", positional[0])
	if meant := command.SuggestionsFor(positional[0]); len(meant) > 0 {
		message += fmt.Sprintf("; did you mean %s?", meant[0])
	}
	return &usageError{message + " (the tools are " + toolNames() + ")"}
}

func newToolCommand(terminal terminal, logging *logging, definition tool.Definition) *cobra.Command {
	var provider provider
	format := format{terminal: terminal}
	command := &cobra.Command{
		Use:   definition.Name,
		Short: definition.Title,
		Long:  definition.Description,
		Args:  noArguments,
	}
	arguments := newArgumentFlags(command.Flags(), definition.Arguments)
	provider.addFlags(command.Flags())
	format.addFlags(command.Flags())
	paging := addPaging(command, definition.Pages)
	command.RunE = func(command *cobra.Command, _ []string) error {
		object, err := arguments.object()
		if err != nil {
			return err
		}
		if err := format.check(); err != nil {
			return err
		}
		reader, err := provider.reader(logging.logger())
		if err != nil {
			return err
		}
		// The same rule as for a server: a client token only.
		if err := admit(command.Context(), reader); err != nil {
			return interrupted(command.Context(), err)
		}
		if paging.all {
			kept := newWholeRows(reader)
			call := func(ctx context.Context, arguments json.RawMessage) (*tool.Result, error) {
				return runWithin(ctx, definition.Run, tool.Env{RS: kept}, arguments)
			}
			pages := &pages{terminal: terminal, call: call, cursor: definition.Pages, kept: kept, readOn: paging.readOn}
			return interrupted(command.Context(), pages.print(command.Context(), object))
		}
		result, err := runWithin(command.Context(), definition.Run, tool.Env{RS: reader}, object)
		if err != nil {
			return interrupted(command.Context(), err)
		}
		return format.print(result, func(result *tool.Result, columns int) string { return table(definition.Table, result, columns) })
	}
	return command
}

// errReadingInterrupted ends a call that was broken off. What was printed can be used.
var errReadingInterrupted = errors.New("interrupted")

// interrupted says so in place of how the call under way ended.
func interrupted(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil {
		return errReadingInterrupted
	}
	return err
}

func toolNames() string {
	var names []string
	for _, definition := range gen.Surface().Tools {
		names = append(names, definition.Name)
	}
	return strings.Join(names, ", ")
}

func admit(ctx context.Context, reader rs.Reader) error {
	ctx, cancel := context.WithTimeout(ctx, host.DefaultCallTimeout)
	defer cancel()
	return host.Admit(ctx, reader)
}

// runWithin runs a tool under the time limit of a server's calls.
func runWithin(ctx context.Context, run tool.Run, env tool.Env, arguments json.RawMessage) (*tool.Result, error) {
	ctx, cancel := context.WithTimeout(ctx, host.DefaultCallTimeout)
	defer cancel()
	return run(ctx, env, arguments)
}
