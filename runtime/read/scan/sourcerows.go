package scan

import (
	"bytes"
	"math"
	"slices"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/answer"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/wire"
)

// keep keeps the records of a page that are in the range and were not shown before. It returns true if isOrdered and
// the records are out of order.
func (s *source) keep(records []record, isOrdered bool) (isOutOfOrder bool) {
	set := s.fieldSet(s.stream, s.field, records)
	for _, record := range records {
		value := record.fields.Member(s.field)
		at, form, isTime := instantOf(value, s.env.Clock)
		if !isTime {
			continue // a timeline has only records with a time
		}
		ordinal := s.ordinal(at)
		if s.form == nil {
			s.form, s.last = &form, ordinal
		}
		s.slack = max(s.slack, slackOf(*s.form, form))
		if isOrdered && s.last-ordinal > int64(s.slack) {
			return true
		}
		if !isOrdered || ordinal > s.last {
			s.last = ordinal
		}
		row := timelineRow{sortKey: sortKey{At: at.UnixNano(), Stream: s.stream, Connection: s.connection, Key: record.key()}, page: len(s.pages) - 1}
		if s.span.holds(at) && (s.from == nil || s.compare(row.sortKey, *s.from) > 0) {
			row.time = rawjson.TextOf(value)
			row.record = answer.Record{
				Members: append(s.identity(record), rawjson.Raw(timeKey, bytes.Clone(value))), Data: set.of(record.object()),
			}
			s.rows = append(s.rows, row)
		}
	}
	slices.SortFunc(s.rows, func(a, b timelineRow) int { return s.compare(a.sortKey, b.sortKey) })
	s.held.Release() // the rows have their own memory
	return false
}

func (s *source) identity(record record) rawjson.Object {
	row := rawjson.Object{rawjson.String(wire.ID, record.key()), rawjson.String(wire.Stream, s.stream)}
	if s.connection != "" {
		row = append(row, rawjson.String(wire.ConnectionID, s.connection))
	}
	return row
}

// settled returns the number of rows that no unread row can precede.
func (s *source) settled() int {
	if s.isDone {
		return len(s.rows)
	}
	unsettled := func(row timelineRow) bool { return s.last-s.ordinal(time.Unix(0, row.At)) <= int64(s.slack) }
	if i := slices.IndexFunc(s.rows, unsettled); i >= 0 {
		return i
	}
	return len(s.rows)
}

// nextAt returns the first instant, in the order of the timeline, that an unread row can have.
func (s *source) nextAt() int64 {
	first := int64(math.MinInt64 + 1)
	if s.form != nil {
		first = s.last - int64(s.slack)
	}
	if s.isRising {
		return first
	}
	return -first
}

// nextCursor returns the resource server's cursor of the first page with a row that was not shown.
func (s *source) nextCursor(shown int) string {
	if s.readsFromEnd || len(s.pages) == 0 {
		return ""
	}
	if shown < len(s.rows) {
		return s.pages[max(0, slices.MinFunc(s.rows[shown:], func(a, b timelineRow) int { return a.page - b.page }).page)]
	}
	return s.cursor
}

// ordinal returns a number that rises in the order of the timeline.
func (t *timeline) ordinal(at time.Time) int64 {
	if t.isRising {
		return at.UnixNano()
	}
	return -at.UnixNano()
}
