package calling

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/display"
	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/invocation"
	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/saved"
	"github.com/pdppmcp/pdpp-mcp/gen"
	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/render"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// Default limits of a short command. The next run of a feed shows the changes beyond the limit.
const (
	defaultRows    = 30
	defaultChanges = 1_000
)

// NewShortCommands returns the short commands of all tools.
func NewShortCommands(terminal invocation.Terminal, log *invocation.Log) []*cobra.Command {
	var commands []*cobra.Command
	for _, definition := range gen.Surface().Tools {
		for i := range definition.Commands {
			commands = append(commands, newShortCommand(terminal, log, definition, &definition.Commands[i]))
		}
	}
	return commands
}

func newShortCommand(terminal invocation.Terminal, log *invocation.Log, definition tool.Definition, short *tool.ShortCommand) *cobra.Command {
	c := &toolCommand{
		terminal: terminal, log: log, definition: definition, short: short,
		format: display.Format{Terminal: terminal}, target: saved.Target{Terminal: terminal},
	}
	command := &cobra.Command{
		Use: short.Name, Aliases: strings.Fields(short.Alias), Short: short.Title, Example: exampleLines("", short.Examples), Args: cobra.ArbitraryArgs, RunE: c.run,
	}
	flags := command.Flags()
	c.arguments = invocation.AddArguments(flags, c.shortArguments(), false)
	c.arguments.AllowMissing()
	if definition.Pages != "" {
		limit := defaultRows
		if c.isFeed() {
			limit = defaultChanges
		}
		flags.IntVarP(&c.limit, tool.HitsLimit, "L", limit, "maximum `rows`, read page by page")
		flags.BoolVarP(&c.all, "all", "a", false, "print every row, as -o does")
	}
	if short.By != nil {
		flags.StringVar(&c.by, "by", "", "`field` to group by, or the stream's time by "+strings.Join(c.steps(), ", "))
		invocation.MarkArguments(flags, "by")
	}
	if c.isFeed() {
		flags.BoolVar(&c.follow, "follow", false, "keep asking, and print changes as they come")
	}
	if definition.Table == tool.DocumentTable {
		flags.BoolVarP(&c.web, "web", "w", false, "open the record's web address in the browser")
	}
	c.format.AddRowFlags(flags)
	c.addFlags(command)
	return command
}

// isFeed reports whether a short command lists changes.
func (c *toolCommand) isFeed() bool { return c.short.Preset[c.definition.Changes] != "" }

// steps returns the words of --by that group by time.
func (c *toolCommand) steps() []string {
	for _, argument := range c.definition.Arguments {
		if argument.Name == c.short.By["step"] {
			return argument.Values
		}
	}
	return nil
}

// group adds the grouping of --by to the arguments of a call.
func (c *toolCommand) group(ctx context.Context, reader rs.Reader, arguments json.RawMessage) (json.RawMessage, error) {
	if c.by == "" {
		return arguments, nil
	}
	object, _ := rawjson.ParseObject(arguments)
	if !slices.Contains(c.steps(), c.by) {
		return object.With(c.short.By["field"], rawjson.Quote(c.by)).Encode(), nil
	}
	field, err := c.span.timeField(ctx, reader, object)
	return object.With(c.short.By["time"], rawjson.Quote(field)).With(c.short.By["step"], rawjson.Quote(c.by)).Encode(), err
}

// shortArguments returns the arguments of a short command. It has no page tokens, and its limit is not the limit of a page.
func (c *toolCommand) shortArguments() []tool.Argument {
	arguments := slices.DeleteFunc(slices.Clone(c.definition.Arguments), func(argument tool.Argument) bool {
		return c.definition.Pages != "" && (argument.Name == c.definition.Pages || argument.Name == tool.HitsLimit)
	})
	for i := range arguments {
		if value, isPreset := c.short.Preset[arguments[i].Name]; isPreset {
			arguments[i].Required = false
			arguments[i].Description = strings.TrimSpace(arguments[i].Description + " Default " + value + ".")
		}
	}
	return arguments
}

// object returns the arguments of the call.
func (c *toolCommand) object(command *cobra.Command, words []string) (json.RawMessage, error) {
	if c.short == nil {
		return c.arguments.Object(command, words)
	}
	fields := ""
	for _, argument := range c.definition.Arguments {
		if argument.Positional && argument.Complete == tool.CompleteNothing && len(words) > 1 {
			words = []string{strings.Join(words, " ")} // words of a search
		}
		if argument.Complete == tool.CompleteField && argument.Type == tool.StringListArgument {
			fields = argument.Name
		}
	}
	arguments, err := c.arguments.Object(command, words)
	object, _ := rawjson.ParseObject(arguments)
	for _, name := range slices.Sorted(maps.Keys(c.short.Preset)) {
		if object.Get(name) == nil {
			object = append(object, rawjson.String(name, c.short.Preset[name]))
		}
	}
	// The rows of several connections need their time, so only one connection is asked for fewer fields.
	isOne := c.definition.Pages == "" || object.Get(c.span.connection) != nil && object.Text(c.span.stream) != tool.EveryStream
	if columns := c.format.Fields(); columns != nil && fields != "" && isOne && object.Get(fields) == nil {
		object = append(object, rawjson.Strings(fields, columns))
	}
	return object.Encode(), err
}

// printPlain prints the groups of an aggregate or a record.
func (c *toolCommand) printPlain(ctx context.Context, env tool.Env, arguments json.RawMessage) error {
	var rows []json.RawMessage
	var result *tool.Result
	err := c.accounted(ctx, env, func(ctx context.Context, env tool.Env) (int, error) {
		answer, err := c.definition.Ask(ctx, env, arguments)
		if err != nil {
			return 0, err
		}
		if c.definition.Table == tool.DocumentTable && answer.Response != nil {
			object, _ := rawjson.ParseObject(arguments)
			rows = []json.RawMessage{render.PlainRecord(answer.Response, object.Text(tool.DocumentID))}
			return 1, nil
		}
		if result, err = answer.Render(); err != nil {
			return 0, err
		}
		rows = display.PlainGroups(result.Structured)
		return result.Rows, nil
	})
	if err != nil {
		return err
	}
	if c.web {
		return openRecord(rows[0])
	}
	output, err := c.target.Open()
	if err != nil {
		return err
	}
	defer output.Discard()
	c.format.Terminal.Out = output.Writer
	printed := c.format.PlainRows()
	switch {
	case printed.IsTable() && result != nil:
		err = c.format.PrintShape(ctx, result, c.definition.Table, "")
	case result == nil:
		err = printed.WriteRecord(ctx, rows[0])
	default:
		err = errors.Join(printed.Write(ctx, rows), printed.End())
	}
	if err != nil {
		return err
	}
	return output.Publish()
}

// openRecord opens the web address of a record in the browser.
func openRecord(row json.RawMessage) error {
	members, _ := rawjson.ParseObject(row)
	address := members.FirstText("url", "html_url", "permalink", "link")
	if parsed, err := url.Parse(address); err != nil || parsed.Host == "" || parsed.Scheme != "https" && parsed.Scheme != "http" {
		return invocation.Failf("the record has no web address; leave out --web to see its fields")
	}
	if !invocation.OpenBrowser(address) {
		return invocation.Failf("no browser can be started here; open %s", invocation.OneLine(address))
	}
	return nil
}
