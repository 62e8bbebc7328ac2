package toolspec

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// RelativeDates are the spellings of dates that depend on the current time (R-TIME-9).
type RelativeDates struct {
	Units []UnitSet      `yaml:"units,omitempty"`
	Forms []RelativeDate `yaml:"forms,omitempty"` // the first that matches counts
}

// UnitSet has the spellings of units in one notation.
type UnitSet struct {
	Set   string   `yaml:"set"`   // {set} in a form is one of the units
	Units Bindings `yaml:"units"` // unit → a regular expression
}

// RelativeDate is one form. It means the time Count units from now, multiplied by the number in the text.
type RelativeDate struct {
	Match string `yaml:"match"`           // a regular expression for the whole text, in any case; {n} is a number, {set} a unit of that set
	Unit  string `yaml:"unit,omitempty"`  // if the text names none
	Count int    `yaml:"count,omitempty"` // -1: in the past, 1: in the future, 0: now
	Whole bool   `yaml:"whole,omitempty"` // the calendar day, week, month, quarter or year of that time
}

// timeUnits are the units of relative dates.
var timeUnits = []string{"second", "minute", "hour", "day", "week", "month", "quarter", "year"}

// resolve returns the forms with whole regular expressions. A unit is a group of its name, and the number is the group
// n.
func (d RelativeDates) resolve(from source) []RelativeDate {
	named := []string{"{n}", `(?P<n>\d{1,5})`}
	for i, set := range d.Units {
		var units []string
		for _, unit := range set.Units {
			if !slices.Contains(timeUnits, unit.Name) {
				from.add(fmt.Sprintf("relative_dates.units[%d].units", i), "%s", unknown("unit", unit.Name, timeUnits))
			}
			units = append(units, fmt.Sprintf("(?P<%s>%s)", unit.Name, unit.Value))
		}
		named = append(named, "{"+set.Set+"}", "(?:"+strings.Join(units, "|")+")")
	}
	replace := strings.NewReplacer(named...)
	resolved := slices.Clone(d.Forms)
	for i, form := range resolved {
		resolved[i].Match = "^(?i:" + replace.Replace(form.Match) + ")$"
		if _, err := regexp.Compile(resolved[i].Match); err != nil {
			from.add(fmt.Sprintf("relative_dates.forms[%d].match", i), "is not a regular expression: %v", err)
		}
	}
	return resolved
}
