package readon

import (
	"bytes"
	"slices"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/scalar"
)

// listOrder finds the fields that the records of a list may be ordered by: times of one spelling that only fall, or only
// rise, from record to record. Tokens of clients are not always told which it is (813).
type listOrder struct {
	begun  bool
	fields []*timeField
}

type timeField struct {
	name      string
	last      []byte // the text of the record before
	direction int    // -1 falling, +1 rising, 0 not known yet
}

// add looks at the fields of the next record.
func (o *listOrder) add(fields rawjson.Cursor) {
	if !o.begun {
		o.begin(fields)
		return
	}
	o.fields = slices.DeleteFunc(o.fields, func(field *timeField) bool { return !field.follows(fields.Member(field.name)) })
}

func (o *listOrder) begin(fields rawjson.Cursor) {
	o.begun, o.fields = true, nil
	for inside := fields.Enter(rawjson.ObjectValue); inside && fields.More(); {
		name := string(fields.Name())
		if value := fields.Value(); isTime(value) {
			o.fields = append(o.fields, &timeField{name: name, last: bytes.Clone(value)})
		}
	}
}

// isTime reports whether a value is a time of the spelling whose text is in the order of its instants: a date, or one in UTC.
func isTime(value rawjson.Value) bool {
	if rawjson.Kind(value) != rawjson.StringValue || len(value) > len(`"2026-01-02T15:04:05.123456789Z"`) {
		return false
	}
	text := value[1 : len(value)-1]
	_, isInstant := scalar.Instant(text)
	return isInstant && (scalar.IsDate(text) || text[len(text)-1] == 'Z')
}

// follows reports whether a record with this value may follow the earlier ones.
func (f *timeField) follows(value rawjson.Value) bool {
	direction := bytes.Compare(value, f.last)
	if direction == 0 {
		return true
	}
	if direction == -f.direction || len(value) != len(f.last) || !isTime(value) {
		return false
	}
	f.direction = direction
	f.last = append(f.last[:0], value...)
	return true
}

// time is the time of a record in the list; empty: not known.
func (o *listOrder) time(fields rawjson.Cursor) string {
	for _, field := range o.fields {
		if text, ok := rawjson.Text(fields.Member(field.name)); ok {
			return text
		}
	}
	return ""
}
