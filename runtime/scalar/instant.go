package scalar

import "time"

// Lengths of dates.
const (
	yearLength  = len("2006")
	monthLength = len("2006-01")
	dateLength  = len("2006-01-02")
)

// Instant parses an RFC 3339 date-time or a date. A date is its midnight in UTC. It is as lenient as JavaScript's Date, which resource
// servers use: letters may be lower case, a space may replace the T, a time without a zone is in UTC, seconds are optional, and February
// 30 is March 2.
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
	if len(text) < dateLength {
		return time.Time{}, 0, false
	}
	p := parser{text: text}
	year := 100*p.pair() + p.pair()
	month, day := p.pairAfter('-'), p.pairAfter('-')
	if month < 1 || month > 12 || day < 1 || day > 31 {
		return time.Time{}, 0, false
	}
	if p.at == len(text) && !p.failed {
		return time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC), Local, true
	}
	if !p.skip('T') && !p.skip('t') && !p.skip(' ') {
		return time.Time{}, 0, false
	}
	hour, minute := p.pair(), p.pairAfter(':')
	second, nanosecond := 0, 0
	if p.skip(':') {
		second, nanosecond = p.pair(), p.fraction()
	}
	offset = p.zone()
	if p.failed || p.at < len(text) || hour > 23 || minute > 59 || second > 59 {
		return time.Time{}, 0, false
	}
	return time.Date(year, time.Month(month), day, hour, minute, second, nanosecond, time.UTC), offset, true
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

// parser reads a time from front to back.
type parser struct {
	text   []byte
	at     int
	failed bool
}

// skip skips a byte if it is next, and reports whether it was.
func (p *parser) skip(b byte) bool {
	if p.at == len(p.text) || p.text[p.at] != b {
		return false
	}
	p.at++
	return true
}

// pair reads two digits.
func (p *parser) pair() int {
	if len(p.text)-p.at < 2 {
		p.failed = true
		return 0
	}
	tens, ones := p.text[p.at]-'0', p.text[p.at+1]-'0'
	p.failed = p.failed || tens > 9 || ones > 9
	p.at += 2
	return 10*int(tens) + int(ones)
}

// pairAfter reads two digits after a separator.
func (p *parser) pairAfter(separator byte) int {
	if !p.skip(separator) {
		p.failed = true
	}
	return p.pair()
}

// fraction reads the optional nanoseconds of a second. It drops finer digits.
func (p *parser) fraction() int {
	if !p.skip('.') {
		return 0
	}
	nanoseconds, unit, start := 0, int(time.Second), p.at
	for ; p.at < len(p.text) && '0' <= p.text[p.at] && p.text[p.at] <= '9'; p.at++ {
		unit /= 10
		nanoseconds += unit * int(p.text[p.at]-'0')
	}
	p.failed = p.failed || p.at == start
	return nanoseconds
}

// zone reads the offset.
func (p *parser) zone() Offset {
	if p.at == len(p.text) {
		return Local
	}
	if p.skip('Z') || p.skip('z') {
		return UTC
	}
	sign := 1
	if p.skip('-') {
		sign = -1
	} else if !p.skip('+') {
		p.failed = true
	}
	hours, minutes := p.pair(), p.pairAfter(':')
	p.failed = p.failed || hours > 23 || minutes > 59
	return Offset(sign * (hours*60 + minutes))
}
