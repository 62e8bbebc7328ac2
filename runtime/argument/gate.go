package argument

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/schemadoc"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// The gates of specs check several arguments together, before the request is sent. Their errors are *tool.Errors. Only ExpandAdvertised
// sends a request.

// ExpandAdvertisedInput has the arguments that ExpandAdvertised checks.
type ExpandAdvertisedInput struct {
	Stream       string
	ConnectionID *string // nil: any source
	Relations    string  // the name of the argument with the relations
	Limits       string  // the name of the argument with their limits
}

// ExpandAdvertised returns invalid_expand if the schema advertises no usable expand_capabilities for the stream (R-ARG-8). It reads the
// schema on every call. It accepts the call if the schema cannot be read or does not know the stream, and if one of several sources
// advertises a relation.
func ExpandAdvertised(ctx context.Context, env tool.Env, input ExpandAdvertisedInput) error {
	scope := schemadoc.Scope{Stream: &input.Stream, ConnectionID: input.ConnectionID}
	schema, err := scope.Ask(ctx, env.RS.Get, rs.OneSource{Stream: input.Stream, ConnectionID: input.ConnectionID})
	if err != nil || schema.StreamCount() == 0 {
		return nil //nolint:nilerr // the resource server decides
	}
	for _, row := range schema.Rows() {
		if slices.ContainsFunc(row.Relations(), schemadoc.Relation.Usable) {
			return nil
		}
	}
	return &tool.Error{
		Code: tool.InvalidExpand,
		Message: fmt.Sprintf("the stream %q advertises no expand_capabilities, so %s, and limits of it, cannot be used on it; leave them out, and see GET /v1/schema (expand_capabilities) for what can be expanded",
			input.Stream, input.Relations),
		Param:   input.Relations,
		Instead: []rawjson.Object{without(input.Relations, input.Limits)},
	}
}

// FieldWindowSelectorInput has the arguments that place a window in a field.
type FieldWindowSelectorInput struct {
	OffsetChars tool.NamedArgument[int64]
	Cursor      tool.NamedArgument[string]
	Q           tool.NamedArgument[string]
	BeforeChars tool.NamedArgument[int64]
	AfterChars  tool.NamedArgument[int64]
}

// FieldWindowSelector returns invalid_field_window_selector for more than one of an offset, a cursor and words to match, for a distance
// from a match without words, and for a cursor that is not an offset in decimal digits (R-ARG-9, R-WIN-4).
func FieldWindowSelector(_ context.Context, _ tool.Env, input FieldWindowSelectorInput) error {
	const code = tool.InvalidFieldWindowSelector
	offset, cursor, match := input.OffsetChars, input.Cursor, input.Q
	both := func(first, second string, instead ...rawjson.Object) error {
		message := fmt.Sprintf("%s and %s both place the window; pass one of them", first, second)
		return &tool.Error{Code: code, Message: message, Param: second, Instead: instead}
	}
	switch {
	case offset.Given() && cursor.Given() && *cursor.Value == strconv.FormatInt(*offset.Value, 10):
		return both(offset.Name, cursor.Name, without(cursor.Name))
	case offset.Given() && cursor.Given():
		return both(offset.Name, cursor.Name)
	case offset.Given() && match.Given():
		return both(offset.Name, match.Name)
	case cursor.Given() && match.Given():
		return both(cursor.Name, match.Name)
	case match.Given():
		return nil
	}
	for _, distance := range []tool.NamedArgument[int64]{input.BeforeChars, input.AfterChars} {
		if distance.Given() {
			return refuse(code, distance.Name, fmt.Sprintf("counts from a match; pass it only with %s, or leave it out", match.Name),
				without(input.BeforeChars.Name, input.AfterChars.Name))
		}
	}
	if cursor.Given() {
		if _, err := strconv.ParseUint(*cursor.Value, 10, 63); err != nil {
			return refuse(code, cursor.Name, "must be the decimal offset of a character, at least 0, as next_offset_chars gives it; "+
				"pass that, or leave "+cursor.Name+" out to read from the start")
		}
	}
	return nil
}

// AggregateMeasureInput has the arguments that say what an aggregate measures.
type AggregateMeasureInput struct {
	Stream       string
	ConnectionID *string
	Metric       tool.NamedArgument[string]
	Field        tool.NamedArgument[string]
	GroupBy      tool.NamedArgument[string]
	GroupByTime  tool.NamedArgument[string]
	Granularity  tool.NamedArgument[string]
	Sort         tool.NamedArgument[string]
}

// AggregateMeasure returns invalid_arguments for a metric without its field, for count with a field, for groups by time without a
// granularity, and for an order without groups. The refusals of servers for these calls only mention grouping.
func AggregateMeasure(_ context.Context, _ tool.Env, input AggregateMeasureInput) error {
	const code = tool.InvalidArguments
	metric, field, isCount := input.Metric.Name+" "+*input.Metric.Value, input.Field, *input.Metric.Value == "count"
	switch {
	case isCount && field.Given():
		return refuse(code, field.Name, "is not used by "+metric+", which counts records; leave it out", without(field.Name))
	case !isCount && !field.Given():
		refused := refuse(code, field.Name, fmt.Sprintf("is required for %s; pass the field to measure, which %s shows", metric, tool.SchemaTool))
		refused.Next = tool.SchemaCall(input.Stream, orZero(input.ConnectionID))
		return refused
	case input.GroupByTime.Given() && !input.Granularity.Given():
		return refuse(code, input.Granularity.Name, "is required with "+input.GroupByTime.Name+"; pass the length of a group")
	case input.Sort.Given() && !input.GroupBy.Given() && !input.GroupByTime.Given():
		return refuse(code, input.Sort.Name, "orders groups; pass "+input.GroupBy.Name+" or "+input.GroupByTime.Name+" too, or leave it out",
			without(input.Sort.Name))
	}
	return nil
}

// SubscriptionChangeInput has the changes of an event subscription. A nil member was not given.
type SubscriptionChangeInput struct {
	Enabled      *bool
	RotateSecret *bool
}

// SubscriptionChange returns invalid_arguments for a call without a change. Providers answer such a call as if it changed something.
func SubscriptionChange(_ context.Context, _ tool.Env, input SubscriptionChangeInput) error {
	if input.Enabled != nil || orZero(input.RotateSecret) {
		return nil
	}
	return &tool.Error{Code: tool.InvalidArguments, Message: "nothing to change; pass enabled, or rotate_secret as true"}
}
