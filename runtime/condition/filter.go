// Package condition decides which records a filter holds for, where the resource server does not (R-SCAN-1). It works on
// the bytes of a record as they were received. What a filter means is what the owner's reads show (R-SCAN-2):
//
//   - An exact condition compares the text of a value by character: a string, true or false, or a number as
//     JavaScript prints it, so that 2.0 is 2. Integers keep their digits.
//   - A range compares numbers by value, times and dates as instants (a date is its midnight in UTC), and other strings by
//     code point.
//   - A field that is null or absent fails each condition. An array holds when one element meets all conditions of its field.
//   - All fields are to hold.
package condition

import (
	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
)

// Filter decides for one record after another. It is safe for concurrent use.
type Filter struct {
	fields []*field
}

// New prepares a filter; one without conditions holds for every record. As argument.Filter gives it, a field has one exact
// condition, or each of gte, gt, lte and lt at most once.
func New(filter rs.Filter) *Filter {
	f := &Filter{}
	for _, each := range filter {
		of := f.field([]byte(each.Field))
		if of == nil {
			of = &field{name: each.Field}
			f.fields = append(f.fields, of)
		}
		of.comparisons = append(of.comparisons, newComparison(each))
	}
	return f
}

// Fields are the names of the fields that are compared, each once.
func (f *Filter) Fields() []string {
	names := make([]string, len(f.fields))
	for i, field := range f.fields {
		names[i] = field.name
	}
	return names
}

// Match reports whether a record matches the filter. The cursor is at the object of its fields.
func (f *Filter) Match(c rawjson.Cursor) bool {
	if len(f.fields) == 0 {
		return true
	}
	met := 0
	for inside := c.Enter(rawjson.ObjectValue); inside && c.More(); {
		of := f.field(c.Name())
		value := c.Value()
		if of == nil {
			continue
		}
		if !of.holds(value) {
			return false
		}
		if met++; met == len(f.fields) {
			return true
		}
	}
	return false
}

func (f *Filter) field(name []byte) *field {
	for _, field := range f.fields {
		if field.name == string(name) {
			return field
		}
	}
	return nil
}

// field is one field with what it is compared with.
type field struct {
	name        string
	comparisons []*comparison
}

// holds reports whether a value, or one element of an array, meets all comparisons.
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
	for _, compared := range f.comparisons {
		if !compared.holds(value) {
			return false
		}
	}
	return true
}
