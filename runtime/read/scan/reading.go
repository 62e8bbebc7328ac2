// Package scan answers queries that a resource server refuses to a token by reading the records (R-SCAN): filters,
// aggregates of fields that it does not declare, and rows in an order that it does not offer. It also reads all streams
// as one timeline (R-TIME). Generated tools call it. It reads with the caller's bearer within the bounds of
// tool.Readings, and describes the reading in rs.Response.Reading.
package scan

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/answer"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/scalar"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/wire"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/read/condition"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// Members of lists and aggregates.
const (
	nextCursorName = "next_cursor"
	bookmarkName   = "next_changes_since"
	groupsName     = "groups"
	othersName     = "other_count"
)

// The kinds of readings, for metrics.
const (
	kindRows     = "rows"
	kindTop      = "top"
	kindGroups   = "groups"
	kindHits     = "hits"
	kindTimeline = "timeline"
)

// reading is one reading of a call, and what it has read so far.
type reading struct {
	answer.Reading
	ctx     context.Context // ends with the time for reading
	call    context.Context // of the call
	env     tool.Env
	kind    string            // for metrics; empty: its parts are counted
	cancel  func()            // cancels every read
	release func()            // ends the caller's turn
	budget  *tool.Budget      // records that the call may still read
	pages   int               // pages that were read
	order   listOrder         // of the records
	filter  *condition.Filter // the filter that the adapter applies; nil: none
	origin  answer.Origin     // of the last response; zero before the first
	expands bool              // the last response has other records in its own
	grants  []string          // that answered
	absent  []rawjson.Value   // warnings about sources that could have contributed

	timeFields map[string]string // of the connections, whose lists are merged; nil: not merged
	isResumed  bool              // an earlier call read the first records
	needsAll   bool              // an interruption is an error, because a part of the records is not an answer
	isBounded  bool              // the records past a bound of the filter are not read
}

// newReading waits for the caller's turn, unless a part of a call has the turn of that call. The caller must end the
// reading.
func newReading(ctx context.Context, env tool.Env, kind string) (*reading, error) {
	limited, cancel := context.WithTimeout(ctx, tool.ReadOnTime)
	r := &reading{ctx: limited, call: ctx, env: env, kind: kind, budget: env.Budget, cancel: cancel, release: func() {}}
	if r.budget == nil {
		var err error
		if r.release, err = env.Readings.Begin(limited, env.Caller); err != nil {
			cancel()
			return nil, err
		}
		r.budget = env.Readings.NewBudget()
	}
	return r, nil
}

// end reports what was read, and lets the caller's next reading begin.
func (r *reading) end() {
	r.cancel()
	r.release()
	if r.kind != "" && (r.origin.Status != 0 || r.pages > 0) {
		r.env.Readings.Observe(r.call, r.kind, r.Reading)
	}
}

// interrupted notes why a reading is incomplete and returns nil. It returns the error if the error itself is the
// answer.
func (r *reading) interrupted(err error) error {
	if r.Note = interruption(err); r.Note == "" || r.needsAll || r.pages == 0 && r.Read == 0 || r.call.Err() != nil {
		return err
	}
	return nil
}

// noteFull notes that the call has read as many records as it may.
func (r *reading) noteFull() {
	r.Note = fmt.Sprintf("One call reads %d records at most.", r.env.Readings.MaxRecords())
}

func (r *reading) reportProgress() {
	if r.env.Progress != nil && r.Read > 0 {
		r.env.Progress(r.Read, fmt.Sprintf("%d records read", r.Read))
	}
}

// noteRead counts the records that were read, and updates the order.
func (r *reading) noteRead(rows ...record) {
	for _, row := range rows {
		r.Read++
		r.order.add(row.fields)
	}
}

// markOf returns the mark of the record that was counted last.
func (r *reading) markOf(last record) answer.Mark {
	at := r.order.time(last.fields)
	if r.timeFields != nil {
		at = rawjson.TextOf(last.fields.Member(r.timeFields[last.connectionID()]))
	}
	return answer.Mark{ID: last.key(), Time: at, Read: r.Read}
}

