package question

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// monthNames are the names of each month in English, German and French, in lower case.
var monthNames = [12][]string{
	{"january", "jan", "januar", "janvier"},
	{"february", "feb", "februar", "février"},
	{"march", "mar", "märz", "mars"},
	{"april", "apr", "avril"},
	{"may", "mai"},
	{"june", "jun", "juni", "juin"},
	{"july", "jul", "juli", "juillet"},
	{"august", "aug", "août"},
	{"september", "sep", "septembre"},
	{"october", "oct", "oktober", "octobre"},
	{"november", "nov", "novembre"},
	{"december", "dec", "dezember", "décembre"},
}

var (
	dayFirst   = regexp.MustCompile(`(\d{1,2})(?:\.|st|nd|rd|th)? (\pL+)\.?,? (\d{4})`)
	monthFirst = regexp.MustCompile(`(\pL+)\.? (\d{1,2})(?:st|nd|rd|th)?,? (\d{4})`)
)

// isoDates writes the dates in a text in lower case, such as 12 march 2026, as 2026-03-12.
func isoDates(text string) string {
	text = dayFirst.ReplaceAllStringFunc(text, func(date string) string {
		parts := dayFirst.FindStringSubmatch(date)
		return isoDate(date, parts[3], parts[2], parts[1])
	})
	return monthFirst.ReplaceAllStringFunc(text, func(date string) string {
		parts := monthFirst.FindStringSubmatch(date)
		return isoDate(date, parts[3], parts[1], parts[2])
	})
}

// isoDate returns the date, or the text as it was if the month has another name.
func isoDate(text, year, month, day string) string {
	number := slices.IndexFunc(monthNames[:],
		func(names []string) bool { return slices.Contains(names, strings.ToLower(month)) })
	ofMonth, err := strconv.Atoi(day)
	if number < 0 || err != nil {
		return text
	}
	return fmt.Sprintf("%s-%02d-%02d", year, number+1, ofMonth)
}
