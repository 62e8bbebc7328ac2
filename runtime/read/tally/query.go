// Package tally counts, adds up and orders records one after another, where the resource server does not (R-SCAN-3,
// R-SCAN-4). Package scan calls it. It keeps only the bytes of records that an answer shows, so that memory does not
// grow with the records.
package tally

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
	_ "time/tzdata" // the days of a zone must not depend on the machine

	"github.com/pdppmcp/pdpp-mcp/runtime/answer"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/wire"
)

// Limits of the number of groups, as Query.Limit. Groups by time have answer.MaxGroups by default (R-AGG-4).
const (
	DefaultGroups = 10 // as resource servers
	EveryGroup    = math.MaxInt
)

var (
	metrics       = []string{wire.Count, "sum", "min", "max", "count_distinct"}
	granularities = []string{"minute", "hour", "day", "week", "month", "quarter", "year", weekday, hourOfDay}
)

// Query has the parameters of an aggregation, in the words of the resource server. An empty string was not given.
type Query struct {
	Stream      string
	Metric      string // count, sum, min, max or count_distinct
	Field       string // the measured field; empty for count
	GroupBy     string
	GroupByTime string
	Granularity string // of GroupByTime: minute to year, weekday or hour_of_day
	TimeZone    string // of GroupByTime, an IANA name; UTC when empty
	AsWritten   bool   // dates and times with an offset count as they are written, not in TimeZone
	Limit       int    // of groups, 1 to 100; 0 for the default: 100 by time, otherwise 10
	Sort        string // of groups: key, -key, value or -value; empty: the order of the resource server
	Skip        int    // groups at the start of that order that are left out
}

// Error reports a query that cannot be answered. The resource server refuses the same query.
type Error struct {
	Parameter string // of the resource server
	Problem   string // such as "is required with group_by_time"
}

func (e *Error) Error() string { return fmt.Sprintf("%s %s", e.Parameter, e.Problem) }

// checked returns the query with defaults, and the time zone. Its error is an *Error.
func (q Query) checked() (Query, *time.Location, error) {
	byTime := q.GroupByTime != ""
	for _, rule := range []struct {
		broken             bool
		parameter, problem string
	}{
		{!slices.Contains(metrics, q.Metric), wire.Metric, "must be one of " + strings.Join(metrics, ", ")},
		{q.Metric == wire.Count && q.Field != "", wire.Field, "is not supported for count"},
		{q.Metric != wire.Count && q.Field == "", wire.Field, "is required for " + q.Metric},
		{byTime && q.Granularity == "", wire.Granularity, "is required with group_by_time"},
		{!byTime && q.Granularity != "", wire.Granularity, "is only supported with group_by_time"},
		{!byTime && q.TimeZone != "", wire.TimeZone, "is only supported with group_by_time"},
		{byTime && !slices.Contains(granularities, q.Granularity), wire.Granularity, "must be one of " + strings.Join(granularities, ", ")},
		{!byTime && q.GroupBy == "" && q.Limit != 0, wire.Limit, "is only supported with group_by or group_by_time"},
		{!byTime && q.GroupBy == "" && q.Sort != "", wire.Sort, "is only supported with group_by or group_by_time"},
		{q.Limit < 0 || q.Limit > answer.MaxGroups && q.Limit != EveryGroup, wire.Limit, fmt.Sprintf("must be an integer between 1 and %d", answer.MaxGroups)},
	} {
		if rule.broken {
			return q, nil, &Error{rule.parameter, rule.problem}
		}
	}
	if q.Limit == 0 {
		q.Limit = DefaultGroups
		if byTime {
			q.Limit = answer.MaxGroups
		}
	}
	if !byTime {
		return q, nil, nil
	}
	if q.TimeZone == "" {
		q.TimeZone = "UTC"
	}
	zone, err := time.LoadLocation(q.TimeZone)
	if err != nil || q.TimeZone == "Local" { // "Local" is not in the time zone database
		return q, nil, &Error{wire.TimeZone, "is unknown: " + q.TimeZone}
	}
	return q, zone, nil
}