// answer returns an answer to a call without its rows. The reading must have ended.
func (r *reading) answer(input RowsInput, envelope answer.Envelope) *answer.Rows {
	rows := input.answer(r.source())
	rows.Reading, rows.Envelope, rows.Expands = r.described(), envelope, r.expands
	rows.Warnings = append(rows.Warnings, r.absent...)
	return rows
}

// noteResponse keeps where a response is from, and the warnings about sources that could have contributed to it.
func (r *reading) noteResponse(response *rs.Response) {
	_, r.expands = response.Request.Query.Get(wire.Expand)
	r.noteSource(originOf(response), response.GrantIDs)
	for _, warning := range tool.Absences(r.call, r.env.RS, response.Request) {
		if !slices.ContainsFunc(r.absent, func(known rawjson.Value) bool { return bytes.Equal(known, warning) }) {
			r.absent = append(r.absent, warning)
		}
	}
}

func (r *reading) noteSource(origin answer.Origin, grants []string) {
	r.origin = origin
	for _, id := range grants {
		if !slices.Contains(r.grants, id) {
			r.grants = append(r.grants, id)
		}
	}
}

// source returns the origin of the last response, and the grants that answered.
func (r *reading) source() (answer.Origin, []string) {
	if r.origin.Status == 0 {
		return answer.Origin{Status: http.StatusOK}, nil
	}
	return r.origin, r.grants
}

// described returns what was read.
func (r *reading) described() *answer.Reading {
	about := r.Reading
	about.IsLaterPage = r.isResumed
	about.Direction = cmp.Or(about.Direction, r.order.direction())
	if r.Complete && r.Matched == 0 && r.filter != nil && !r.isResumed {
		about.Unmatched = r.filter.Unmatched()
		switch {
		case r.kind == kindHits:
			about.Compared = answer.HitRecords
		case r.isBounded:
			about.Compared = answer.RecordsInRange
		}
	}
	return &about
}

// checkTimes returns an error if nothing matched because the filter compares a field of times with something else.
func (r *reading) checkTimes() error {
	wrong := r.filter.NotATime()
	if wrong == nil || r.Matched > 0 {
		return nil
	}
	field, value := rawjson.Quote(wrong.Field), rawjson.Quote(wrong.Value)
	message := fmt.Sprintf("filter compares %s with %s, but %s holds times; pass a date or a time such as 2026-01-31T08:00:00Z", field, value, field)
	if at, isEpoch := scalar.UnixTime(wrong.Value); isEpoch {
		message += fmt.Sprintf("; %s counts from 1970 and is %s", wrong.Value, at.Format(time.RFC3339))
	}
	return &tool.Error{Code: tool.InvalidFilter, Param: tool.RecordsFilter, Message: message}
}

// exactCount returns the member of meta with the number of matching records.
func exactCount(count int64) rawjson.Member {
	return rawjson.Raw(wire.Count, rawjson.Object{rawjson.String("kind", "exact"), rawjson.Int("value", count)}.Encode())
}

// warnings are the warnings of a response, each as JSON.
type warnings []rawjson.Value

// add adds a warning for each message that is not empty.
func (w *warnings) add(code string, messages ...string) {
	for _, message := range messages {
		if message != "" {
			*w = append(*w, rawjson.Object{rawjson.String("code", code), rawjson.String("message", message)}.Encode())
		}
	}
}

func (r *reading) filterWarnings() (found warnings) {
	found.add(condition.WarnComparison, r.filter.Warnings(r.env.Clock.Location())...)
	return found
}

// isNarrowable reports whether each field of a filter can be requested by name. Names in a list of fields have no
// commas.
func isNarrowable(filter rs.Filter) bool {
	return !slices.ContainsFunc(filter, func(c rs.Condition) bool { return strings.Contains(c.Field, ",") })
}
