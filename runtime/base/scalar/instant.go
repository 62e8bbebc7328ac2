package scalar

import (
	"bytes"
	"strconv"
	"time"
)

// Lengths of dates.
const (
	yearLength  = len("2006")
	monthLength = len("2006-01")
	dateLength  = len("2006-01-02")
)

// Instant parses an RFC 3339 date-time or a date. A date is its midnight in UTC. It is as lenient as JavaScript's Date,
// which resource servers use: letters may be lower case, a space may replace the T, a time without a zone is in UTC,
// seconds are optional, and February 30 is March 2.
func Instant(text []byte) (time.Time, bool) {
	clock, offset, ok := ClockTime(text)
	return At(clock, offset), ok
}

// Offset is the offset of a time from UTC in minutes, or UTC or Local.
type Offset int

// UTC and Local are the offsets of times without an offset in minutes. Both kinds of times are instants in UTC.
const (
	UTC   Offset = 1<<31 - 1 - iota // the time ends in Z
	Local                           // the time states no zone
)

// At returns the instant of a clock time with an offset.
func At(clock time.Time, offset Offset) time.Time {
	if offset == UTC || offset == Local {
		return clock
	}
	return clock.Add(-time.Duration(offset) * time.Minute)
}

// ClockTime parses the texts that Instant parses. It returns the time as written, in the location UTC, and its offset.
func ClockTime(text []byte) (clock time.Time, offset Offset, ok bool) {
	if !begins(text, "0000-00-00") {
		return time.Time{}, 0, false
	}
	year, month, day, rest := number(text[:4]), number(text[5:7]), number(text[8:10]), text[dateLength:]
	var hour, minute, second, nanosecond int
	if len(rest) > 0 {
		if !begins(rest[1:], "00:00") || !bytes.ContainsRune([]byte("Tt "), rune(rest[0])) {
			return time.Time{}, 0, false
		}
		hour, minute, rest = number(rest[1:3]), number(rest[4:6]), rest[6:]
		if begins(rest, ":00") {
			second, rest = number(rest[1:3]), rest[3:]
			nanosecond, rest = fraction(rest)
		}
	}
	offset, isOffset := zone(rest)
	if !isOffset || month < 1 || month > 12 || day < 1 || day > 31 || hour > 23 || minute > 59 || second > 59 {
		return time.Time{}, 0, false
	}
	return time.Date(year, time.Month(month), day, hour, minute, second, nanosecond, time.UTC), offset, true
}

// begins reports whether a text begins with a form, in which 0 is any digit.
func begins(text []byte, form string) bool {
	if len(text) < len(form) {
		return false
	}
	for i, b := range text[:len(form)] {
		if isDigit := '0' <= b && b <= '9'; form[i] != b && (form[i] != '0' || !isDigit) {
			return false
		}
	}
	return true
}

func number(digits []byte) int {
	sum := 0
	for _, digit := range digits {
		sum = 10*sum + int(digit-'0')
	}
	return sum
}

// fraction returns the optional nanoseconds of a second without finer digits, and what follows them.
func fraction(text []byte) (nanoseconds int, rest []byte) {
	if !begins(text, ".0") {
		return 0, text
	}
	unit, rest := int(time.Second), text[1:]
	for ; begins(rest, "0"); rest = rest[1:] {
		unit /= 10
		nanoseconds += unit * number(rest[:1])
	}
	return nanoseconds, rest
}

// zone parses an optional offset.
func zone(text []byte) (Offset, bool) {
	switch {
	case len(text) == 0:
		return Local, true
	case string(text) == "Z" || string(text) == "z":
		return UTC, true
	case len(text) != len("+00:00") || !begins(text[1:], "00:00") || text[0] != '+' && text[0] != '-':
		return 0, false
	}
	hours, minutes := number(text[1:3]), number(text[4:6])
	offset := Offset(hours*60 + minutes)
	if text[0] == '-' {
		offset = -offset
	}
	return offset, hours <= 23 && minutes <= 59
}

// IsDate reports whether a text that Instant accepts is a date without a time.
func IsDate(text []byte) bool { return len(text) == dateLength }

// Period parses the texts that Instant parses, and a year or a month. A year or a month is its first moment.
func Period(text []byte) (time.Time, bool) {
	switch len(text) {
	case yearLength, monthLength:
		return Instant(append(append(make([]byte, 0, dateLength), text...), "-01-01"[:dateLength-len(text)]...))
	}
	return Instant(text)
}

// UnixTime parses seconds or milliseconds since 1970 that can be the time of a record, from 1973 to 2286.
func UnixTime(text string) (time.Time, bool) {
	number, err := strconv.ParseFloat(text, 64)
	switch {
	case err != nil:
	case 1e8 <= number && number < 1e10:
		return time.Unix(int64(number), 0).UTC(), true
	case 1e11 <= number && number < 1e13:
		return time.UnixMilli(int64(number)).UTC(), true
	}
	return time.Time{}, false
}
