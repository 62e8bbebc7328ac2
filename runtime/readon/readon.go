// Package readon answers by reading records what a resource server refuses to a token (R-SCAN): filters, sums and groups of
// fields that it does not declare, the first rows by a field that it does not sort by. It reads with the caller's bearer what
// the caller may read, within bounds, and says so in rs.Response.Reading. What the resource server answers, it answers.
package readon

import (
	"context"

	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// RowsInput is what a page of rows asks for. A nil member was not given.
type RowsInput struct {
	Filter       rs.Filter
	Sort         *string
	Order        *string
	Fields       []string
	Count        *string
	Cursor       *string
	ConnectionID *string
}

// Rows reads a page of a stream.
func Rows(ctx context.Context, env tool.Env, request rs.Request, _ RowsInput) (*rs.Response, error) {
	return env.Get(ctx, request)
}

// GroupsInput is what an aggregate asks for. A nil member was not given.
type GroupsInput struct {
	Stream       string
	Metric       string
	Field        *string
	GroupBy      *string
	GroupByTime  *string
	Granularity  *string
	TimeZone     *string
	Limit        *int64
	Filter       rs.Filter
	ConnectionID *string
}

// Groups reads an aggregate.
func Groups(ctx context.Context, env tool.Env, request rs.Request, _ GroupsInput) (*rs.Response, error) {
	return env.Get(ctx, request)
}

// HitsInput is what a search asks for. A nil member was not given.
type HitsInput struct {
	Filter  rs.Filter
	Cursor  *string
	Streams []string
}

// Hits reads a page of hits.
func Hits(ctx context.Context, env tool.Env, request rs.Request, _ HitsInput) (*rs.Response, error) {
	return env.Get(ctx, request)
}
