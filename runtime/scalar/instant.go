package scalar

import "time"

// Lengths of dates, which are also how far a month and a year reach in them.
const (
	yearLength  = len("2006")
	monthLength = len("2006-01")
	dateLength  = len("2006-01-02")
)

// Instant reads a date-time of RFC 3339 or a date, which is its midnight in UTC. It is as lenient as JavaScript's Date, by
// which resource servers read them: the letters may be small, a blank may stand for the T, a time without a zone is in UTC,
// seconds may be left out, and February 30 is March 2.
func Instant(text []byte) (time.Time, bool) {
	if len(text) < dateLength {
		return time.Time{}, false
	}
	p := parser{text: text}
	year, month, day := p.number(4), p.number(2, '-'), p.number(2, '-')
	if month < 1 || month > 12 || day < 1 || day > 31 {
		return time.Time{}, false
	}
	if p.at == len(text) && !p.failed {
		return time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC), true
	}
	hour, minute := p.number(2, 'T', 't', ' '), p.number(2, ':')
	second, nanosecond := 0, 0
	if p.follows(':') {
		second, nanosecond = p.number(2, ':'), p.fraction()
	}
	offset := p.zone()
	if p.failed || p.at < len(text) || hour > 23 || minute > 59 || second > 59 {
		return time.Time{}, false
	}
	return time.Date(year, time.Month(month), day, hour, minute-offset, second, nanosecond, time.UTC), true
}

// IsDate reports whether a text that Instant reads is a date alone.
func IsDate(text []byte) bool { return len(text) == dateLength }

// Period is Instant for a text that may also be a year or a month, which is then its first moment.
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

// follows reports whether one of these bytes is next.
func (p *parser) follows(any ...byte) bool {
	if p.at == len(p.text) {
		return false
	}
	for _, each := range any {
		if p.text[p.at] == each {
			return true
		}
	}
	return false
}

// number reads so many digits, after one of the separators when there are any.
func (p *parser) number(digits int, separators ...byte) int {
	if len(separators) > 0 {
		if !p.follows(separators...) {
			p.failed = true
			return 0
		}
		p.at++
	}
	if len(p.text)-p.at < digits {
		p.failed = true
		return 0
	}
	number := 0
	for _, digit := range p.text[p.at : p.at+digits] {
		if digit < '0' || digit > '9' {
			p.failed = true
		}
		number = number*10 + int(digit-'0')
	}
	p.at += digits
	return number
}

// fraction reads the nanoseconds behind a second, if they are given; finer digits are dropped.
func (p *parser) fraction() int {
	if !p.follows('.') {
		return 0
	}
	p.at++
	nanoseconds, unit, start := 0, int(time.Second), p.at
	for ; p.at < len(p.text) && '0' <= p.text[p.at] && p.text[p.at] <= '9'; p.at++ {
		unit /= 10
		nanoseconds += unit * int(p.text[p.at]-'0')
	}
	p.failed = p.failed || p.at == start
	return nanoseconds
}

// zone reads how many minutes the clock is ahead of UTC.
func (p *parser) zone() int {
	switch {
	case p.at == len(p.text):
		return 0
	case p.follows('Z', 'z'):
		p.at++
		return 0
	}
	sign := 1
	if p.follows('-') {
		sign = -1
	}
	hours, minutes := p.number(2, '+', '-'), p.number(2, ':')
	p.failed = p.failed || hours > 23 || minutes > 59
	return sign * (hours*60 + minutes)
}
