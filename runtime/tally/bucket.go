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
}

// of is the bucket of a JSON value.
func (b buckets) of(value rawjson.Value) bucket {
	if rawjson.Kind(value) != rawjson.StringValue {
		return noBucket
	}
	at, isTime := scalar.Instant(scalar.TextOf(value))
	if !isTime {
		return noBucket
	}
	_, offset := at.In(b.zone).Zone()
	clock := at.Unix() + int64(offset)
	switch b.granularity {
	case "minute":
		return bucket(clock - modulo(clock, 60))
	case "hour":
		return bucket(clock - modulo(clock, 60*60))
	case "day":
		return bucket(clock - modulo(clock, secondsOfDay))
	case "week": // 1970 began on a Thursday
		return bucket(clock - modulo(clock+3*secondsOfDay, 7*secondsOfDay))
	}
	year, month, _ := time.Unix(clock, 0).UTC().Date()
	switch b.granularity {
	case "quarter":
		month = (month-1)/3*3 + 1
	case "year":
		month = time.January
	}
	return bucket(time.Date(year, month, 1, 0, 0, 0, 0, time.UTC).Unix())
}

func modulo(number, divisor int64) int64 { return ((number % divisor) + divisor) % divisor }

// key is a bucket as the resource server writes it: a date, for hours and minutes with the time of day.
func (b buckets) key(start bucket) rawjson.Value {
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
