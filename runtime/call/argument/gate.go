package argument

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/scalar"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/wire"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// The gates of specs check several of the given arguments together, before the request is sent. Their errors are
// *tool.Errors. A gate that reads is in package operation.

// FieldWindowSelectorInput has the names of the arguments that place a window in a field.
type FieldWindowSelectorInput struct{ OffsetChars, Cursor, Q, BeforeChars, AfterChars string }

// FieldWindowSelector returns invalid_field_window_selector for more than one of an offset, a cursor and words to
// match, for a distance from a match without words, and for a cursor that is not an offset in decimal digits (R-ARG-9,
// R-WIN-4).
func FieldWindowSelector(_ context.Context, _ tool.Env, given rawjson.Object, names FieldWindowSelectorInput) error {
	const code = tool.InvalidFieldWindowSelector
	cursor := given.Text(names.Cursor)
	switch placing := givenOf(given, names.OffsetChars, names.Cursor, names.Q); {
	case len(placing) > 1:
		refused := &tool.Error{
			Code: code, Message: fmt.Sprintf("%s and %s both place the window; pass one of them", placing[0], placing[1]), Param: placing[1],
		}
		if placing[1] == names.Cursor && cursor == string(given.Get(names.OffsetChars)) {
			refused.Instead = []rawjson.Object{without(names.Cursor)}
		}
		return refused
	case given.Get(names.Q) != nil:
		return nil
	}
	if distances := givenOf(given, names.BeforeChars, names.AfterChars); len(distances) > 0 {
		return refuse(code, distances[0], fmt.Sprintf("counts from a match; pass it only with %s, or leave it out", names.Q),
			without(names.BeforeChars, names.AfterChars))
	}
	if _, err := strconv.ParseUint(cursor, 10, 63); err != nil && given.Get(names.Cursor) != nil {
		return refuse(code, names.Cursor, "must be the decimal offset of a character, at least 0, such as next_offset_chars; "+
			"pass that, or leave "+names.Cursor+" out to read from the start")
	}
	return nil
}

// givenOf returns the names of arguments that the call has.
func givenOf(given rawjson.Object, names ...string) []string {
	return slices.DeleteFunc(names, func(name string) bool { return given.Get(name) == nil })
}

// AggregateMeasureInput has the stream of an aggregate, and the names of the arguments that say what it measures.
type AggregateMeasureInput struct {
	Stream       string
	ConnectionID *string

	Metric, Field, GroupBy, GroupByTime, Granularity, Sort string
}

// AggregateMeasure returns invalid_arguments for a metric without its field, for count with a field, for groups by time
// without a granularity, and for an order without groups. The refusals of servers for these calls only mention
// grouping.
func AggregateMeasure(_ context.Context, _ tool.Env, given rawjson.Object, input AggregateMeasureInput) error {
	const code = tool.InvalidArguments
	has := func(name string) bool { return given.Get(name) != nil }
	metric, isCount := input.Metric+" "+given.Text(input.Metric), given.Text(input.Metric) == wire.Count
	switch {
	case isCount && has(input.Field):
		return refuse(code, input.Field, "is not used by "+metric+", which counts records; leave it out", without(input.Field))
	case !isCount && !has(input.Field) && input.Stream != tool.EveryStream:
		refused := refuse(code, input.Field, fmt.Sprintf("is required for %s; pass the field to measure, which %s shows", metric, tool.SchemaTool))
		refused.Next = tool.SchemaCall(input.Stream, scalar.OrZero(input.ConnectionID))
		return refused
	case has(input.GroupByTime) && !has(input.Granularity):
		return refuse(code, input.Granularity, "is required with "+input.GroupByTime+"; pass the length of a group")
	case has(input.Sort) && !has(input.GroupBy) && !has(input.GroupByTime):
		return refuse(code, input.Sort, "orders groups; pass "+input.GroupBy+" or "+input.GroupByTime+" too, or leave it out", without(input.Sort))
	}
	return nil
}

// SubscriptionChangeInput has the changes of an event subscription. A nil member was not given.
type SubscriptionChangeInput struct {
	Enabled      *bool
	RotateSecret *bool
}

// SubscriptionChange returns invalid_arguments for a call without a change. Providers answer such a call as if it
// changed something.
func SubscriptionChange(_ context.Context, _ tool.Env, _ rawjson.Object, input SubscriptionChangeInput) error {
	if input.Enabled != nil || scalar.OrZero(input.RotateSecret) {
		return nil
	}
	return &tool.Error{Code: tool.InvalidArguments, Message: "nothing to change; pass enabled, or rotate_secret as true"}
}
