package scalar

import "time"

var (
	clockUnits = map[string]time.Duration{"second": time.Second, "minute": time.Minute, "hour": time.Hour}
	dateUnits  = map[string]struct{ years, months, days int }{
		"day": {days: 1}, "week": {days: 7}, "month": {months: 1}, "quarter": {months: 3}, "year": {years: 1},
	}
)

// FirstInstant returns the first instant at which the clocks of a zone show a time or a later one. The time is given in
// UTC. The clocks of some zones change at midnight, so that a day begins at 01:00, or that its midnight occurs twice.
func FirstInstant(clock time.Time, zone *time.Location) time.Time {
	t := clock.UTC().AddDate(0, 0, -1).In(zone) // the clocks of every zone show an earlier time
	for {
		_, offset := t.Zone()
		_, change := t.ZoneBounds()
		first := clock.Add(-time.Duration(offset) * time.Second).In(zone)
		if first.Before(t) {
			first = t
		}
		if change.IsZero() || first.Before(change) {
			return first
		}
		t = change
	}
}

// startOfDate returns the first instant of a date.
func startOfDate(year int, month time.Month, day int, zone *time.Location) time.Time {
	return FirstInstant(time.Date(year, month, day, 0, 0, 0, 0, time.UTC), zone)
}

// Shift returns a time plus a number of units. Days and longer units follow the calendar of the zone. The start of a
// day becomes the start of another day.
func Shift(t time.Time, unit string, count int) time.Time {
	if step, isClock := clockUnits[unit]; isClock {
		return t.Add(time.Duration(count) * step)
	}
	step := dateUnits[unit]
	if year, month, day := t.Date(); t.Equal(startOfDate(year, month, day, t.Location())) {
		return startOfDate(year+step.years*count, month+time.Month(step.months*count), day+step.days*count, t.Location())
	}
	return t.AddDate(step.years*count, step.months*count, step.days*count)
}

// StartOf returns the beginning of the unit that contains a time. Weeks begin on Monday (ISO 8601).
func StartOf(t time.Time, unit string) time.Time {
	if step, isClock := clockUnits[unit]; isClock {
		sinceHour := time.Duration(t.Minute())*time.Minute + time.Duration(t.Second())*time.Second +
			time.Duration(t.Nanosecond())
		return t.Add(-(sinceHour % step))
	}
	year, month, day := t.Date()
	switch unit {
	case "week":
		day -= (int(t.Weekday()) + 6) % 7
	case "month":
		day = 1
	case "quarter":
		month, day = (month-1)/3*3+1, 1
	case "year":
		month, day = time.January, 1
	}
	return startOfDate(year, month, day, t.Location())
}

// MinutesLayout is the form of the start of a period of hours or minutes. Longer periods have a date.
const MinutesLayout = "2006-01-02T15:04"

// Following returns the start of the period after the one that begins at a text, in RFC 3339. It is false for a text in
// another form, and for an unknown unit or zone.
func Following(begins, unit, zone string) (string, bool) {
	location, err := time.LoadLocation(zone)
	if err != nil {
		return "", false
	}
	start, err := time.Parse(time.DateOnly, begins) // as the clock of the zone shows it
	if err != nil {
		start, err = time.Parse(MinutesLayout, begins)
	}
	_, isDate := dateUnits[unit]
	isKnown := isDate || unit == "minute" || unit == "hour"
	return FirstInstant(Shift(start, unit, 1), location).UTC().Format(time.RFC3339), err == nil && isKnown
}
