package tally

import (
	"fmt"
	"math"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/scalar"
)

// bucket is the start of a time bucket: the clock of the zone in seconds since 1970, or the number of a weekday or an hour.
type bucket int64

// noBucket is the bucket of records without a time. It sorts last.
const noBucket bucket = math.MaxInt64

// The granularities of a cycle. Their buckets repeat: Monday to Sunday, and 00 to 23 (R-TIME-7).
const (
	weekday   = "weekday"
	hourOfDay = "hour_of_day"
)

const (
	minutesLayout = "2006-01-02T15:04"
	secondsOfHour = 60 * 60
	secondsOfDay  = 24 * secondsOfHour

	// thursday is how far after the beginning of its week 1970 begins. Weeks begin on Monday (ISO 8601).
	thursday = 3 * secondsOfDay
)

// buckets assigns times to buckets in one zone. Two hours that a clock shows alike, when it is put back, are one bucket, as for the
// resource server.
type buckets struct {
	granularity string
	zone        *time.Location
	asWritten   bool // dates and times with an offset count as they are written
	ownOffset   bool // such a time was seen
	last        span // of the last time, because the next record is often in it too
}

// span is a part of a bucket within which the zone's offset does not change.
type span struct {
	from, until int64 // seconds since 1970 in UTC; until is excluded
	start       bucket
}

// of returns the bucket of a JSON value.
func (b *buckets) of(value rawjson.Value) bucket {
	if rawjson.Kind(value) != rawjson.StringValue {
		return noBucket
	}
	text := scalar.TextOf(value)
	clock, offset, isTime := scalar.ClockTime(text)
	isDate := scalar.IsDate(text)
	switch {
	case !isTime || isDate && b.granularity == hourOfDay:
		return noBucket
	case b.asWritten && (isDate || offset != scalar.UTC):
		b.ownOffset = b.ownOffset || !isDate
		start, _ := b.around(clock.Unix())
		return b.number(start)
	}
	at := scalar.At(clock, offset)
	if second := at.Unix(); second < b.last.from || second >= b.last.until {
		b.last = b.spanOf(at.In(b.zone))
	}
	return b.last.start
}

// spanOf returns the span of a time in the zone.
func (b *buckets) spanOf(at time.Time) span {
	_, offset := at.Zone()
	start, end := b.around(at.Unix() + int64(offset))
	found := span{from: start - int64(offset), until: end - int64(offset), start: b.number(start)}
	since, next := at.ZoneBounds()
	if !since.IsZero() {
		found.from = max(found.from, since.Unix())
	}
	if !next.IsZero() {
		found.until = min(found.until, next.Unix())
	}
	return found
}

// around returns the beginning of the bucket that a clock's second is in, and of the next one.
func (b *buckets) around(clock int64) (start, end int64) {
	width, shift := int64(0), int64(0)
	switch b.granularity {
	case "minute":
		width = 60
	case "hour", hourOfDay:
		width = secondsOfHour
	case "day", weekday:
		width = secondsOfDay
	case "week":
		width, shift = 7*secondsOfDay, thursday
	}
	if width > 0 {
		start = clock - modulo(clock+shift, width)
		return start, start + width
	}
	year, month, _ := time.Unix(clock, 0).UTC().Date()
	months := 1
	switch b.granularity {
	case "quarter":
		month, months = (month-1)/3*3+1, 3
	case "year":
		month, months = time.January, 12
	}
	first := time.Date(year, month, 1, 0, 0, 0, 0, time.UTC)
	return first.Unix(), first.AddDate(0, months, 0).Unix()
}

// number returns the bucket that begins at a clock's second.
func (b *buckets) number(start int64) bucket {
	switch b.granularity {
	case weekday:
		return bucket(modulo(start+thursday, 7*secondsOfDay) / secondsOfDay)
	case hourOfDay:
		return bucket(modulo(start, secondsOfDay) / secondsOfHour)
	}
	return bucket(start)
}

// cycle returns the number of buckets of a granularity that repeats, or 0.
func (b *buckets) cycle() int { return map[string]int{weekday: 7, hourOfDay: 24}[b.granularity] }

func modulo(number, divisor int64) int64 { return ((number % divisor) + divisor) % divisor }

// key returns a bucket as the resource server writes it: a date, for hours and minutes with the time of day. A weekday is its English
// name, and an hour of the day two digits.
func (b *buckets) key(start bucket) rawjson.Value {
	if start == noBucket {
		return rawjson.Value("null")
	}
	at := time.Unix(int64(start), 0).UTC()
	switch b.granularity {
	case weekday:
		return rawjson.Quote(time.Weekday((start + 1) % 7).String())
	case hourOfDay:
		return rawjson.Quote(fmt.Sprintf("%02d", start))
	case "minute", "hour":
		return rawjson.Quote(at.Format(minutesLayout))
	}
	return rawjson.Quote(at.Format(time.DateOnly))
}

// Following returns the beginning of the bucket after another one as RFC 3339. The other one is written as the resource server writes
// it. It is false for any other text.
func Following(key, granularity, zone string) (begins string, isBucket bool) {
	in, err := time.LoadLocation(zone)
	if err != nil {
		return "", false
	}
	start, err := time.ParseInLocation(time.DateOnly, key, in)
	if err != nil {
		start, err = time.ParseInLocation(minutesLayout, key, in)
	}
	steps := map[string]time.Time{
		"minute": start.Add(time.Minute), "hour": start.Add(time.Hour), "day": start.AddDate(0, 0, 1), "week": start.AddDate(0, 0, 7),
		"month": start.AddDate(0, 1, 0), "quarter": start.AddDate(0, 3, 0), "year": start.AddDate(1, 0, 0),
	}
	next, known := steps[granularity]
	return next.UTC().Format(time.RFC3339), known && err == nil
}

// IsCycle reports whether the buckets of a granularity repeat.
func IsCycle(granularity string) bool { return granularity == weekday || granularity == hourOfDay }
