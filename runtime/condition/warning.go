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
// as texts, and values which have no order with a bound.
func (f *Filter) Warnings() []Warning {
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
				warnings = append(warnings, field.dayWarning(compared))
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

// dayWarning names the range that means the whole day.
func (f *field) dayWarning(compared *comparison) Warning {
	day := compared.moment.Format(time.DateOnly)
	next := rawjson.String("lt", compared.moment.AddDate(0, 0, 1).Format(time.DateOnly))
	if compared.Operator == "" {
		instead := rawjson.Object{rawjson.String("gte", day), next}.Encode()
		return Warning{f.name, fmt.Sprintf("%s holds times, and none equals a date; %s means the day.", f.name, instead)}
	}
	var instead rawjson.Object
	for _, each := range f.comparisons {
		if each != compared {
			instead = append(instead, rawjson.String(each.Operator, each.Value))
		}
	}
	encoded := append(instead, next).Encode()
	return Warning{f.name, fmt.Sprintf(
		"%s holds times, and a date is its midnight in UTC: lte leaves out the rest of %s; %s means the day too.", f.name, day, encoded)}
}
