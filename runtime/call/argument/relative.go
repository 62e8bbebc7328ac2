package argument

import (
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/scalar"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// relativeForm is one spelling of dates that depend on the current time (R-TIME-9). It means count units from now. The number in the text
// multiplies count. In match, the group n holds the number, and the group with the name of a unit holds the unit.
type relativeForm struct {
	match string
	unit  string
	count int
	whole bool // the whole calendar unit, not a moment in it
}

// maxRelative is the length of the longest text that is compared with the forms.
const maxRelative = 60

var relativePatterns = sync.OnceValue(func() []*regexp.Regexp {
	patterns := make([]*regexp.Regexp, len(relativeForms))
	for i, form := range relativeForms {
		patterns[i] = regexp.MustCompile(form.match)
	}
	return patterns
})

// period is the meaning of a relative date: from begin to before end, or the moment begin if both are equal.
type period struct{ begin, end time.Time }

// relativePeriod returns the meaning of a relative date such as "yesterday" or "now-7d". It is false for any other text.
func relativePeriod(text string, clock tool.Clock) (period, bool) {
	text = strings.TrimSpace(text)
	if len(text) > maxRelative || text == "" || isAbsolute(text) {
		return period{}, false
	}
	for i, pattern := range relativePatterns() {
		if found := pattern.FindStringSubmatch(text); found != nil {
			return relativeForms[i].period(pattern.SubexpNames(), found, clock.Now()), true
		}
	}
	return period{}, false
}

// isAbsolute reports whether a text begins with a year and a month.
func isAbsolute(text string) bool {
	_, err := time.Parse("2006-01", text[:min(len(text), len("2006-01"))])
	return err == nil
}

func (f relativeForm) period(names, found []string, now time.Time) period {
	count, unit := f.count, f.unit
	for i, name := range names {
		switch {
		case name == "" || found[i] == "":
		case name == "n":
			number, _ := strconv.Atoi(found[i]) // digits
			count *= number
		default:
			unit = name
		}
	}
	if !f.whole {
		switch unit {
		case "second", "minute", "hour":
			at := scalar.Shift(now, unit, count).Truncate(time.Second)
			return period{at, at}
		}
		return wholePeriod(scalar.Shift(now, unit, count), "day")
	}
	return wholePeriod(scalar.Shift(scalar.StartOf(now, unit), unit, count), unit)
}

func wholePeriod(at time.Time, unit string) period {
	begin := scalar.StartOf(at, unit)
	return period{begin, scalar.Shift(begin, unit, 1)}
}

// isDays reports whether the period begins and ends at midnight.
func (p period) isDays() bool {
	return p.begin.Before(p.end) && scalar.StartOf(p.begin, "day").Equal(p.begin) && scalar.StartOf(p.end, "day").Equal(p.end)
}

// bound returns the operator and the operand of the absolute bound that replaces a relative one.
func (p period) bound(operator string, asDate bool) (string, string) {
	at := p.begin
	if p.begin.Before(p.end) {
		switch operator {
		case "gt":
			operator, at = "gte", p.end
		case "lte":
			operator, at = "lt", p.end
		}
	}
	if asDate {
		return operator, at.Format(time.DateOnly)
	}
	return operator, at.Format(time.RFC3339)
}

// String describes the period for an error.
func (p period) String() string {
	first, last := p.begin.Format(time.RFC3339), p.end.Format(time.RFC3339)
	if p.isDays() {
		first, last = p.begin.Format(time.DateOnly), p.end.AddDate(0, 0, -1).Format(time.DateOnly)
	}
	if first == last {
		return first
	}
	return first + " to " + last
}
