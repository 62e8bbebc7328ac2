package tally

import (
	"bytes"
	"cmp"
	"slices"
	"unicode/utf8"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/scalar"
)

// Top keeps the first rows of a stream by one field (R-SCAN-4). Numbers compare by value, also those spelled in text,
// times as instants, and other strings by code point. Ties are ordered by record key. Records without the value are
// last in either direction. It is not safe for concurrent use.
type Top struct {
	field      string
	descending bool
	limit      int
	after      *ranked  // rows up to this one are left out; nil: none
	rows       []ranked // in order
	spelled    bool     // a value is a number as text
}

type ranked struct {
	value scalar.Value
	key   string
	row   rawjson.Value
}

// NewTop returns a new Top that keeps limit rows. If descending, the greatest is first.
func NewTop(field string, descending bool, limit int) *Top {
	return &Top{field: field, descending: descending, limit: limit}
}

// StartAfter leaves out the rows up to the one with this value of MarkOf and this key.
func (t *Top) StartAfter(value rawjson.Value, key string) {
	after, _ := scalar.ByValue(value)
	t.after = &ranked{value: after, key: key}
}

// maxOrdered is the number of bytes by which a text is ordered, so that a cursor can hold them.
const maxOrdered = 400

// MarkOf returns the value of a row as StartAfter takes it: a number, or as much of a text as decides its place.
func MarkOf(value rawjson.Value) rawjson.Value {
	switch rawjson.Kind(value) {
	case rawjson.None, rawjson.ArrayValue, rawjson.ObjectValue:
		return rawjson.Value("null")
	case rawjson.StringValue:
		return rawjson.Quote(string(leading(scalar.TextOf(value))))
	}
	return value
}

// leading returns whole characters of at most maxOrdered bytes.
func leading(text []byte) []byte {
	if len(text) <= maxOrdered {
		return text
	}
	end := maxOrdered
	for !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end]
}

// Add adds a row if it is among the first. key identifies the record, fields is a cursor at the object of its fields.
// Add copies what it keeps.
func (t *Top) Add(key func() string, fields rawjson.Cursor, row rawjson.Value) {
	value, spelled := scalar.ByValue(fields.Member(t.field))
	value.Text = leading(value.Text)
	t.spelled = t.spelled || spelled
	if t.after != nil {
		order := t.order(value, t.after.value)
		if order < 0 || order == 0 && key() <= t.after.key {
			return
		}
	}
	isFull := len(t.rows) == t.limit
	if isFull && (t.limit == 0 || t.order(value, t.rows[t.limit-1].value) > 0) { // nearly always
		return
	}
	added := ranked{value: value, key: key(), row: row}
	at, _ := slices.BinarySearchFunc(t.rows, added, t.compare)
	if isFull {
		if at == t.limit {
			return
		}
		t.rows = t.rows[:t.limit-1]
	}
	added.row = bytes.Clone(row)
	added.value.Text = bytes.Clone(value.Text)
	t.rows = slices.Insert(t.rows, at, added)
}

// order compares two values in the direction of the rows.
func (t *Top) order(a, b scalar.Value) int {
	order := a.Compare(b)
	if t.descending || a.Kind == scalar.None || b.Kind == scalar.None { // the lowest kind is always last
		return -order
	}
	return order
}

func (t *Top) compare(a, b ranked) int {
	return cmp.Or(t.order(a.value, b.value), cmp.Compare(a.key, b.key))
}

// Rows returns the first rows so far, in order.
func (t *Top) Rows() []rawjson.Value {
	rows := make([]rawjson.Value, len(t.rows))
	for i, each := range t.rows {
		rows[i] = each.row
	}
	return rows
}

// Ties reports for each of the rows whether the next one has an equal value.
func (t *Top) Ties() []bool {
	ties := make([]bool, len(t.rows))
	for i := range max(0, len(t.rows)-1) {
		ties[i] = t.order(t.rows[i].value, t.rows[i+1].value) == 0
	}
	return ties
}

// Spelled returns a note that numbers as text are ordered by value. It is empty without such numbers.
func (t *Top) Spelled() string {
	if !t.spelled {
		return ""
	}
	return t.field + " holds numbers as text; they are ordered by value."
}
