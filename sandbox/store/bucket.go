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

// Bucket is the start of the bucket that holds t in zone, as text: a date for days and wider, date and time of day for
// hours and minutes, without a zone as real servers write it. Weeks start on Monday (ISO 8601).
func Bucket(t time.Time, granularity string, zone *time.Location) string {
	t = t.In(zone)
	year, month, day := t.Date()
	switch granularity {
	case "minute":
		return t.Format("2006-01-02T15:04")
	case "hour":
		return t.Format("2006-01-02T15:00")
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
