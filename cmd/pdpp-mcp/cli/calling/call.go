// Package calling has the commands that are generated from the specs: call with a subcommand for each tool, the short commands of tools,
// and the commands of operators. Tools check arguments themselves, so that a terminal and a model get the same errors.
package calling

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
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
	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/schemadoc"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// NewCallCommand returns the command call, with a subcommand for each tool.
func NewCallCommand(terminal invocation.Terminal, log *invocation.Log) *cobra.Command {
	command := &cobra.Command{
		Use:   "call <tool> [--argument value … | --json '{…}']",
		Short: "Call one tool from a terminal or a script",
		Long: `Call one tool with exact arguments. A terminal gets a table. A pipe or a file gets structured output as JSON.
--format chooses another format: text is the text channel, which models read.
--json takes the arguments of the call as JSON; for JSON as output, pass --format json.`,
		Example: exampleLines("call ", gen.Surface().Examples[:2]),
		// An unknown tool is reported before its flags.
		FParseErrWhitelist: cobra.FParseErrWhitelist{UnknownFlags: true},
		Args:               refuseTool,
		RunE:               func(*cobra.Command, []string) error { return nil }, // Args refuses a call without a tool
	}
	for _, definition := range gen.Surface().Tools {
		command.AddCommand(newToolCommand(terminal, log, definition))
	}
	return command
}

func refuseTool(command *cobra.Command, words []string) error {
	if len(words) == 0 {
		return invocation.Usagef("call takes the name of one tool: %s", strings.Join(toolNames(), ", "))
	}
	message := fmt.Sprintf("unknown tool %q", words[0])
	if meant := nearname.Nearest(words[0], toolNames()); meant != "" {
		message += fmt.Sprintf("; did you mean %s?", meant)
	}
	return invocation.Usagef("%s (the tools are %s)", message, strings.Join(toolNames(), ", "))
}

// toolCommand calls one tool: as call, which prints its result, or as a short command, which prints plain rows.
type toolCommand struct {
	terminal   invocation.Terminal
	log        *invocation.Log
	definition tool.Definition
	short      *tool.ShortCommand // nil for call

	arguments *invocation.Arguments
	span      *timespan
	sources   invocation.Sources
	readOn    int
	clock     tool.Clock
	format    display.Format
	target    saved.Target
	all       bool // read every page
	limit     int  // rows of a short command
	follow    bool // print changes as they come
	web       bool // open the record in the browser
	by        string

	accounted func(ctx context.Context, env tool.Env, call accountedCall) error
}

// accountedCall makes a call and returns the number of rows that it read.
type accountedCall func(context.Context, tool.Env) (rows int, err error)

func newToolCommand(terminal invocation.Terminal, log *invocation.Log, definition tool.Definition) *cobra.Command {
	c := &toolCommand{terminal: terminal, log: log, definition: definition, format: display.Format{Terminal: terminal}, target: saved.Target{Terminal: terminal}}
	command := &cobra.Command{
		Use:     definition.Name,
		Short:   definition.Title,
		Long:    definition.Description,
		Example: exampleLines("call ", slices.DeleteFunc(gen.Surface().Examples, func(line string) bool { return !strings.HasPrefix(line, definition.Name+" ") })),
		Args:    cobra.ArbitraryArgs, // Object checks them
		RunE:    c.run,
	}
	c.arguments = invocation.AddArguments(command.Flags(), definition.Arguments, true)
	c.format.AddFlags(command.Flags())
	if definition.Pages != "" {
		command.Flags().BoolVar(&c.all, "all", false, "read every page and print whole rows, as --format jsonl does; progress is on stderr")
	}
	c.addFlags(command)
	return command
}

func (c *toolCommand) addFlags(command *cobra.Command) {
	command.Use += c.arguments.Usage()
	c.span = newTimespan(command.Flags(), c.definition)
	c.target.AddFlags(command.Flags(), "the default")
	c.sources.AddFlags(command.Flags())
	invocation.AddReadOn(command.Flags(), &c.readOn)
	invocation.AddZone(command.Flags(), &c.clock, true)
}

