// Package readon answers by reading records what a resource server refuses to a token (R-SCAN): filters, sums and groups of
// fields that it does not declare, the first rows by a field that it does not sort by. It reads with the caller's bearer what
// the caller may read, within the bounds of tool.Readings, and says so in rs.Response.Reading. What the resource server
// answers, it answers.
package readon

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/condition"
	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// Parameters of the resource server.
const (
	limitName       = "limit"
	cursorName      = "cursor"
	nextCursorName  = "next_cursor"
	countName       = "count"
	fieldsName      = "fields"
	filterName      = "filter"
	sortName        = "sort"
	orderName       = "order"
	zoneName        = "time_zone"
	feedName        = "changes_since"
	connectionName  = "connection_id"
	groupByTimeName = "group_by_time"
	granularityName = "granularity"
)

// The kinds of readings, for those who count them.
const (
	kindRows   = "rows"
	kindTop    = "top"
	kindGroups = "groups"
	kindHits   = "hits"

	kindTimeline = "timeline"
)

// reading is one reading under way, and what it has read so far.
type reading struct {
	rs.Reading
	ctx    context.Context // ends with the time for reading
	caller context.Context // ends with the call
	env    tool.Env
	kind   string
	stop   func()       // every read that is under way
	leave  func()       // the caller's turn
	left   int          // records that may still be asked for
	pages  int          // that were read
	base   *rs.Response // the last one of a page: what an answer says of where it was read
	order  listOrder
	filter *condition.Filter // that the adapter applies; nil: none
}

// begin waits for the caller's turn. The reading has to be ended.
func begin(ctx context.Context, env tool.Env, kind string) (*reading, error) {
	limited, cancel := context.WithTimeout(ctx, tool.ReadOnTime)
	release, err := env.Readings.Begin(limited, env.Caller)
	if err != nil {
		cancel()
		return nil, err
	}
	left := env.Readings.Most()
	if env.ReadMost > 0 {
		left = min(left, env.ReadMost)
	}
	return &reading{
		ctx: limited, caller: ctx, env: env, kind: kind, left: left,
		stop: cancel, leave: release,
	}, nil
}

// end tells what was read, and lets the caller's next reading begin.
func (r *reading) end() {
	r.stop()
	r.leave()
	if r.base != nil {
		r.env.Readings.Observe(r.caller, r.kind, r.Reading)
	}
}

// interrupted ends the reading before it is complete, when it may: its error is the answer otherwise.
func (r *reading) interrupted(err error) error {
	if r.Note = interruption(err); r.Note == "" || r.pages == 0 && r.Read == 0 || r.caller.Err() != nil {
		return err
	}
	return nil
}

// bounded ends the reading at its bound.
func (r *reading) bounded() {
	r.Note = fmt.Sprintf("One call reads %d records at most.", r.env.Readings.Most())
}

// tell tells the client how far the reading has come, when it wants to know.
func (r *reading) tell() {
	if r.env.Progress != nil && r.Read > 0 {
		r.env.Progress(r.Read, fmt.Sprintf("%d records read", r.Read))
	}
}

// look counts a record in.
func (r *reading) look(at record) {
	r.Read++
	r.order.add(at.fields)
}

// mark is a place at the record that was looked at last.
func (r *reading) mark(at record) rs.Mark {
	return rs.Mark{ID: at.key(), Time: r.order.time(at.fields), Read: r.Read}
}

// upTo notes that the reading has come to a record, before its page is no more; nil: to no other one.
func (r *reading) upTo(last *record) {
	if last != nil {
		r.UpTo = r.mark(*last)
	}
}

// answer is the answer to a request, with what the reading read.
func (r *reading) answer(asked rs.Request, body rawjson.Object) *rs.Response {
	made := r.base.WithMembers(body)
	made.Request, made.Seen = asked, 0
	about := r.Reading
	if r.Complete && r.Matched == 0 && r.filter != nil {
		about.Unmatched = r.filter.Unmatched()
	}
	made.Reading = &about
	return made
}

// checkTimes returns an error if nothing matched because the filter compares a field of times with something else.
func (r *reading) checkTimes() error {
	wrong := r.filter.NotATime()
	if wrong == nil || r.Matched > 0 {
		return nil
	}
	refused := &tool.Error{
		Code: tool.InvalidFilter, Param: filterName,
		Message: fmt.Sprintf("filter compares %s with %s, but %s holds times; pass a date or a time such as 2026-01-31T08:00:00Z",
			rawjson.Quote(wrong.Field), rawjson.Quote(wrong.Value), rawjson.Quote(wrong.Field)),
	}
	if at, isEpoch := epoch(wrong.Value); isEpoch {
		refused.Message += fmt.Sprintf("; %s counts from 1970 and is %s", wrong.Value, at.Format(time.RFC3339))
	}
	return refused
}

// epoch reads seconds or milliseconds since 1970, between the years 2001 and 2128.
func epoch(text string) (time.Time, bool) {
	number, err := strconv.ParseInt(text, 10, 64)
	switch {
	case err != nil:
		return time.Time{}, false
	case 1e9 <= number && number < 5e9:
		return time.Unix(number, 0).UTC(), true
	}
	return time.UnixMilli(number).UTC(), 1e12 <= number && number < 5e12
}

// exactCount is the member of meta that says how many records match.
func exactCount(count int64) rawjson.Member {
	return rawjson.Raw(countName, rawjson.Object{rawjson.String("kind", "exact"), rawjson.Int("value", count)}.Encode())
}

// warningsOf are what a filter gives reason to warn of, as members of meta.
func (r *reading) warningsOf(filter *condition.Filter, others ...string) []rawjson.Value {
	var warnings []rawjson.Value
	for _, compared := range filter.Warnings(r.env.Clock.Location()) {
		warnings = append(warnings, warning("filter_comparison", compared.Message))
	}
	for _, other := range others {
		warnings = append(warnings, warning("partial_results", other))
	}
	return warnings
}

// withSpelled has a warning more, unless there is nothing to say of numbers that are texts.
func withSpelled(warnings []rawjson.Value, spelled string) []rawjson.Value {
	if spelled == "" {
		return warnings
	}
	return append(warnings, warning("numbers_as_text", spelled))
}

// withWarnings is meta with the warnings, if there are any.
func withWarnings(meta rawjson.Object, warnings []rawjson.Value) rawjson.Object {
	if warnings == nil {
		return meta
	}
	return append(meta, rawjson.Raw("warnings", rawjson.Array(warnings)))
}

func warning(code, message string) rawjson.Value {
	return rawjson.Object{rawjson.String("code", code), rawjson.String("message", message)}.Encode()
}

// isNarrowable reports whether each field of a filter can be asked for by name: a list of names has commas between them.
func isNarrowable(filter rs.Filter) bool {
	return !slices.ContainsFunc(filter, func(c rs.Condition) bool { return strings.Contains(c.Field, ",") })
}
