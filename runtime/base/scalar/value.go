// Package scalar parses the values of records for comparison: numbers by value and without rounding, times as instants,
// other strings by code point (R-SCAN-2). It works on the received bytes. It also computes with the units of the
// calendar.
package scalar

import (
	"bytes"
	"cmp"
	"math"
	"strconv"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
)

// Kind is the kind of a value. Values of different kinds are ordered by kind.
type Kind int

// The kinds of values. None is the kind of null, an absent value, an array and an object.
const (
	None Kind = iota
	Boolean
	Number
	Time
	Text
)

// Value is one scalar value. Its text shares memory with the JSON that it was read from.
type Value struct {
	Kind    Kind
	Text    []byte // of a string without its escapes, or true or false
	Decimal Decimal
	Time    time.Time
}

// Of parses a JSON value.
func Of(value rawjson.Value) Value {
	switch rawjson.Kind(value) {
	case rawjson.Boolean:
		return Value{Kind: Boolean, Text: value}
	case rawjson.Number:
		if number, ok := ParseDecimal(value); ok {
			return Value{Kind: Number, Decimal: number}
		}
	case rawjson.StringValue:
		text := TextOf(value)
		if at, ok := Instant(text); ok {
			return Value{Kind: Time, Text: text, Time: at}
		}
		return Value{Kind: Text, Text: text}
	}
	return Value{}
}

// ByValue is like Of, but reads a string that spells a number as that number. spelled reports such a string.
func ByValue(value rawjson.Value) (v Value, spelled bool) {
	v = Of(value)
	if v.Kind == Text {
		if number, isNumber := ParseDecimal(v.Text); isNumber {
			return Value{Kind: Number, Decimal: number}, true
		}
	}
	return v, false
}

// Compare returns -1, 0 or +1 if the value is less than, equal to or greater than another one: numbers by value, times
// as instants, texts by code point, false before true. Values of different kinds are ordered by kind.
func (v Value) Compare(other Value) int {
	if v.Kind != other.Kind {
		return cmp.Compare(v.Kind, other.Kind)
	}
	switch v.Kind {
	case Number:
		return v.Decimal.Compare(other.Decimal)
	case Time:
		return v.Time.Compare(other.Time)
	}
	return bytes.Compare(v.Text, other.Text)
}

// TextOf returns the text of a JSON string.
func TextOf(value rawjson.Value) []byte {
	if last := len(value) - 1; last > 0 && bytes.IndexByte(value, '\\') < 0 {
		return value[1:last:last]
	}
	return []byte(rawjson.TextOf(value))
}

// AppendJSON appends a value in a canonical form. Values with the same text become the same bytes.
func AppendJSON(out []byte, value rawjson.Value) []byte {
	switch rawjson.Kind(value) {
	case rawjson.Number:
		return AppendNumber(out, value)
	case rawjson.StringValue:
		if bytes.IndexByte(value, '\\') >= 0 {
			return rawjson.AppendQuote(out, string(TextOf(value)))
		}
	}
	return append(out, value...)
}

// AppendNumber appends a JSON number as JavaScript prints it: 2.0 is 2, 1e21 is 1e+21. Resource servers compare numbers
// in this form. Unlike JavaScript, it keeps the digits of integers beyond 2^53.
func AppendNumber(out, number []byte) []byte {
	if !bytes.ContainsAny(number, ".eE") {
		if string(number) == "-0" {
			number = number[1:]
		}
		return append(out, number...)
	}
	value, err := strconv.ParseFloat(string(number), 64)
	if err != nil { // beyond the range of a double
		return append(out, number...)
	}
	if value == 0 {
		return append(out, '0')
	}
	if size := math.Abs(value); 1e-6 <= size && size < 1e21 {
		return strconv.AppendFloat(out, value, 'f', -1, 64)
	}
	start := len(out)
	out = strconv.AppendFloat(out, value, 'e', -1, 64)
	// Go writes at least two digits of an exponent, JavaScript one: 1e-07 becomes 1e-7.
	if sign := start + bytes.IndexByte(out[start:], 'e') + 1; len(out)-sign == len("-07") && out[sign+1] == '0' {
		out = append(out[:sign+1], out[sign+2:]...)
	}
	return out
}

// OrZero returns the value of an optional argument, or the zero value if it is not given.
func OrZero[T any](value *T) (zero T) {
	if value == nil {
		return zero
	}
	return *value
}
