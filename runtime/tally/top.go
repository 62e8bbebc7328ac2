package tally

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/scalar"
)

// Top keeps the first rows of a stream by one field (R-SCAN-4): numbers by value, times as instants, other strings by code
// point, ties by record key, records without the value last in either direction. It is not safe for concurrent use.
type Top struct {
	field      string
	descending bool
	limit      int
	rows       []ranked // in order
}

// ranked is a row that is kept, with what it is ordered by.
type ranked struct {
	value scalar.Value
	key   string
	row   rawjson.Value
}

// NewTop prepares an order by a field; descending gives the greatest first. It keeps so many rows.
func NewTop(field string, descending bool, limit int) *Top {
	return &Top{field: field, descending: descending, limit: limit}
}

// Add considers a row: the record's key, its fields, the object that the cursor stands before, and the row as it is to be given
// back, which is copied if it is kept.
func (t *Top) Add(key string, fields rawjson.Cursor, row rawjson.Value) {
	added := ranked{value: scalar.Of(fields.Member(t.field)), key: key, row: row}
	if len(t.rows) == t.limit && (t.limit == 0 || t.compare(added, t.rows[t.limit-1]) >= 0) {
		return
	}
	if len(t.rows) == t.limit {
		t.rows = t.rows[:t.limit-1]
	}
	added.row = bytes.Clone(row)
	added.value.Text = bytes.Clone(added.value.Text)
	at, _ := slices.BinarySearchFunc(t.rows, added, t.compare)
	t.rows = slices.Insert(t.rows, at, added)
}

func (t *Top) compare(a, b ranked) int {
	order := a.value.Compare(b.value)
	if a.value.Kind == scalar.None || b.value.Kind == scalar.None {
		order = -order // a kind before all others stands behind them
	} else if t.descending {
		order = -order
	}
	return cmp.Or(order, cmp.Compare(a.key, b.key))
}

// Rows are the first rows so far, in order.
func (t *Top) Rows() []rawjson.Value {
	rows := make([]rawjson.Value, len(t.rows))
	for i, each := range t.rows {
		rows[i] = each.row
	}
	return rows
}
