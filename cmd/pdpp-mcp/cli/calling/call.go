// Package calling has the commands that are generated from the specs: one for each tool, and those for operators.
package calling

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/display"
	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/invocation"
	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/saved"
	"github.com/pdppmcp/pdpp-mcp/gen"
	"github.com/pdppmcp/pdpp-mcp/runtime/credential"
	"github.com/pdppmcp/pdpp-mcp/runtime/host"
	"github.com/pdppmcp/pdpp-mcp/runtime/nearname"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// NewCallCommand makes the call command: a subcommand for each tool, with a flag for each of its arguments.
func NewCallCommand(terminal invocation.Terminal, log *invocation.Log) *cobra.Command {
	command := &cobra.Command{
		Use:   "call <tool> [--argument value … | --json '{…}']",
		Short: "Call one tool from a terminal or a script",
		Long: `Call one tool. On a terminal the answer is shown for people; in a pipe or a file it is the
structured output as JSON. --format chooses another form: text is what a model reads that sees only text.
--json holds the arguments of the call, as a model passes them; for JSON as output, pass --format json.`,
		Example: "  pdpp-mcp call " + strings.Join(gen.Surface().Examples, "\n  pdpp-mcp call "),
		// An unknown tool is refused by its name, not by its flags.
		FParseErrWhitelist: cobra.FParseErrWhitelist{UnknownFlags: true},
		Args:               refuseTool,
		RunE:               func(*cobra.Command, []string) error { return nil }, // Args refuses every call without a tool
	}
	for _, definition := range gen.Surface().Tools {
		command.AddCommand(newToolCommand(terminal, log, definition))
	}
	return command
}

// refuseTool refuses a command line on which no tool was found.
func refuseTool(command *cobra.Command, positional []string) error {
	if len(positional) == 0 {
		return invocation.Usagef("call takes the name of one tool: %s", strings.Join(toolNames(), ", "))
	}
	message := fmt.Sprintf("unknown tool %q", positional[0])
	if meant := nearname.Nearest(positional[0], toolNames()); meant != "" {
		message += fmt.Sprintf("; did you mean %s?", meant)
	}
	return invocation.Usagef("%s (the tools are %s)", message, strings.Join(toolNames(), ", "))
}

// toolCommand is the command that calls one tool.
type toolCommand struct {
	terminal   invocation.Terminal
	log        *invocation.Log
	definition tool.Definition

	arguments *invocation.Arguments
	span      *timespan
	sources   invocation.Sources
	readOn    int
	format    display.Format
	target    saved.Target
	pages     *pages
}

func newToolCommand(terminal invocation.Terminal, log *invocation.Log, definition tool.Definition) *cobra.Command {
	c := &toolCommand{terminal: terminal, log: log, definition: definition, format: display.Format{Terminal: terminal}, target: saved.Target{Terminal: terminal}}
	command := &cobra.Command{
		Use:     definition.Name,
		Short:   definition.Title,
		Long:    definition.Description,
		Example: examplesOf(definition.Name),
		Args:    cobra.ArbitraryArgs, // Object refuses them
		RunE:    c.run,
	}
	c.arguments = invocation.AddArguments(command.Flags(), definition.Arguments, true)
	command.Use += c.arguments.Use()
	c.span = newTimespan(command.Flags(), definition)
	c.format.AddFlags(command.Flags())
	c.pages = newPages(&c.format, &c.target, command, definition.Pages)
	c.target.AddFlags(command.Flags(), "the default")
	c.sources.AddFlags(command.Flags())
	invocation.AddReadOn(command.Flags(), &c.readOn)
	return command
}

