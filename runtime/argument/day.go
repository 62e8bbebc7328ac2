package argument

import (
	"slices"
	"strings"
	"time"
)

// dayForms are spellings of a day that have one meaning. A month in digits follows its year.
var dayForms = []string{
	"2006/1/2", "2006.1.2", "2006-1-2", "2.1.2006", "January 2, 2006", "2 January 2006", "Jan 2, 2006", "2 Jan 2006",
}

// isoDay returns a day as servers read it (RFC 3339, full-date) if the text has one meaning. A month is its first day where it begins
// a range (gte) or ends before one (lt). Any other text is returned as it is.
func isoDay(operator, text string) string {
	if month, err := time.Parse("2006-01", text); err == nil && (operator == "gte" || operator == "lt") {
		return month.Format(time.DateOnly)
	}
	for _, form := range dayForms {
		if day, err := time.Parse(form, strings.TrimSpace(text)); err == nil {
			return day.Format(time.DateOnly)
		}
	}
	if days := slashedDays(text); len(days) == 1 {
		return days[0]
	}
	return text
}

// slashedDays returns the days that a text such as 3/4/2026 can mean: the day first, and the month first.
func slashedDays(text string) []string {
	var days []string
	for _, form := range []string{"2/1/2006", "1/2/2006"} {
		if day, err := time.Parse(form, strings.TrimSpace(text)); err == nil && !slices.Contains(days, day.Format(time.DateOnly)) {
			days = append(days, day.Format(time.DateOnly))
		}
	}
	return days
}
