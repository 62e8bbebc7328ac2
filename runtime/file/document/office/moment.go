package office

import (
	"fmt"
	"math"
	"strings"
	"time"
)

// Excel counts days from 30 December 1899 or from 1904. The first system counts a 29 February 1900, which did not
// exist.
const (
	days1970    = 25_569
	days1904    = 1462
	leapDay1900 = 60
	lastDay     = 2_958_466 // the end of the year 9999
)

// moment returns a date, a time or both. The letter m is a minute next to hours or seconds, otherwise a month.
func (s *section) moment(value float64, is1904 bool) string {
	hasDate := strings.ContainsAny(s.letters, "ydegab") || !strings.ContainsAny(s.letters, "hs")
	switch {
	case s.isElapsed:
		hasDate = false
	case value < 0, hasDate && value < 1 && !is1904: // there is no such day
		return general(value)
	}
	if math.Abs(value) >= lastDay-days1904 {
		return general(value)
	}
	places := min(s.subSeconds, 9)
	unit := time.Second / time.Duration(math.Pow10(places))
	length := time.Duration(math.Round(math.Abs(value) * 86_400 * math.Pow10(places))) // in units
	perSecond := time.Second / unit
	fraction := ""
	if places > 0 {
		fraction = fmt.Sprintf(".%0*d", places, length%perSecond)
	}
	seconds := int64(length / perSecond)
	first := int64(-days1970) // in days since 1970
	if is1904 {
		first += days1904
	} else if value < leapDay1900 {
		first++
	}
	moment := time.Unix(first*86_400+seconds, 0).UTC()
	switch {
	case s.isElapsed:
		sign := ""
		if value < 0 {
			sign = "-"
		}
		return fmt.Sprintf("%s%02d:%02d:%02d%s", sign, seconds/3600, seconds/60%60, seconds%60, fraction)
	case !strings.ContainsAny(s.letters, "hs"):
		return moment.Format(time.DateOnly)
	case !hasDate:
		return moment.Format(time.TimeOnly) + fraction
	}
	return moment.Format("2006-01-02T15:04:05") + fraction
}
