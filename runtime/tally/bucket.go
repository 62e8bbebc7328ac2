package tally

import (
	"math"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/scalar"
)

// bucket is the start of a time bucket: what a clock in the zone shows then, in seconds since 1970 on that clock.
type bucket int64

// noBucket is the bucket of records without a time, which stands behind all others.
const noBucket bucket = math.MaxInt64

// minutesLayout is how buckets of hours and minutes are written.
const minutesLayout = "2006-01-02T15:04"

const secondsOfDay = 24 * 60 * 60

// buckets are the time buckets of one width in one zone. Weeks begin on Monday (ISO 8601). Two hours that a clock shows
// alike, as it is put back, are one bucket, as for the resource server.
type buckets struct {
	granularity string
	zone        *time.Location
	last        span // that a time was in: the next record is probably in it too
}

// span is a part of a bucket in which the zone's clock is not put forward or back.
type span struct {
	from, until int64 // in seconds since 1970 in UTC; until is behind it
	start       bucket
}

// of is the bucket of a JSON value.
func (b *buckets) of(value rawjson.Value) bucket {
	if rawjson.Kind(value) != rawjson.StringValue {
		return noBucket
	}
	at, isTime := scalar.Instant(scalar.TextOf(value))
	if !isTime {
		return noBucket
	}
	if second := at.Unix(); second < b.last.from || second >= b.last.until {
		b.last = b.spanOf(at.In(b.zone))
	}
	return b.last.start
}

// spanOf is the span that a time is in, which is given in the zone.
func (b *buckets) spanOf(at time.Time) span {
	_, offset := at.Zone()
	start, end := b.around(at.Unix() + int64(offset))
	found := span{from: start - int64(offset), until: end - int64(offset), start: bucket(start)}
	since, next := at.ZoneBounds()
	if !since.IsZero() {
		found.from = max(found.from, since.Unix())
	}
	if !next.IsZero() {
		found.until = min(found.until, next.Unix())
	}
	return found
}

// around are the beginning of the bucket that a clock's second is in, and of the one behind it.
func (b *buckets) around(clock int64) (start, end int64) {
	if width, behind := b.seconds(); width > 0 {
		start = clock - modulo(clock-behind, width)
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

// seconds is how long a bucket is, zero for one of months, and how far behind 1970 one of them begins.
func (b *buckets) seconds() (width, behind int64) {
	switch b.granularity {
	case "minute":
		return 60, 0
	case "hour":
		return 60 * 60, 0
	case "day":
		return secondsOfDay, 0
	case "week": // 1970 began on a Thursday
		return 7 * secondsOfDay, 4 * secondsOfDay
	}
	return 0, 0
}

func modulo(number, divisor int64) int64 { return ((number % divisor) + divisor) % divisor }

// key is a bucket as the resource server writes it: a date, for hours and minutes with the time of day.
func (b *buckets) key(start bucket) rawjson.Value {
	if start == noBucket {
		return rawjson.Value("null")
	}
	layout := time.DateOnly
	if b.granularity == "minute" || b.granularity == "hour" {
		layout = minutesLayout
	}
	return rawjson.Quote(time.Unix(int64(start), 0).UTC().Format(layout))
}

// Following is when the bucket begins that stands behind another one, as RFC 3339. The other one is written as the resource
// server writes it. It is false for what is none.
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
