package condition

import (
	"fmt"
	"slices"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/answer"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/nearname"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/scalar"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
)

// Warnings returns a warning for each condition that probably does not mean what the caller intends, judged by the
// records seen so far. Days are in the zone.
func (f *Filter) Warnings(zone *time.Location) []string {
	var warnings []string
	warn := func(form string, values ...any) { warnings = append(warnings, fmt.Sprintf(form, values...)) }
	for _, field := range f.fields {
		if slices.ContainsFunc(field.comparisons, func(c *comparison) bool { return c.metOffset }) {
			warn("%s holds times with an offset, and a date in a filter is its midnight in UTC: the first and last hours of a local day differ. Pass times with that offset.",
				field.name)
		}
		for _, c := range field.comparisons {
			day := c.at.Format(time.DateOnly)
			switch {
			case c.metTime && c.Operator == "":
				warn("%s holds times, and none equals a date; %s is %s in %s.", field.name, c.localDay(zone), day, zone)
			case c.metTime && c.Operator == "lte":
				warn("%s holds times, and a date is its midnight in UTC: lte leaves out the rest of %s, which is %s in %s; pass that lt in place of lte to include it.",
					field.name, day, c.localDay(zone), zone)
			case c.isMisspelt:
				warn("%s is compared as text: %s equals no value, %s does.", field.name, c.Value, scalar.AppendNumber(nil, c.number.Append(nil)))
			case c.isByLetter:
				warn("%s holds numbers as text, and the bound %s is text: they compare letter by letter. Pass the number %s to compare by value.",
					field.name, rawjson.Quote(c.Value), c.Value)
			case c.isIncomparable:
				warn("%s holds values that are neither less nor greater than %s; they do not match.", field.name, rawjson.Quote(c.Value))
			}
		}
	}
	return warnings
}

// localDay returns the operand's day in a zone as a range of instants.
func (c *comparison) localDay(zone *time.Location) rawjson.Value {
	start := func(date time.Time) string { return scalar.FirstInstant(date, zone).Format(time.RFC3339) }
	return rawjson.Object{rawjson.String("gte", start(c.at)), rawjson.String("lt", start(c.at.AddDate(0, 0, 1)))}.Encode()
}

// Unmatched returns the conditions of a filter that matched no record (R-CLAIM-3). A field that no record matches alone
// has its values (R-SCAN-9). It returns nil if there is nothing to say.
func (f *Filter) Unmatched() []answer.Unmatched {
	var all []answer.Unmatched
	if f.isMatched {
		return nil
	}
	for _, field := range f.fields {
		unmatched := answer.Unmatched{Field: field.name, Alone: field.met}
		for _, c := range field.comparisons {
			unmatched.Bounds = append(unmatched.Bounds, answer.Bound{Field: field.name, Operator: c.Operator, Value: c.Value})
			if field.met == 0 && len(c.seen) > 0 {
				unmatched.Seen, unmatched.Near = c.seen[:min(len(c.seen), maxShown)], nearname.Nearest(c.Value, c.seen)
				unmatched.Values, unmatched.IsMany = len(c.seen), c.isMany
			}
		}
		if len(f.fields) > 1 || unmatched.Seen != nil {
			all = append(all, unmatched)
		}
	}
	return all
}

// NotATime returns the first condition that compares a field of times with an operand that is not a time, or nil. Such
// a condition matches nothing.
func (f *Filter) NotATime() *rs.Condition {
	for _, field := range f.fields {
		for _, c := range field.comparisons {
			if !c.isTime && !c.isPeriod && c.sawTimes && !c.sawOthers {
				return &c.Condition
			}
		}
	}
	return nil
}
