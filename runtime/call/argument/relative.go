package argument

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/scalar"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// relativeForm is one spelling of dates that depend on the current time (R-TIME-9). It means count units from now. The
// number in the text multiplies count. In match, the group n holds the number, and the group with the name of a unit
// holds the unit.
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

// relativePeriod returns the meaning of a relative date such as "yesterday" or "now-7d". It is false for any other
// text.
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
			instant := scalar.Shift(now, unit, count).Truncate(time.Second)
			return period{instant, instant}
		}
		return wholePeriod(scalar.Shift(now, unit, count), "day")
	}
	return wholePeriod(scalar.Shift(scalar.StartOf(now, unit), unit, count), unit)
}

func wholePeriod(instant time.Time, unit string) period {
	begin := scalar.StartOf(instant, unit)
	return period{begin, scalar.Shift(begin, unit, 1)}
}

// isDays reports whether the period begins and ends at midnight.
func (p period) isDays() bool {
	return p.begin.Before(p.end) && scalar.StartOf(p.begin, "day").Equal(p.begin) && scalar.StartOf(p.end, "day").Equal(p.end)
}

// refuseRelative returns the refusal of a typed filter with a relative date as a bound, or nil. In a zone other than
// UTC it offers two corrections: times for fields of times, and dates for fields of dates.
func refuseRelative(name string, value json.RawMessage, clock tool.Clock) error {
	dates, times := absoluteFilter(value, clock, true), absoluteFilter(value, clock, false)
	if dates.problem == "" {
		return nil
	}
	problem, filters := dates.problem, []json.RawMessage{times.filter, dates.filter}
	switch {
	case !dates.inDays:
		filters = filters[:1]
	case clock.Location() == time.UTC:
		filters = filters[1:]
	default:
		problem += "; the first call is for a field of times, the second for a field of dates"
	}
	var corrections []rawjson.Object
	for _, filter := range filters {
		if _, refused := parseFilter(name, filter); refused == nil { // two bounds can become one, or a range without values
			corrections = append(corrections, rawjson.Object{rawjson.Raw(name, filter)})
		}
	}
	return refuse(tool.InvalidTimeRange, name, problem, corrections...)
}

// absolute is a filter whose relative dates are replaced.
type absolute struct {
	filter  json.RawMessage
	problem string // about the first relative date; empty without one
	inDays  bool   // every relative date is a period of whole days
}

// absoluteFilter replaces the relative dates of a typed filter. Periods of whole days become dates if asDates is set,
// otherwise times.
func absoluteFilter(value json.RawMessage, clock tool.Clock, asDates bool) absolute {
	result := absolute{inDays: true}
	members, _ := rawjson.ParseObject(value)
	for i, member := range members {
		bounds, isRange := rawjson.ParseObject(member.Value)
		for j, bound := range bounds {
			relative, isRelative := relativePeriod(plainText(bound.Value), clock)
			if !isRelative {
				continue
			}
			if result.problem == "" {
				result.problem = fmt.Sprintf("has the relative date %s for %s; in %s it is %s now: pass absolute bounds",
					quote(plainText(bound.Value)), quote(member.Name+"."+bound.Name), clock.Location(), relative)
			}
			result.inDays = result.inDays && relative.isDays()
			operator, operand := relative.bound(bound.Name, relative.isDays() && asDates)
			bounds[j] = rawjson.String(operator, operand)
		}
		if isRange {
			members[i].Value = bounds.Encode()
		}
	}
	result.filter = members.Encode()
	return result
}

// bound returns the operator and the operand of the absolute bound that replaces a relative one.
func (p period) bound(operator string, asDate bool) (string, string) {
	instant := p.begin
	if p.begin.Before(p.end) {
		switch operator {
		case "gt":
			operator, instant = "gte", p.end
		case "lte":
			operator, instant = "lt", p.end
		}
	}
	if asDate {
		return operator, instant.Format(time.DateOnly)
	}
	return operator, instant.Format(time.RFC3339)
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
