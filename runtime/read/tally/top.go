package tally

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/scalar"
)

// Top keeps the first rows of a stream by one field (R-SCAN-4). Numbers compare by value, also those spelled in text, times as instants,
// and other strings by code point. Ties are ordered by record key. Records without the value are last in either direction. It is not safe
// for concurrent use.
type Top struct {
	field      string
	descending bool
	limit      int
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

// Add adds a row if it is among the first. id is the record's key as JSON, fields a cursor at the object of its fields. It copies what it
// keeps.
func (t *Top) Add(id rawjson.Value, fields rawjson.Cursor, row rawjson.Value) {
	value, spelled := scalar.ByValue(fields.Member(t.field))
	t.spelled = t.spelled || spelled
	isFull := len(t.rows) == t.limit
	if isFull && (t.limit == 0 || t.order(value, t.rows[t.limit-1].value) > 0) { // nearly always
		return
	}
	added := ranked{value: value, key: rawjson.TextOf(id), row: row}
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

// Spelled returns a note that numbers as text are ordered by value. It is empty without such numbers.
func (t *Top) Spelled() string {
	if !t.spelled {
		return ""
	}
	return t.field + " holds numbers as text; they are ordered by value."
}
