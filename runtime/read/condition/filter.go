// Package condition decides which records a filter matches, for package scan (R-SCAN-1). It works on the received
// bytes of a record. Its rules follow the reads of an owner (R-SCAN-2):
//
//   - An exact condition compares the text of a value by character: a string, true or false, or a number as JavaScript prints it, so that
//     2.0 is 2. Integers keep their digits.
//   - A range compares numbers by value, times and dates as instants (a date is its midnight in UTC), and other strings by code point.
//   - A field that is null or absent meets no condition. An array meets the conditions of its field if one element meets all of them.
package condition

import (
	"slices"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
)

// Filter matches one record after another. It is not safe for concurrent use.
type Filter struct {
	fields    []*field
	isMatched bool // a record matched all conditions
}

// New returns a new filter. A field has one exact condition, or each of gte, gt, lte and lt at most once.
func New(filter rs.Filter) *Filter {
	f := &Filter{}
	for _, each := range filter {
		known := f.field([]byte(each.Field))
		if known == nil {
			known = &field{name: each.Field}
			f.fields = append(f.fields, known)
		}
		known.comparisons = append(known.comparisons, newComparison(each))
	}
	return f
}

// Fields returns the names of the fields without repetition.
func (f *Filter) Fields() []string {
	names := make([]string, len(f.fields))
	for i, field := range f.fields {
		names[i] = field.name
	}
	return names
}

// Match reports whether a record matches all conditions. The cursor must be at the object of the record's fields. Until
// a record matches, every condition is tested alone (R-CLAIM-3).
func (f *Filter) Match(c rawjson.Cursor) bool {
	untested, unmet := len(f.fields), len(f.fields)
	for inside := untested > 0 && c.Enter(rawjson.ObjectValue); inside && untested > 0 && c.More(); {
		known := f.field(c.Name())
		value := c.Value()
		if known == nil {
			continue
		}
		untested--
		switch {
		case known.holds(value):
			known.met++
			unmet--
		case f.isMatched:
			return false
		}
	}
	f.isMatched = f.isMatched || unmet == 0
	return unmet == 0
}

func (f *Filter) field(name []byte) *field {
	for _, field := range f.fields {
		if field.name == string(name) {
			return field
		}
	}
	return nil
}

type field struct {
	name        string
	comparisons []*comparison
	met         int64 // records that meet all comparisons, while no record has matched
}

// holds reports whether a value, or one element of an array of any length, meets all comparisons.
func (f *field) holds(value rawjson.Value) bool {
	if rawjson.Kind(value) != rawjson.ArrayValue {
		return f.meets(value)
	}
	c := rawjson.NewCursor(value)
	for inside := c.Enter(rawjson.ArrayValue); inside && c.More(); {
		if f.meets(c.Value()) {
			return true
		}
	}
	return false
}

func (f *field) meets(value rawjson.Value) bool {
	return !slices.ContainsFunc(f.comparisons, func(c *comparison) bool { return !c.holds(value) })
}
