// Package tally counts, adds up and orders records one after another, where the resource server does not (R-SCAN-3,
// R-SCAN-4). It works on the bytes of a record as they were received and keeps none of them but those that an answer
// shows, so that its memory is bounded by the answer and not by the records.
package tally

import (
	"fmt"
	"strconv"

	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
)

// Query is what an aggregation asks for, in the words of the resource server. Empty texts are not asked for.
type Query struct {
	Stream      string
	Metric      string // count, sum, min, max or count_distinct
	Field       string // that is measured; none for count
	GroupBy     string
	GroupByTime string
	Granularity string // of GroupByTime: minute, hour, day, week, month, quarter or year
	TimeZone    string // of GroupByTime, an IANA name; UTC when empty
	Limit       int    // of groups, 1 to 100; 0 for the usual one: 100 by time, else 10
}

// QueryOf reads the parameters of an aggregation of a stream.
func QueryOf(stream string, parameters rs.Query) Query {
	text := func(name string) string {
		value, _ := parameters.Get(name)
		return value
	}
	limit, _ := strconv.Atoi(text("limit"))
	return Query{
		Stream: stream, Metric: text("metric"), Field: text("field"), GroupBy: text("group_by"), GroupByTime: text("group_by_time"),
		Granularity: text("granularity"), TimeZone: text("time_zone"), Limit: limit,
	}
}

// Error is a query that cannot be answered. It names the resource server's parameter.
type Error struct {
	Parameter string
	Problem   string // such as `is required with group_by_time`
}

func (e *Error) Error() string { return fmt.Sprintf("%s %s", e.Parameter, e.Problem) }
