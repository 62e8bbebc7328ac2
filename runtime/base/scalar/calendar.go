package scalar

import "time"

var (
	clockUnits = map[string]time.Duration{"second": time.Second, "minute": time.Minute, "hour": time.Hour}
	dateUnits  = map[string]struct{ years, months, days int }{
		"day": {days: 1}, "week": {days: 7}, "month": {months: 1}, "quarter": {months: 3}, "year": {years: 1},
	}
)

// Shift returns a time plus a number of units. Days and longer units follow the calendar of the zone.
func Shift(at time.Time, unit string, count int) time.Time {
	if step, isClock := clockUnits[unit]; isClock {
		return at.Add(time.Duration(count) * step)
	}
	step := dateUnits[unit]
	return at.AddDate(step.years*count, step.months*count, step.days*count)
}

// StartOf returns the beginning of the unit that contains a time. Weeks begin on Monday (ISO 8601).
func StartOf(at time.Time, unit string) time.Time {
	if step, isClock := clockUnits[unit]; isClock {
		sinceHour := time.Duration(at.Minute())*time.Minute + time.Duration(at.Second())*time.Second + time.Duration(at.Nanosecond())
		return at.Add(-(sinceHour % step))
	}
	year, month, day := at.Date()
	switch unit {
	case "week":
		day -= (int(at.Weekday()) + 6) % 7
	case "month":
		day = 1
	case "quarter":
		month, day = (month-1)/3*3+1, 1
	case "year":
		month, day = time.January, 1
	}
	return time.Date(year, month, day, 0, 0, 0, 0, at.Location())
}

// MinutesLayout is the form of the start of a period of hours or minutes. Longer periods have a date.
const MinutesLayout = "2006-01-02T15:04"

// Following returns the start of the period after the one that begins at a text, in RFC 3339. It is false for a text in another form, and for
// an unknown unit or zone.
func Following(begins, unit, zone string) (string, bool) {
	location, err := time.LoadLocation(zone)
	if err != nil {
		return "", false
	}
	start, err := time.ParseInLocation(time.DateOnly, begins, location)
	if err != nil {
		start, err = time.ParseInLocation(MinutesLayout, begins, location)
	}
	_, isDate := dateUnits[unit]
	isKnown := isDate || unit == "minute" || unit == "hour"
	return Shift(start, unit, 1).UTC().Format(time.RFC3339), err == nil && isKnown
}
