// Package operation answers the tools that need more than one request and one renderer: schema reads the schema and the list of
// streams, and read_record_field reads a file if the field refers to one. Generated code calls it.
package operation

import (
	"context"
	"fmt"

	"github.com/pdppmcp/pdpp-mcp/runtime/answer"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/schemadoc"
	"github.com/pdppmcp/pdpp-mcp/runtime/render"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// SchemaInput has the arguments of the schema tool.
type SchemaInput struct {
	Stream       *string
	ConnectionID *string
	Detail       *string // compact or full; nil is compact
}

func (i SchemaInput) isFull() bool { return i.Detail != nil && *i.Detail == "full" }

// Schema shows what the grant gives access to: an index of all streams, the fields of one stream, or with detail full the schema of one
// source. The scope is applied here too, since a server may ignore it (R-SCH-1). Its error is the reader's or a *tool.Error.
func Schema(ctx context.Context, env tool.Env, input SchemaInput) (*tool.Result, error) {
	if input.Stream == nil {
		if input.isFull() { // R-SCH-6
			return nil, &tool.Error{
				Code: tool.InvalidSchemaDetail,
				Message: fmt.Sprintf(`%[4]s "full" is the schema of one stream of one source and needs %[2]s; `+
					`call %[1]s(%[2]s, %[3]s, %[4]s: "full"), with names from %[1]s without arguments`,
					tool.SchemaTool, tool.SchemaStream, tool.SchemaConnectionID, tool.SchemaDetail),
				Param: tool.SchemaDetail,
			}
		}
		return indexSchema(ctx, env, input)
	}
	response, document, err := readSchema(ctx, env, input)
	if err != nil {
		return nil, err
	}
	if input.isFull() {
		if refused := ambiguous(document, *input.Stream); refused != nil {
			return nil, refused
		}
	}
	detail := newDetail(response, document, input)
	detail.readSamples(ctx, env)
	return detail.render()
}

// indexSchema reads the schema and the list of streams concurrently. It raises a panic of the second read again, for the host.
func indexSchema(ctx context.Context, env tool.Env, input SchemaInput) (*tool.Result, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var held holdings
	var panicked any
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() { panicked = recover() }()
		held = readHoldings(ctx, env)
	}()
	response, document, err := readSchema(ctx, env, input)
	if err != nil {
		cancel()
	}
	if <-done; panicked != nil {
		panic(panicked)
	}
	if err != nil {
		return nil, err
	}
	return renderIndex(response, document, input, held, env.Clock)
}

// readSchema reads the schema of the scope. A full one is read from one source only (R-SCH-7, R-ERR-5).
func readSchema(ctx context.Context, env tool.Env, input SchemaInput) (*rs.Response, *schemadoc.Document, error) {
	scope := schemadoc.Scope{Stream: input.Stream, ConnectionID: input.ConnectionID}
	request := scope.Request(input.isFull())
	if input.isFull() {
		request.Sources = rs.OneSource{Stream: *input.Stream, ConnectionID: input.ConnectionID}
	}
	response, err := env.RS.Get(ctx, request)
	if err != nil {
		return nil, nil, err
	}
	document, err := schemadoc.Read(response)
	if err != nil {
		return nil, nil, err
	}
	document.Keep(scope)
	if document.StreamCount() == 0 && (input.Stream != nil || input.ConnectionID != nil) {
		return nil, nil, nothingMatches(document, input)
	}
	return response, document, nil
}

// nothingMatches returns the refusal of names that the schema does not have. The warnings of the resource server name the sources that
// did not answer.
func nothingMatches(document *schemadoc.Document, input SchemaInput) *tool.Error {
	refused := &tool.Error{Code: tool.InvalidArguments, Message: "nothing that is granted matches", Param: tool.SchemaConnectionID, AboutNames: true}
	if input.Stream != nil {
		refused.Param = tool.SchemaStream
		refused.Message += " " + render.Token(tool.SchemaStream, *input.Stream)
		if *input.Stream == "*" || *input.Stream == "all" {
			refused.Instead = []rawjson.Object{{{Name: tool.SchemaStream}}}
		}
	}
	if input.ConnectionID != nil {
		refused.Message += " " + render.Token(tool.SchemaConnectionID, *input.ConnectionID)
	}
	refused.Message += "; " + tool.SchemaTool + " without arguments lists what is granted"
	for _, line := range render.WarningLines(document.Members) {
		refused.Message += "\n" + line
	}
	return refused
}

func schemaCall(arguments ...rawjson.Member) answer.Call {
	return answer.Call{Tool: tool.SchemaTool, Arguments: append(rawjson.Object{}, arguments...)}
}