func (c *toolCommand) run(command *cobra.Command, words []string) error {
	ctx := command.Context()
	if c.short != nil && c.target.IsFile() {
		c.format.ChooseByEnding(c.target.Name())
		c.all = c.all || !command.Flags().Changed(tool.HitsLimit)
	}
	isPerRow, err := c.isPerRow()
	if err != nil {
		return err
	}
	object, err := c.object(command, words)
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
	if object, err = c.span.apply(ctx, env.RS, object, c.clock.Now(), c.terminal.Err); err != nil {
		return err
	}
	if object, err = c.group(ctx, env.RS, object); err != nil {
		return err
	}
	object, last, err := c.resume(object)
	if err != nil {
		return err
	}
	env.Readings, env.Clock = tool.NewReadings(tool.ReadingsOptions{Most: c.readOn}), c.clock
	c.accounted = newAccounted(c.definition.Name, &c.sources, logger)
	switch {
	case isPerRow:
		err = (&export{toolCommand: c, command: command, env: env, last: last}).run(ctx, object)
	case c.short != nil:
		err = c.printPlain(ctx, env, object)
	default:
		err = c.print(ctx, env, object, last)
	}
	return advised(command, c.withStreams(ctx, env, object, err))
}

// withStreams adds the granted streams to the error of a call that lacks a stream.
func (c *toolCommand) withStreams(ctx context.Context, env tool.Env, arguments json.RawMessage, err error) error {
	refused, isRefused := errors.AsType[*tool.Error](err)
	object, _ := rawjson.ParseObject(arguments)
	if !isRefused || c.span.stream == "" || refused.Param != c.span.stream || object.Get(c.span.stream) != nil {
		return err
	}
	document, failed := schemadoc.Scope{}.Ask(ctx, env.RS.Get, nil)
	if failed != nil {
		return err
	}
	listed := *refused
	listed.Accepted = document.Names().Streams("")
	return &listed
}

func (c *toolCommand) print(ctx context.Context, env tool.Env, arguments json.RawMessage, last *lastRun) error {
	var result *tool.Result
	err := c.accounted(ctx, env, func(ctx context.Context, env tool.Env) (rows int, err error) {
		if result, err = c.definition.Run(ctx, env, arguments); err != nil {
			return 0, err
		}
		return result.Rows, nil
	})
	if err != nil {
		return err
	}
	more := ""
	if c.definition.Pages != "" {
		more = "--all reads every page"
	}
	output, err := c.target.Open()
	if err != nil {
		return err
	}
	defer output.Discard()
	c.format.Terminal.Out = output.Writer
	if err := c.format.PrintShape(ctx, result, c.definition.Table, more); err != nil {
		return err
	}
	if err := output.Publish(); err != nil {
		return err
	}
	structured, _ := rawjson.ParseObject(result.Structured)
	data, _ := rawjson.ParseObject(structured.Get("data"))
	return last.keep(data.Text("next_cursor"), data.Text("next_changes_since"))
}

// newAccounted returns a function that makes a call within the time limit. It writes the call to the audit log (R-OPS-2), because agents
// call from shells too.
func newAccounted(name string, sources *invocation.Sources, logger *slog.Logger) func(context.Context, tool.Env, accountedCall) error {
	account, caller := sources.Account(logger)
	caller.ClientName = "pdpp-mcp call"
	return func(ctx context.Context, env tool.Env, call accountedCall) error {
		ctx, cancel := context.WithTimeout(ctx, host.DefaultCallTimeout)
		defer cancel()
		started, entry := time.Now(), account.Begin(caller, name)
		env.RS = entry.Reader(env.RS)
		rows, err := call(ctx, env)
		entry.End(rows, tool.AuditCode(err), time.Since(started))
		return err
	}
}

// admitted returns what a call may use. A refusal of the bearer is returned unwrapped, because it determines the exit code.
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

func exampleLines(prefix string, lines []string) string {
	return "  pdpp-mcp " + prefix + strings.Join(lines, "\n  pdpp-mcp "+prefix)
}

func toolNames() []string {
	var names []string
	for _, definition := range gen.Surface().Tools {
		names = append(names, definition.Name)
	}
	return names
}
