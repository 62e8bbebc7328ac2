package tally

import (
	"fmt"
	"math"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/scalar"
)

// bucket is the start of a time bucket: the clock of the zone in seconds since 1970, or the number of a weekday or an
// hour.
type bucket int64

// noBucket is the bucket of records without a time. It sorts last.
const noBucket bucket = math.MaxInt64

// The granularities of a cycle. Their buckets repeat: Monday to Sunday, and 00 to 23 (R-TIME-7).
const (
	weekday   = "weekday"
	hourOfDay = "hour_of_day"
)

var cycles = map[string]int{weekday: 7, hourOfDay: 24}

// unit returns the calendar unit of a granularity.
func unit(granularity string) string {
	switch granularity {
	case weekday:
		return "day"
	case hourOfDay:
		return "hour"
	}
	return granularity
}

// buckets assigns times to buckets in one zone. When clocks are set back, both passes of the repeated hour are one
// bucket, as in the resource server.
type buckets struct {
	granularity string
	zone        *time.Location
	asWritten   bool // times with an offset count as they are written
	hasDates    bool // a date was seen; it has no zone and counts as it is written
	hasTimes    bool // a time was seen that counts in the zone
	hasOffsets  bool // a time with an offset was seen that counts as it is written
	last        span // span of the previous time; the next record is often in it
}

// span is a part of a bucket within which the zone's offset does not change.
type span struct {
	from, until int64 // seconds since 1970 in UTC; until is excluded
	start       bucket
}

// bucketOf returns the bucket of a JSON value.
func (b *buckets) bucketOf(value rawjson.Value) bucket {
	if rawjson.Kind(value) != rawjson.StringValue {
		return noBucket
	}
	text := scalar.TextOf(value)
	clock, offset, isTime := scalar.ClockTime(text)
	isDate := scalar.IsDate(text)
	switch {
	case !isTime || isDate && b.granularity == hourOfDay:
		return noBucket
	case isDate || b.asWritten && offset != scalar.UTC:
		b.hasDates, b.hasOffsets = b.hasDates || isDate, b.hasOffsets || !isDate
		return b.number(scalar.StartOf(clock, unit(b.granularity)))
	}
	b.hasTimes = true
	t := scalar.At(clock, offset)
	if second := t.Unix(); second < b.last.from || second >= b.last.until {
		b.last = b.spanOf(t.In(b.zone))
	}
	return b.last.start
}

// spanOf returns the span of a time in the zone.
func (b *buckets) spanOf(t time.Time) span {
	_, offset := t.Zone()
	start := scalar.StartOf(time.Unix(t.Unix()+int64(offset), 0).UTC(), unit(b.granularity)) // as the clock of the zone shows it
	end := scalar.Shift(start, unit(b.granularity), 1)
	found := span{from: start.Unix() - int64(offset), until: end.Unix() - int64(offset), start: b.number(start)}
	since, next := t.ZoneBounds()
	if !since.IsZero() {
		found.from = max(found.from, since.Unix())
	}
	if !next.IsZero() {
		found.until = min(found.until, next.Unix())
	}
	return found
}

// number returns the bucket that begins at a clock time.
func (b *buckets) number(start time.Time) bucket {
	switch b.granularity {
	case weekday:
		return bucket(start.Weekday()+6) % 7
	case hourOfDay:
		return bucket(start.Hour())
	}
	return bucket(start.Unix())
}

// key returns a bucket as the resource server writes it: a date, or for hours and minutes a date with the time of day.
// A weekday is its English name. An hour of the day is two digits.
func (b *buckets) key(start bucket) rawjson.Value {
	if start == noBucket {
		return rawjson.Value("null")
	}
	t := time.Unix(int64(start), 0).UTC()
	switch b.granularity {
	case weekday:
		return rawjson.Quote(time.Weekday((start + 1) % 7).String())
	case hourOfDay:
		return rawjson.Quote(fmt.Sprintf("%02d", start))
	case "minute", "hour":
		return rawjson.Quote(t.Format(scalar.MinutesLayout))
	}
	return rawjson.Quote(t.Format(time.DateOnly))
}

// ShiftsDates reports whether a date that is taken for midnight in UTC can be in another bucket in a zone: west of UTC
// it is on the day before. It is false for an unknown zone.
func ShiftsDates(zone, granularity string) bool {
	location, err := time.LoadLocation(zone)
	if err != nil || zone == "Local" || zone == time.UTC.String() {
		return false
	}
	if unit(granularity) == "hour" || granularity == "minute" {
		return true
	}
	for month := range 2 * (lastOffsetYear - firstOffsetYear) { // each January and July
		if _, offset := time.Date(firstOffsetYear, time.Month(1+6*month), 1, 0, 0, 0, 0, time.UTC).In(location).Zone(); offset < 0 {
			return true
		}
	}
	return false
}

// The years whose offsets say whether a zone is west of UTC.
const (
	firstOffsetYear = 1970
	lastOffsetYear  = 2038
)

// IsCycle reports whether the buckets of a granularity repeat.
func IsCycle(granularity string) bool { return cycles[granularity] > 0 }
