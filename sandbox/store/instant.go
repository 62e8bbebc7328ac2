package store

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	_ "time/tzdata" // time zones must not depend on the machine
)

// instantLayout is the form in which points in time are stored: UTC and of fixed width, so that the
// order of the texts is the order of the instants.
const instantLayout = "2006-01-02T15:04:05.000000000Z"

// instantText returns the stored form of t.
func instantText(t time.Time) string { return t.UTC().Format(instantLayout) }

// lenientTime matches what JavaScript's Date reads in addition to RFC 3339: a year, a month, a day past the month's
// end, lower case, no zone.
var lenientTime = regexp.MustCompile(`^(\d{4})(?:-(0[1-9]|1[0-2])(?:-(0[1-9]|[12]\d|3[01]))?)?(?:[Tt ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)([Zz]|[+-]\d\d:\d\d)?)?$`)

// ParseInstant parses a date-time, a date, a month or a year as real servers do: without a zone it is in UTC, without a
// time of day at midnight, and February 30 is March 2.
func ParseInstant(text string) (time.Time, error) {
	t, err := time.Parse(time.RFC3339Nano, text)
	if err == nil {
		return t, nil
	}
	if spelled, spelledErr := time.Parse("January 2, 2006", text); spelledErr == nil {
		return spelled, nil
	}
	parts := lenientTime.FindStringSubmatch(text)
	if parts == nil {
		return time.Time{}, fmt.Errorf("%q is neither a date-time nor a date: %w", text, err)
	}
	number := func(digits string) int {
		value, _ := strconv.Atoi(cmp.Or(digits, "1"))
		return value
	}
	day := time.Date(number(parts[1]), time.Month(number(parts[2])), number(parts[3]), 0, 0, 0, 0, time.UTC)
	if parts[4] == "" {
		return day, nil
	}
	clock := parts[4]
	if len(clock) == len("15:04") {
		clock += ":00"
	}
	return time.Parse(time.RFC3339Nano, day.Format(time.DateOnly)+"T"+clock+strings.ToUpper(cmp.Or(parts[5], "Z")))
}

// storedInstant parses the output of instantText.
func storedInstant(text string) (time.Time, error) {
	t, err := time.Parse(instantLayout, text)
	if err != nil {
		return time.Time{}, fmt.Errorf("stored time: %w", err)
	}
	return t, nil
}

// Granularities are the widths of a time bucket, narrowest first.
var granularities = []string{"minute", "hour", "day", "week", "month", "quarter", "year"}

// Granularities lists the names that Bucket accepts, narrowest first.
func Granularities() []string { return slices.Clone(granularities) }

// Bucket returns the start of the bucket that holds t in zone, as text: a date for days and wider, date and time of day
// for hours and minutes, without a zone as real servers write it. Weeks start on Monday (ISO 8601).
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
