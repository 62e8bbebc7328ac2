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
	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/schemadoc"
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

// refuseTool returns the error of a command line without a known tool.
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

// toolCommand is the command that calls one tool.
type toolCommand struct {
	terminal   invocation.Terminal
	log        *invocation.Log
	definition tool.Definition

	arguments *invocation.Arguments
	span      *timespan
	sources   invocation.Sources
	readOn    int
	clock     tool.Clock
	format    display.Format
	target    saved.Target
	all       bool // read every page

	accounted func(ctx context.Context, env tool.Env, call accountedCall) error
}

// accountedCall makes a call and returns how many rows it read.
type accountedCall func(context.Context, tool.Env) (rows int, err error)

func newToolCommand(terminal invocation.Terminal, log *invocation.Log, definition tool.Definition) *cobra.Command {
	c := &toolCommand{terminal: terminal, log: log, definition: definition, format: display.Format{Terminal: terminal}, target: saved.Target{Terminal: terminal}}
	command := &cobra.Command{
		Use:     definition.Name,
		Short:   definition.Title,
		Long:    definition.Description,
		Example: examplesOf(definition.Name),
		Args:    cobra.ArbitraryArgs, // Object checks them
		RunE:    c.run,
	}
	c.arguments = invocation.AddArguments(command.Flags(), definition.Arguments, true)
	command.Use += c.arguments.Usage()
	c.span = newTimespan(command.Flags(), definition)
	c.format.AddFlags(command.Flags())
	if definition.Pages != "" {
		command.Flags().BoolVar(&c.all, "all", false, "read every page and print whole rows, as --format jsonl does; progress is on stderr")
	}
	c.target.AddFlags(command.Flags(), "the default")
	c.sources.AddFlags(command.Flags())
	invocation.AddReadOn(command.Flags(), &c.readOn)
	invocation.AddZone(command.Flags(), &c.clock, true)
	return command
}

func (c *toolCommand) run(command *cobra.Command, words []string) error {
	ctx := command.Context()
	isPerRow, err := c.isPerRow()
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
	if object, err = c.span.apply(ctx, env.RS, object, c.clock.Now(), c.terminal.Err); err != nil {
		return err
	}
	env.Clock = c.clock
	env.Readings = tool.NewReadings(tool.ReadingsOptions{Most: c.readOn})
	c.accounted = newAccounted(c.definition.Name, &c.sources, logger)
	if isPerRow {
		err = (&export{toolCommand: c, command: command, env: env}).run(ctx, object)
	} else {
		err = c.print(ctx, env, object)
	}
	return advised(command, c.withStreams(ctx, env, object, err))
}

// withStreams adds the granted streams to the error of a call without a stream.
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

// print makes the call and prints its result.
func (c *toolCommand) print(ctx context.Context, env tool.Env, arguments json.RawMessage) error {
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
	return output.Publish()
}

// newAccounted returns a function that makes a call within the time limit of a server's calls, and records what the call reads
// (R-OPS-2), because agents call from shells too.
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
