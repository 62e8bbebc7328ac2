package render

import (
	"context"

	"github.com/pdppmcp/pdpp-mcp/runtime/render/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

func plain(response *rs.Response) (*tool.Result, error) {
	body, err := OpenBody(response)
	if err != nil {
		return nil, err
	}
	return &tool.Result{
		Text:       string(body.Encode()),
		Structured: structured(response, rawjson.Object{rawjson.Raw("data", body.Encode())}, nil),
	}, nil
}

// Records renders a page of records.
func Records(_ context.Context, _ tool.Env, response *rs.Response, _ RecordsInput) (*tool.Result, error) {
	return plain(response)
}

// Aggregate renders an aggregation.
func Aggregate(_ context.Context, _ tool.Env, response *rs.Response, _ AggregateInput) (*tool.Result, error) {
	return plain(response)
}

// Search renders search results.
func Search(_ context.Context, _ tool.Env, response *rs.Response, _ SearchInput) (*tool.Result, error) {
	return plain(response)
}

// Document renders a fetched record.
func Document(_ context.Context, _ tool.Env, response *rs.Response, _ DocumentInput) (*tool.Result, error) {
	return plain(response)
}

// FieldWindow renders a window of a text field.
func FieldWindow(_ context.Context, _ tool.Env, response *rs.Response, _ FieldWindowInput) (*tool.Result, error) {
	return plain(response)
}
