package calling

import (
	"context"
	"errors"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/display"
	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/invocation"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/schemadoc"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/schemaquery"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// knownColumns returns the columns that the rows of a command can have.
func (c *toolCommand) knownColumns(ctx context.Context, reader rs.Reader, object rawjson.Object) ([]string, error) {
	stream, connection := object.Text(c.span.stream), object.Text(c.span.connection)
	switch {
	case c.definition.Table == tool.HitTable:
		return display.HitColumns, nil
	case c.definition.Table == tool.GroupTable:
		return []string{"key", "count", "value"}, nil
	case stream == tool.EveryStream:
		return display.TimelineColumns, nil
	case c.definition.Table == tool.DocumentTable:
		target, _, isRecord, err := parseHandle(object.Text(c.positional().Name))
		if err != nil || !isRecord {
			return nil, err
		}
		stream = target.Stream
		if target.ConnectionID != nil {
			connection = *target.ConnectionID
		}
	}
	document, err := schemaquery.Ask(ctx, reader, schemadoc.ScopeOf(stream, connection), nil)
	if err != nil {
		return nil, err
	}
	return append([]string{display.HandleColumn}, document.FieldNames()...), nil
}

// withColumns returns the error of an unknown column if the resource server refused one of the chosen columns.
func (r *reading) withColumns(ctx context.Context, err error) error {
	refused, isRefused := errors.AsType[*rs.Error](err)
	chosen := r.format.Fields()
	if !isRefused || refused.Code != "unknown_field" || chosen == nil || r.short == nil {
		return err
	}
	known, failed := r.format.Known(ctx)
	if failed != nil {
		return err
	}
	if unknown := display.CheckColumns(chosen, known); unknown != nil {
		return unknown
	}
	return err
}

// listColumns answers --json without columns: it lists them, as far as the arguments before it name a stream or a
// record.
func (c *toolCommand) listColumns(command *cobra.Command, err error) error {
	missing, isMissing := errors.AsType[*pflag.ValueRequiredError](err)
	if !isMissing || missing.GetFlag().Name != invocation.FormJSON {
		return invocation.WrongFlag(command, err)
	}
	if failed := invocation.Fill(command); failed != nil {
		return failed
	}
	ctx := command.Context()
	encoded, failed := c.arguments.Object(command, command.Flags().Args())
	object, _ := rawjson.ParseObject(encoded)
	for name, value := range c.short.Preset {
		if object.Get(name) == nil {
			object = append(object, rawjson.String(name, value))
		}
	}
	if failed != nil {
		return failed
	}
	env, end, failed := c.sources.Environment(ctx, c.log.Logger())
	if failed != nil {
		return failed
	}
	defer end()
	columns, failed := c.knownColumns(ctx, env.RS, object)
	if failed != nil || len(columns) == 0 {
		return invocation.WrongFlag(command, err)
	}
	return invocation.Usagef("pass the columns that --json prints, such as --json %s; the columns are %s",
		strings.Join(columns[:min(len(columns), 2)], ","), invocation.OneLine(strings.Join(columns, ", ")))
}
