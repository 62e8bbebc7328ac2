package store

import (
	"slices"
	"time"
	_ "time/tzdata" // time zones must not depend on the machine
)

// Granularities are the widths of a time bucket, narrowest first.
var granularities = []string{"minute", "hour", "day", "week", "month", "quarter", "year"}

// Granularities lists the names that Bucket accepts, narrowest first.
func Granularities() []string { return slices.Clone(granularities) }

// Bucket is the start of the bucket that holds t in zone, as text: a date for days and wider, an RFC 3339
// date-time with the zone's offset for hours and minutes. Weeks start on Monday (ISO 8601).
func Bucket(t time.Time, granularity string, zone *time.Location) string {
	t = t.In(zone)
	year, month, day := t.Date()
	switch granularity {
	case "minute":
		return t.Truncate(time.Minute).Format(time.RFC3339)
	case "hour":
		// Subtracting, unlike building a date anew, keeps the two hours apart that a clock change repeats.
		start := t.Add(-time.Duration(t.Minute())*time.Minute - time.Duration(t.Second())*time.Second)
		return start.Format("2006-01-02T15:04:05Z07:00")
	case "week":
		sinceMonday := (int(t.Weekday()) + 6) % 7
		day -= sinceMonday
	case "month":
		day = 1
	case "quarter":
		month, day = (month-1)/3*3+1, 1
	case "year":
		month, day = time.January, 1
	}
	return time.Date(year, month, day, 0, 0, 0, 0, time.UTC).Format(time.DateOnly)
}
