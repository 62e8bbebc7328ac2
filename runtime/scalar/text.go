package scalar

import (
	"bytes"
	"math"
	"strconv"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
)

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

// AppendNumber appends a JSON number as JavaScript prints it: 2.0 is 2, 1e21 is 1e+21. Resource servers compare numbers in this form.
// Unlike JavaScript, it keeps the digits of integers beyond 2^53.
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
