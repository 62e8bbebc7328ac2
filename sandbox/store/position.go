package store

import (
	"encoding/json"
	"fmt"
	"math"

	"github.com/pdppmcp/pdpp-mcp/sandbox/catalog"
)

// Position is a position in the order of a stream: the value of its cursor field as text, and the record's key to order
// records with the same value. Times are ordered by their text too, whatever their offsets, as on real servers.
type Position struct {
	Value string
	Key   string
}

// positionValue returns a value of the cursor field as text. A record without one sorts as the empty string. Numbers
// are compared as float64.
func positionValue(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	var number float64
	if string(raw) != "null" && json.Unmarshal(raw, &number) == nil {
		return sortableNumber(number)
	}
	return ""
}

// sortableNumber returns a number as 16 hexadecimal digits whose order is the order of the numbers:
// IEEE 754 bits sort like the number itself once the sign bit is flipped, or all bits of a negative one.
func sortableNumber(number float64) string {
	bits := math.Float64bits(number)
	if bits>>63 == 1 {
		bits = ^bits
	} else {
		bits |= 1 << 63
	}
	return fmt.Sprintf("%016x", bits)
}

// consentTime returns the stored form of the time that a grant's range is compared with, or nil.
func consentTime(stream catalog.Stream, data map[string]json.RawMessage) any {
	var text string
	if json.Unmarshal(data[stream.ConsentTimeField], &text) != nil {
		return nil
	}
	t, err := ParseInstant(text)
	if err != nil {
		return nil
	}
	return instantText(t)
}
