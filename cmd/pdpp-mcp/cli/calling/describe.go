package calling

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/display"
	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/invocation"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/commandline"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/schemadoc"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/schemaquery"
	"github.com/pdppmcp/pdpp-mcp/runtime/render"
	"github.com/pdppmcp/pdpp-mcp/runtime/server/host"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// NewDescribeCommand returns the command that shows a stream to people. Models read the tool schema.
func NewDescribeCommand(terminal invocation.Terminal, log *invocation.Log) *cobra.Command {
	format := display.Format{Terminal: terminal}
	sources := invocation.Sources{ReadsEvery: true}
	command := &cobra.Command{
		Short: "Show the fields of a stream and what can be done with them",
		Example: `  pdpp-mcp describe messages
  pdpp-mcp describe transactions --format csv`,
	}
	named := []tool.Argument{
		{Name: tool.RecordsStream, Type: tool.StringArgument, Complete: tool.CompleteStream, Positional: true, Required: true},
		{Name: tool.RecordsConnectionID, Type: tool.StringArgument, Complete: tool.CompleteConnection, Description: "Source to read, if several."},
	}
	arguments := invocation.AddArguments(command.Flags(), named, false)
	command.Use = "describe" + arguments.Usage()
	format.AddFlags(command.Flags())
	sources.AddFlags(command.Flags())
	command.RunE = func(command *cobra.Command, words []string) error {
		if err := format.Check(); err != nil {
			return err
		}
		passed, err := arguments.Object(command, words)
		if err != nil {
			return err
		}
		object, _ := rawjson.ParseObject(passed)
		env, end, err := sources.Environment(command.Context(), log.Logger())
		if err != nil {
			return advised(command, err)
		}
		defer end()
		ctx, cancel := context.WithTimeout(command.Context(), host.DefaultCallTimeout)
		defer cancel()
		return advised(command, describe(ctx, env, object, &format, terminal))
	}
	return command
}

// described is a field as people read it.
type described struct {
	Field string `json:"field"`
	Type  string `json:"type"`
	Role  string `json:"role,omitempty"`
	Use   string `json:"use"`
}

func describe(ctx context.Context, env tool.Env, object rawjson.Object, format *display.Format, terminal invocation.Terminal) error {
	name := object.Text(tool.RecordsStream)
	scope := schemadoc.ScopeOf(name, object.Text(tool.RecordsConnectionID))
	var held []string
	timeField := ""
	document, err := schemaquery.Ask(ctx, env.RS, scope, nil)
	if err != nil {
		return err
	}
	for connector, stream := range document.Rows() {
		for _, connection := range connector.ConnectionsOf(stream) {
			label := invocation.OneLine(connection.ID + " (" + connection.Label + ")")
			held = append(held, strings.TrimSuffix(label, " ()"))
			if scope.ConnectionID == nil { // the whole schema is of one connection
				scope.ConnectionID = &connection.ID
			}
		}
		timeField = render.TimeField(stream)
	}
	fields, isKnown := fieldsIn(document)
	if !isKnown && len(fields) > 0 {
		whole, err := schemaquery.Get(ctx, env.RS, schemaquery.Request(scope, true))
		if err != nil {
			return err
		}
		document = whole.Document
		document.Keep(scope)
		fields, isKnown = fieldsIn(document)
	}
	if len(fields) == 0 {
		return unknownStream(ctx, env, name)
	}
	rows, err := json.Marshal(map[string]any{"stream": name, "connections": held, "time_field": timeField, "data": fields})
	if err != nil {
		return err
	}
	if _, isTerminal := terminal.Width(); isTerminal {
		terminal.Note("%s of %s", name, strings.Join(held, ", "))
		if timeField != "" {
			terminal.Note("--since, --on and --by day use %s", timeField)
		}
		terminal.Note("try: pdpp-mcp records %s", commandline.Word(name))
	}
	columns := []string{"field", "type", "role", "use"}
	if !isKnown {
		columns = columns[:1]
		terminal.Note("the provider shows this token only the names of the fields")
	}
	result := &tool.Result{Text: string(rows), Structured: rows}
	return format.PrintList(ctx, result, columns, nil)
}

// fieldsIn returns the fields of all streams in a document, and whether it says more than their names.
func fieldsIn(document *schemadoc.Document) (fields []described, isKnown bool) {
	for _, stream := range document.Rows() {
		for _, field := range stream.Fields() {
			if slices.ContainsFunc(fields, func(known described) bool { return known.Field == field.Name }) {
				continue
			}
			shown := describedField(field)
			fields, isKnown = append(fields, shown), isKnown || shown.Type+shown.Use != ""
		}
	}
	return fields, isKnown
}

// unknownStream returns the error for a stream without fields, with the streams that are granted.
func unknownStream(ctx context.Context, env tool.Env, name string) error {
	document, err := schemaquery.Ask(ctx, env.RS, schemadoc.Scope{}, nil)
	if err != nil {
		return err
	}
	streams := document.Names().Streams("")
	if slices.Contains(streams, name) {
		return invocation.Failf("the provider names no fields of %s; run: pdpp-mcp records %[1]s", name)
	}
	return invocation.Failf("no stream %q is granted; %sthe streams are %s", name, invocation.DidYouMean(name, "", streams),
		invocation.OneLine(strings.Join(streams, ", ")))
}

// describedField spells out the flags of a field.
func describedField(field schemadoc.Field) described {
	shown := described{Field: field.Name, Type: strings.Join(field.Values("t"), " or "), Role: strings.Join(field.Values("role"), ", ")}
	if slices.Contains(field.Values("g"), "false") {
		shown.Use = "not granted"
		return shown
	}
	var uses []string
	for _, use := range []struct {
		isOffered bool
		name      string
	}{
		{field.Has("eq"), "filter"},
		{field.Values("r") != nil || field.Has("r"), "range"},
		{field.Has("lex") || field.Has("sem"), "search"},
	} {
		if use.isOffered {
			uses = append(uses, use.name)
		}
	}
	for _, use := range field.Values("a") {
		uses = append(uses, strings.ReplaceAll(use, "_", " "))
	}
	shown.Use = strings.Join(uses, ", ")
	return shown
}
