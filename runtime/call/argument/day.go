package argument

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/scalar"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
)

// dayForms are spellings of a day that have one meaning. A month in digits follows its year.
var dayForms = []string{
	"2006/1/2", "2006.1.2", "2006-1-2", "2.1.2006", "January 2, 2006", "2 January 2006", "Jan 2, 2006", "2 Jan 2006",
}

// isoDay returns a day as servers read it (RFC 3339, full-date) if the text has one meaning. A month as a gte or lt
// bound is its first day. Any other text is returned unchanged.
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

// impossibleDate returns the problem and the fix for a text in the form of a date or a week that is not a date. It
// returns an empty string for any other text.
func impossibleDate(text string) string {
	var year, week int
	if _, err := fmt.Sscanf(text, "%4d-W%2d", &year, &week); err == nil && len(text) == len("2026-W17") && week > 0 {
		inFirst := time.Date(year, time.January, 4, 0, 0, 0, 0, time.UTC) // is in week 1 (ISO 8601)
		monday := scalar.Shift(scalar.StartOf(inFirst, "week"), "week", week-1)
		return fmt.Sprintf(`, which is a week; pass {"gte":%q,"lt":%q}`, monday.Format(time.DateOnly), monday.AddDate(0, 0, 7).Format(time.DateOnly))
	}
	day, _, _ := strings.Cut(text, "T")
	var month, number int
	if _, err := fmt.Sscanf(day, "%4d-%2d-%2d", &year, &month, &number); err != nil || len(day) != len(time.DateOnly) {
		return ""
	}
	last := time.Date(year, time.Month(month)+1, 0, 0, 0, 0, 0, time.UTC)
	switch _, err := time.Parse(time.DateOnly, day); {
	case err == nil:
		return ""
	case month < 1 || month > 12 || number < 1:
		return ", which is not a date; pass one such as 2026-01-31"
	}
	return ", which is not a date; the last day of that month is " + last.Format(time.DateOnly)
}

// isEmptyRange reports whether the bounds of one field exclude every value. It compares only two numbers, two dates or
// two times.
func isEmptyRange(bounds rs.Filter) bool {
	for _, lower := range bounds {
		for _, upper := range bounds {
			if lower.Operator[0] != 'g' || upper.Operator[0] != 'l' {
				continue
			}
			order, known := compareBounds(lower, upper)
			if known && (order > 0 || order == 0 && (lower.Operator == "gt" || upper.Operator == "lt")) {
				return true
			}
		}
	}
	return false
}

// compareBounds compares two numbers, two dates, or two times. A date and a time do not compare without a zone.
func compareBounds(lower, upper rs.Condition) (order int, known bool) {
	lowerText, upperText := []byte(lower.Value), []byte(upper.Value)
	if lower.Number && upper.Number {
		a, isNumber := scalar.ParseDecimal(lowerText)
		b, isOther := scalar.ParseDecimal(upperText)
		return a.Compare(b), isNumber && isOther
	}
	a, offset, isTime := scalar.ClockTime(lowerText)
	b, otherOffset, isOther := scalar.ClockTime(upperText)
	isSameKind := scalar.IsDate(lowerText) == scalar.IsDate(upperText) && (offset == scalar.Local) == (otherOffset == scalar.Local)
	return scalar.At(a, offset).Compare(scalar.At(b, otherOffset)), isTime && isOther && isSameKind
}
