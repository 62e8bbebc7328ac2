package scan

import (
	"bytes"
	"slices"

	"github.com/pdppmcp/pdpp-mcp/runtime/answer"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/scalar"
)

// listOrder finds the fields by which a list may be ordered: times in one spelling that only fall, or only rise, from
// record to record. The schema does not name the field to every token (813).
type listOrder struct {
	begun  bool
	fields []*orderField
}

type orderField struct {
	name      string
	last      []byte // the value of the last record
	direction int    // -1 falling, +1 rising, 0 unknown
}

// add removes the fields in which a record is out of order. The first record sets the candidates.
func (o *listOrder) add(fields rawjson.Cursor) {
	if o.begun {
		o.fields = slices.DeleteFunc(o.fields, func(field *orderField) bool { return !field.follows(fields.Member(field.name)) })
		return
	}
	o.begun, o.fields = true, nil
	for inside := fields.Enter(rawjson.ObjectValue); inside && fields.More(); {
		name := string(fields.Name())
		if value := fields.Value(); isTime(value) {
			o.fields = append(o.fields, &orderField{name: name, last: bytes.Clone(value)})
		}
	}
}

// isTime reports whether a value is a date or a time in UTC. The texts of such values are in the order of their
// instants.
func isTime(value rawjson.Value) bool {
	if rawjson.Kind(value) != rawjson.StringValue || len(value) > len(`"2026-01-02T15:04:05.123456789Z"`) {
		return false
	}
	text := value[1 : len(value)-1]
	_, isInstant := scalar.Instant(text)
	return isInstant && (scalar.IsDate(text) || text[len(text)-1] == 'Z')
}

// follows reports whether a record with this value may follow the last one.
func (f *orderField) follows(value rawjson.Value) bool {
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

// direction returns how time goes in the list.
func (o *listOrder) direction() answer.Direction {
	for _, field := range o.fields {
		switch field.direction {
		case -1:
			return answer.NewestFirst
		case 1:
			return answer.OldestFirst
		}
	}
	return answer.UnknownDirection
}

// time returns the time of a record, or an empty string if the list has no known order.
func (o *listOrder) time(fields rawjson.Cursor) string {
	for _, field := range o.fields {
		if text, ok := rawjson.Text(fields.Member(field.name)); ok {
			return text
		}
	}
	return ""
}
