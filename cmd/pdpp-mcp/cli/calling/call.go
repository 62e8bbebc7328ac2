// Package calling has the commands that are generated from the specs: call with a subcommand for each tool, the short
// commands of tools, and the commands of operators. Tools check arguments themselves, so that a terminal and a model
// get the same errors.
package calling

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/display"
	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/invocation"
	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/saved"
	"github.com/pdppmcp/pdpp-mcp/gen"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/nearname"
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
		Args:               requireTool,
		RunE:               func(*cobra.Command, []string) error { return nil }, // Args refuses a call without a tool
	}
	for _, definition := range gen.Surface().Tools {
		command.AddCommand(newToolCommand(terminal, log, definition, nil))
	}
	return command
}

func requireTool(command *cobra.Command, words []string) error {
	if len(words) == 0 {
		return invocation.Usagef("call takes the name of one tool: %s", strings.Join(toolNames(), ", "))
	}
	message := fmt.Sprintf("unknown tool %q", words[0])
	if nearest := nearname.Nearest(words[0], toolNames()); nearest != "" {
		message += fmt.Sprintf("; did you mean %s?", nearest)
	}
	return invocation.Usagef("%s (the tools are %s)", message, strings.Join(toolNames(), ", "))
}

// toolCommand is the command of one tool: a subcommand of call, which prints the tool's result, or a short command,
// which prints plain rows.
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
	all       bool   // read every page
	limit     int    // rows of a short command
	follow    bool   // print changes as they come
	web       bool   // open the record in the browser
	by        string // field or unit of time to group by
}

func newToolCommand(terminal invocation.Terminal, log *invocation.Log, definition tool.Definition, short *tool.ShortCommand) *cobra.Command {
	c := &toolCommand{
		terminal: terminal, log: log, definition: definition, short: short,
		format: display.Format{Terminal: terminal}, target: saved.Target{Terminal: terminal},
	}
	command := &cobra.Command{Args: cobra.ArbitraryArgs, RunE: c.run} // Object checks the arguments
	flags := command.Flags()
	if short != nil {
		command.Use, command.Aliases, command.Short, command.Example = short.Name, strings.Fields(short.Alias), short.Title, exampleLines("", short.Examples)
		c.addShortFlags(flags)
		command.SetFlagErrorFunc(c.listColumns)
	} else {
		isOther := func(line string) bool { return !strings.HasPrefix(line, definition.Name+" ") }
		command.Use, command.Short, command.Long = definition.Name, definition.Title, definition.Description
		command.Example = exampleLines("call ", slices.DeleteFunc(gen.Surface().Examples, isOther))
		c.arguments = invocation.AddArguments(flags, definition.Arguments, true)
		c.format.AddFlags(flags)
		if definition.Pages != "" {
			flags.BoolVar(&c.all, "all", false, "read every page and print whole rows, as --format jsonl does; progress is on stderr")
		}
	}
	command.Use += c.arguments.Usage()
	c.span = newTimespan(flags, definition)
	c.target.AddFlags(flags, "the default")
	c.sources.AddFlags(flags)
	invocation.AddReadOn(flags, &c.readOn)
	invocation.AddZone(flags, &c.clock, true)
	return command
}

func (c *toolCommand) run(command *cobra.Command, words []string) error {
	ctx := command.Context()
	if c.short != nil && c.target.IsFile() {
		c.format.ChooseByEnding(c.target.Name())
		c.all = c.all || !command.Flags().Changed(tool.HitsLimit)
	}
	if err := c.check(); err != nil {
		return err
	}
	arguments, err := c.object(command, words)
	if err != nil {
		return err
	}
	if err := c.target.Check(); err != nil {
		return err
	}
	logger := c.log.Logger()
	env, end, err := c.sources.Environment(ctx, logger)
	if err != nil {
		return advised(command, err)
	}
	defer end()
	env.Readings, env.Clock = tool.NewReadings(tool.ReadingsOptions{MaxRecords: c.readOn}), c.clock
	r := &reading{toolCommand: c, command: command, env: env, account: c.sources.Accounting("pdpp-mcp call", c.definition.Name, logger)}
	return r.run(ctx, arguments)
}

// check returns an error for invalid flags, before any request.
func (c *toolCommand) check() error {
	if err := c.format.Check(); err != nil {
		return err
	}
	if _, err := c.span.bounds(c.clock.Now()); err != nil {
		return err
	}
	switch {
	case c.short != nil && c.definition.Pages != "" && c.limit < 1:
		return invocation.Usagef("invalid --%s %d: use a number such as %d, or --all", tool.HitsLimit, c.limit, defaultRows)
	case c.short == nil && c.all && !c.format.TakesRows():
		return invocation.Usagef("--all prints rows one by one: pass --format jsonl or csv, or --jq, or none of them")
	}
	return nil
}

// printsPages reports whether the rows of pages are printed one by one, and not the result of the tool.
func (c *toolCommand) printsPages() bool {
	return c.all || c.definition.Pages != "" && (c.short != nil || c.format.IsPerRow())
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
