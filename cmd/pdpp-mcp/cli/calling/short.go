package calling

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/invocation"
	"github.com/pdppmcp/pdpp-mcp/gen"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
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
			commands = append(commands, newToolCommand(terminal, log, definition, &definition.Commands[i]))
		}
	}
	return commands
}

// addShortFlags adds the flags that only a short command has.
func (c *toolCommand) addShortFlags(flags *pflag.FlagSet) {
	c.arguments = invocation.AddArguments(flags, c.shortArguments(), false)
	c.arguments.MayMiss = true
	isFeed := c.short.Preset[c.definition.Changes] != ""
	if c.definition.Pages != "" {
		limit := defaultRows
		if isFeed {
			limit = defaultChanges
		}
		flags.IntVarP(&c.limit, tool.HitsLimit, "L", limit, "maximum `rows`, read page by page")
		flags.BoolVarP(&c.all, "all", "a", false, "print every row, as -o does")
	}
	if c.short.By != nil {
		flags.StringVar(&c.by, "by", "", "`field` to group by, or the stream's time by "+strings.Join(c.steps(), ", "))
		invocation.MarkArguments(flags, "by")
	}
	if isFeed {
		flags.BoolVar(&c.follow, "follow", false, "keep asking, and print changes as they come")
	}
	if c.definition.Table == tool.DocumentTable {
		flags.BoolVarP(&c.web, "web", "w", false, "open the record's web address in the browser")
	}
	c.format.AddRowFlags(flags)
}

// argumentOf returns the first argument of a tool that matches. It is empty if none does.
func argumentOf(definition tool.Definition, isMatch func(tool.Argument) bool) (found tool.Argument) {
	if i := slices.IndexFunc(definition.Arguments, isMatch); i >= 0 {
		found = definition.Arguments[i]
	}
	return found
}

// positional returns the argument that needs no flag.
func (c *toolCommand) positional() tool.Argument {
	return argumentOf(c.definition, func(a tool.Argument) bool { return a.Positional })
}

// steps returns the words of --by that group by time.
func (c *toolCommand) steps() []string {
	return argumentOf(c.definition, func(a tool.Argument) bool { return a.Name == c.short.By["step"] }).Values
}

// group adds the grouping of --by to the arguments of a call.
func (r *reading) group(ctx context.Context, object rawjson.Object) (rawjson.Object, error) {
	switch {
	case r.by == "":
		return object, nil
	case !slices.Contains(r.steps(), r.by):
		return object.With(r.short.By["field"], rawjson.Quote(r.by)), nil
	}
	field, err := r.span.timeField(ctx, r.env.RS, object)
	return object.With(r.short.By["time"], rawjson.Quote(field)).With(r.short.By["step"], rawjson.Quote(r.by)), err
}

// shortArguments returns the arguments of a short command. It has no page tokens, and its limit is not the limit of a
// page.
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

func (c *toolCommand) object(command *cobra.Command, words []string) (json.RawMessage, error) {
	if len(words) == 1 && c.positional().Complete == tool.CompleteRecord {
		words = []string{named(words[0])}
	}
	if c.short == nil {
		return c.arguments.Object(command, words)
	}
	if len(words) > 1 && c.definition.Table == tool.HitTable {
		words = []string{strings.Join(words, " ")}
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
	isFields := func(a tool.Argument) bool {
		return a.Complete == tool.CompleteField && a.Type == tool.StringListArgument
	}
	fields := argumentOf(c.definition, isFields).Name
	if columns := c.format.Fields(); columns != nil && fields != "" && isOne && object.Get(fields) == nil {
		object = append(object, rawjson.Strings(fields, columns))
	}
	return object.Encode(), err
}
