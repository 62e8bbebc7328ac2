package condition

import (
	"fmt"
	"slices"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/scalar"
)

// Warning says of one field that a condition probably does not mean what its writer does.
type Warning struct {
	Field   string
	Message string
}

// Warnings are what the records that were matched so far gave reason to warn of, in the order of the fields: a day that
// was compared with times by an exact condition or by lte, a number in a spelling that no value has, numbers
// as texts, and values which have no order with a bound. Days are those of a zone.
func (f *Filter) Warnings(zone *time.Location) []Warning {
	var warnings []Warning
	for _, field := range f.fields {
		if slices.ContainsFunc(field.comparisons, func(c *comparison) bool { return c.withOffset.Load() }) {
			warnings = append(warnings, Warning{field.name, fmt.Sprintf(
				"%s holds times with an offset, and a date in a filter is its midnight in UTC: the first and last hours of a local day differ. Pass times with that offset.",
				field.name)})
		}
		for _, compared := range field.comparisons {
			switch {
			case compared.withTime.Load() && (compared.Operator == "" || compared.Operator == "lte"):
				warnings = append(warnings, field.dayWarning(compared, zone))
			case compared.misspelt.Load():
				spelled := scalar.AppendNumber(nil, compared.number.Append(nil))
				warnings = append(warnings, Warning{field.name, fmt.Sprintf(
					"%s is compared as text: %s equals no value, %s does.", field.name, compared.Value, spelled)})
			case compared.asLetters.Load():
				warnings = append(warnings, Warning{field.name, fmt.Sprintf(
					"%s holds numbers as text, and the bound %s is text: they compare letter by letter. Pass the number %s to compare by value.",
					field.name, rawjson.Quote(compared.Value), compared.Value)})
			case compared.neverMeets.Load():
				warnings = append(warnings, Warning{field.name, fmt.Sprintf(
					"%s holds values that are neither less nor greater than %s; they do not match.", field.name, rawjson.Quote(compared.Value))})
			}
		}
	}
	return warnings
}

// dayWarning names the two instants of the local day.
func (f *field) dayWarning(compared *comparison, zone *time.Location) Warning {
	day := compared.moment.Format(time.DateOnly)
	midnight := func(days int) string {
		year, month, date := compared.moment.Date()
		return time.Date(year, month, date+days, 0, 0, 0, 0, zone).Format(time.RFC3339)
	}
	local := rawjson.Object{rawjson.String("gte", midnight(0)), rawjson.String("lt", midnight(1))}.Encode()
	if compared.Operator == "" {
		return Warning{f.name, fmt.Sprintf("%s holds times, and none equals a date; %s is %s in %s.", f.name, local, day, zone)}
	}
	return Warning{f.name, fmt.Sprintf(
		"%s holds times, and a date is its midnight in UTC: lte leaves out the rest of %s, which is %s in %s; pass that lt in place of lte to include it.",
		f.name, day, local, zone)}
}
