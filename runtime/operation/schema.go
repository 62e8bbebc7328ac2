// Package operation holds the tools that do more than one request and one rendering.
package operation

import (
	"context"
	"fmt"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/render"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/schemadoc"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// SchemaInput is the arguments of the schema tool.
type SchemaInput struct {
	Stream       *string
	ConnectionID *string
	Detail       *string // compact or full; nil is compact
}

func (i SchemaInput) full() bool { return i.Detail != nil && *i.Detail == "full" }

// Schema tells what the grant gives access to: an index of all streams, or with a stream its fields
// and what they support, or with detail full one source's exhaustive schema.
//
// The resource server is asked for the scope and the size of the answer, and what it ignores is done
// here with the same meaning (R-SCH-1). Its error is a *tool.Error with code invalid_schema_detail or
// ambiguous_connection, or what the reader returned.
func Schema(ctx context.Context, env tool.Env, input SchemaInput) (*tool.Result, error) {
	switch {
	case input.full() && input.Stream == nil: // R-SCH-6
		return nil, &tool.Error{
			Code: tool.InvalidSchemaDetail,
			Message: fmt.Sprintf(`%[4]s "full" is the schema of one stream of one source and needs %[2]s; `+
				`call %[1]s(%[2]s, %[3]s, %[4]s: "full"), with names from %[1]s without arguments`,
				tool.SchemaTool, tool.SchemaStream, tool.SchemaConnectionID, tool.SchemaDetail),
			Param: tool.SchemaDetail,
		}
	case input.Stream == nil:
		return indexSchema(ctx, env, input)
	}
	response, found, err := read(ctx, env, input)
	if err != nil {
		return nil, err
	}
	if input.full() {
		if refused := ambiguous(found, *input.Stream); refused != nil {
			return nil, refused
		}
	}
	detail := newDetail(response, found, input)
	detail.readSamples(ctx, env)
	return detail.render()
}

// indexSchema reads the schema and, beside it, the list of streams with their counts. Neither read outlives the call.
func indexSchema(ctx context.Context, env tool.Env, input SchemaInput) (*tool.Result, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	listed := make(chan func() holdings, 1)
	go func() { listed <- caught(func() holdings { return readHoldings(ctx, env) }) }()
	response, found, err := read(ctx, env, input)
	if err != nil {
		cancel()
	}
	held := (<-listed)()
	if err != nil {
		return nil, err
	}
	return renderIndex(response, found, input, held)
}

// caught runs a function that is not on the caller's goroutine, where nobody would recover its panic, and returns one that
// gives its result, or panics as it did, where it is called.
func caught[T any](run func() T) (result func() T) {
	defer func() {
		if panicked := recover(); panicked != nil {
			result = func() T { panic(panicked) }
		}
	}()
	value := run()
	return func() T { return value }
}

// read asks for the scope and for the portion, and keeps what was asked for. In full, one source is asked: of several, none
// is (R-SCH-7, R-ERR-5).
func read(ctx context.Context, env tool.Env, input SchemaInput) (*rs.Response, *schemadoc.Document, error) {
	scope := schemadoc.Scope{Stream: input.Stream, ConnectionID: input.ConnectionID}
	request := scope.Request(input.full())
	if input.full() {
		request.Sources = rs.OneSource{Stream: *input.Stream, ConnectionID: input.ConnectionID}
	}
	response, err := env.RS.Get(ctx, request)
	if err != nil {
		return nil, nil, err
	}
	found, err := schemadoc.Read(response)
	if err != nil {
		return nil, nil, err
	}
	found.Keep(scope)
	if found.StreamCount() == 0 && (input.Stream != nil || input.ConnectionID != nil) {
		return nil, nil, nothingMatches(found, input)
	}
	return response, found, nil
}

// nothingMatches is the refusal of names that the schema does not have. The server's warnings say which sources did not answer.
func nothingMatches(found *schemadoc.Document, input SchemaInput) *tool.Error {
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
	for _, line := range render.WarningLines(found.Members) {
		refused.Message += "\n" + line
	}
	return refused
}
