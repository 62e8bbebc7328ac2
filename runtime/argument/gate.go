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

// ExpandAdvertisedInput says what a call wants to expand.
type ExpandAdvertisedInput struct {
	Stream       string
	ConnectionID *string // nil: any source
	Relations    string  // the name of the argument for what to expand
}

// ExpandAdvertised refuses expand on a stream whose schema advertises no usable expand_capabilities
// (R-ARG-8). It reads the schema on every call, so that a change is seen by the next one. It lets the
// call pass when the schema cannot be read or does not know the stream: then the RS decides. When
// several sources match, one that advertises is enough. Its error is a *tool.Error, invalid_expand.
func ExpandAdvertised(ctx context.Context, env tool.Env, input ExpandAdvertisedInput) error {
	scope := schemadoc.Scope{Stream: &input.Stream, ConnectionID: input.ConnectionID}
	schema, err := scope.Ask(ctx, env.RS.Get, rs.OneSource{Stream: input.Stream, ConnectionID: input.ConnectionID})
	if err != nil {
		return nil //nolint:nilerr // the gate fails open
	}
	if schema.StreamCount() == 0 || slices.ContainsFunc(schema.Connectors, expands) {
		return nil
	}
	return &tool.Error{
		Code: tool.InvalidExpand,
		Message: fmt.Sprintf("the stream %q advertises no expand_capabilities, so %s, and limits of it, cannot be used on it; leave them out, and see GET /v1/schema (expand_capabilities) for what can be expanded",
			input.Stream, input.Relations),
		Param: input.Relations,
	}
}

// expands reports whether a stream of the connector advertises a relation as usable.
func expands(connector *schemadoc.Connector) bool {
	return slices.ContainsFunc(connector.Streams, func(stream *schemadoc.Stream) bool {
		return slices.ContainsFunc(schemadoc.Relations(stream.Object()), schemadoc.Relation.Usable)
	})
}

// FieldWindowSelectorInput are the arguments that place a window in a field.
type FieldWindowSelectorInput struct {
	OffsetChars tool.NamedArgument[int64]
	Cursor      tool.NamedArgument[string]
	Q           tool.NamedArgument[string]
	BeforeChars tool.NamedArgument[int64]
	AfterChars  tool.NamedArgument[int64]
}

// FieldWindowSelector refuses selectors that contradict each other (R-ARG-9): more than one of an offset, a cursor
// and words to match, and a distance from the match without these words. None at all is the field's start. A cursor
// is an offset in decimal digits, since providers know no other (R-WIN-4). Its error is a *tool.Error,
// invalid_field_window_selector. It sends nothing.
func FieldWindowSelector(_ context.Context, _ tool.Env, input FieldWindowSelectorInput) error {
	offset, cursor, match := input.OffsetChars.Name, input.Cursor.Name, input.Q.Name
	refuse := func(param, message string) *tool.Error {
		return &tool.Error{Code: tool.InvalidFieldWindowSelector, Message: message, Param: param}
	}
	both := func(first, second string) *tool.Error {
		return refuse(second, fmt.Sprintf("%s and %s both place the window; pass one of them", first, second))
	}
	unmatched := func(name string) error {
		refused := refuse(name, fmt.Sprintf("%s counts from a match; pass it only beside %s, or leave it out", name, match))
		refused.Instead = []rawjson.Object{{{Name: input.BeforeChars.Name}, {Name: input.AfterChars.Name}}}
		return refused
	}
	isOffset := func(text string) bool {
		_, err := strconv.ParseUint(text, 10, 63)
		return err == nil
	}
	switch {
	case input.OffsetChars.Given() && input.Cursor.Given():
		refused := both(offset, cursor)
		if *input.Cursor.Value == strconv.FormatInt(*input.OffsetChars.Value, 10) {
			refused.Instead = []rawjson.Object{{{Name: cursor}}}
		}
		return refused
	case input.OffsetChars.Given() && input.Q.Given():
		return both(offset, match)
	case input.Cursor.Given() && input.Q.Given():
		return both(cursor, match)
	case input.BeforeChars.Given() && !input.Q.Given():
		return unmatched(input.BeforeChars.Name)
	case input.AfterChars.Given() && !input.Q.Given():
		return unmatched(input.AfterChars.Name)
	case input.Cursor.Given() && !isOffset(*input.Cursor.Value):
		return refuse(cursor, fmt.Sprintf("%[1]s must be the decimal offset of a character, at least 0, as next_offset_chars gives it; "+
			"pass that, or leave %[1]s out to read from the start", cursor))
	}
	return nil
}

// AggregateMeasureInput are the arguments that say what an aggregate measures.
type AggregateMeasureInput struct {
	Stream       string
	ConnectionID *string
	Metric       tool.NamedArgument[string]
	Field        tool.NamedArgument[string]
	GroupByTime  tool.NamedArgument[string]
	Granularity  tool.NamedArgument[string]
}

// AggregateMeasure refuses a metric without its field, count with a field, and groups by time without a granularity, which servers
// refuse in words about grouping. It sends nothing. Its error is a *tool.Error, invalid_arguments.
func AggregateMeasure(_ context.Context, _ tool.Env, input AggregateMeasureInput) error {
	metric, field, granularity := *input.Metric.Value, input.Field.Name, input.Granularity.Name
	isCount := metric == "count"
	switch {
	case isCount && input.Field.Given():
		refused := refuse(tool.InvalidArguments, field, fmt.Sprintf("is not used by %s count, which counts records; leave it out", input.Metric.Name))
		refused.Instead = []rawjson.Object{{{Name: field}}}
		return refused
	case !isCount && !input.Field.Given():
		refused := refuse(tool.InvalidArguments, field, fmt.Sprintf("is required for %s %s; pass the field to measure, which %s shows", input.Metric.Name, metric, tool.SchemaTool))
		refused.Next = tool.SchemaCall(input.Stream, orZero(input.ConnectionID))
		return refused
	case input.GroupByTime.Given() && !input.Granularity.Given():
		return refuse(tool.InvalidArguments, granularity, fmt.Sprintf("is required with %s; pass the length of a group", input.GroupByTime.Name))
	}
	return nil
}

// SubscriptionChangeInput is what may be changed of an event subscription. A nil member was not given.
type SubscriptionChangeInput struct {
	Enabled      *bool
	RotateSecret *bool
}

// SubscriptionChange refuses a call that asks for no change, which providers answer as if there had been one. Its
// error is a *tool.Error, invalid_arguments. It sends nothing.
func SubscriptionChange(_ context.Context, _ tool.Env, input SubscriptionChangeInput) error {
	if input.Enabled != nil || input.RotateSecret != nil && *input.RotateSecret {
		return nil
	}
	return &tool.Error{Code: tool.InvalidArguments, Message: "nothing to change; pass enabled, or rotate_secret as true"}
}