func (c *toolCommand) run(command *cobra.Command, words []string) error {
	ctx := command.Context()
	byRow, err := c.pages.byRow(c.span)
	if err != nil {
		return err
	}
	object, err := c.arguments.Object(command, words)
	if err != nil {
		return err
	}
	if err := errors.Join(invocation.RefuseReadOn(c.readOn), c.target.Check()); err != nil {
		return err
	}
	logger := c.log.Logger()
	local, err := c.sources.Local(ctx, logger)
	if err != nil {
		return err
	}
	defer local.Settle(ctx)
	env, err := admitted(ctx, local)
	if err != nil {
		return advised(command, err)
	}
	if object, err = c.span.apply(ctx, env.RS, object, c.terminal.Err); err != nil {
		return err
	}
	env.Readings = tool.NewReadings(tool.ReadingsOptions{Most: c.readOn})
	return advised(command, c.print(ctx, env, object, byRow, accountFor(c.definition, &c.sources, logger)))
}

// print makes the call, or with byRow those of all pages, and prints what it gives.
func (c *toolCommand) print(ctx context.Context, env tool.Env, object json.RawMessage, byRow bool, run run) error {
	if byRow {
		c.pages.kept = newWholeRows()
		env.RS = c.pages.kept.reading(env.RS)
		c.pages.call = func(ctx context.Context, arguments json.RawMessage) (*tool.Result, error) {
			return runWithin(ctx, run, env, arguments)
		}
		return c.pages.print(ctx, object)
	}
	result, err := runWithin(ctx, run, env, object)
	if err != nil {
		return err
	}
	more := ""
	if c.definition.Pages != "" {
		more = ": --all reads every page"
	}
	output, err := c.target.Open("")
	if err != nil {
		return err
	}
	defer output.Discard()
	c.format.Terminal.Out = output.Writer
	if err := c.format.PrintShape(ctx, result, c.definition.Table, more); err != nil {
		return err
	}
	return output.Publish()
}

// run asks and renders one call.
type run func(ctx context.Context, env tool.Env, arguments json.RawMessage) (*tool.Result, error)

// accountFor returns the tool's Run, which keeps account of what it reads (R-OPS-2): agents call from shells too.
func accountFor(definition tool.Definition, sources *invocation.Sources, logger *slog.Logger) run {
	log, caller := sources.Account(logger)
	caller.ClientName = "pdpp-mcp call"
	return func(ctx context.Context, env tool.Env, arguments json.RawMessage) (*tool.Result, error) {
		started, call := time.Now(), log.Begin(caller, definition.Name)
		env.RS = call.Reader(env.RS)
		result, err := definition.Run(ctx, env, arguments)
		rows := 0
		if err == nil {
			rows = result.Rows
		}
		call.End(rows, tool.AuditCode(err), time.Since(started))
		return result, err
	}
}

// admitted returns what a call may use, within the time limit that a server gives a call. The refusal of a bearer is returned as
// itself, since it has an exit code.
func admitted(ctx context.Context, local host.Local) (tool.Env, error) {
	ctx, cancel := context.WithTimeout(ctx, host.DefaultCallTimeout)
	defer cancel()
	env, err := local.Environment(ctx)
	if refusal, ok := errors.AsType[*host.Refusal](err); ok {
		return tool.Env{}, refusal
	}
	if unusable, ok := errors.AsType[*credential.Error](err); ok {
		return tool.Env{}, unusable
	}
	return env, err
}

// examplesOf returns the examples of one tool.
func examplesOf(name string) string {
	var lines []string
	for _, example := range gen.Surface().Examples {
		if strings.HasPrefix(example, name+" ") {
			lines = append(lines, "  pdpp-mcp call "+example)
		}
	}
	return strings.Join(lines, "\n")
}

func toolNames() []string {
	var names []string
	for _, definition := range gen.Surface().Tools {
		names = append(names, definition.Name)
	}
	return names
}

// runWithin runs a tool within the time limit that a server gives a call.
func runWithin(ctx context.Context, run run, env tool.Env, arguments json.RawMessage) (*tool.Result, error) {
	ctx, cancel := context.WithTimeout(ctx, host.DefaultCallTimeout)
	defer cancel()
	return run(ctx, env, arguments)
}
