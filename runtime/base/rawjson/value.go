package rawjson

import (
	"bytes"
	"encoding/json"
	"slices"
)

// Value is one JSON value, as it was spelled.
type Value = json.RawMessage

// ValueKind is the kind of a JSON value.
type ValueKind int

// The kinds of values. None is the absence of a value.
const (
	None ValueKind = iota
	Null
	Boolean
	Number
	StringValue
	ArrayValue
	ObjectValue
)

// Kind returns the kind of a value, by its first byte.
func Kind(value Value) ValueKind {
	start := skipSpace(value, 0)
	if start >= len(value) {
		return None
	}
	switch value[start] {
	case 'n':
		return Null
	case 't', 'f':
		return Boolean
	case '"':
		return StringValue
	case '[':
		return ArrayValue
	case '{':
		return ObjectValue
	}
	return Number
}

// IsNested reports whether a value is an object or a list.
func IsNested(value Value) bool { return Kind(value) == ArrayValue || Kind(value) == ObjectValue }

// Text returns the text of a JSON string. It is false for a value of another kind.
func Text(value Value) (string, bool) {
	if Kind(value) != StringValue {
		return "", false
	}
	if last := len(value) - 1; value[0] == '"' && last > 0 && bytes.IndexByte(value, '\\') < 0 && value[last] == '"' {
		return string(value[1:last]), true // most strings have no escapes
	}
	var text string
	if err := json.Unmarshal(value, &text); err != nil {
		return "", false
	}
	return text, true
}

// TextOf returns the text of a JSON string, or "" for a value of another kind.
func TextOf(value Value) string {
	text, _ := Text(value)
	return text
}

// maxElements is the maximum length of an array for Elements. Arrays of records have other limits (R-ERR-9).
const maxElements = 10_000

// Elements returns the elements of an array. It is false for a value of another kind and for an array of more than
// 10,000 elements.
func Elements(value Value) ([]Value, bool) {
	if Kind(value) != ArrayValue {
		return nil, false
	}
	elements := []Value{}
	c := NewCursor(value)
	for inside := c.Enter(ArrayValue); inside && c.More(); {
		if len(elements) == maxElements {
			return nil, false
		}
		elements = append(elements, c.Value())
	}
	return elements, true
}

// ParseObject returns the members of an object. It is false for a value of another kind.
func ParseObject(value Value) (Object, bool) {
	if Kind(value) != ObjectValue {
		return nil, false
	}
	const usual, shortest = 12, 12 // members, and bytes of one
	one := objects{all: make(Object, 0, min(usual, 1+len(value)/shortest)), left: 1}
	c := NewCursor(value)
	members, _ := one.read(&c, nil)
	return members, true
}

// Row is a value of a list with its members. Its parts share memory.
type Row struct {
	Value   Value
	Members Object // nil: the value is not an object
	Data    Object // of the member data; nil if that is not an object
}

// ParseRows reads each value once. It copies only the names that the former object does not have at the same place, and
// allocates the members of all objects together: a hosted call of 25 records takes 5 % less processor time.
func ParseRows(values []Value) []Row {
	rows := make([]Row, len(values))
	outer, data := objects{left: len(values)}, objects{left: len(values)}
	for i, value := range values {
		c := NewCursor(value)
		rows[i] = outer.readRow(&c, &data)
	}
	return rows
}

// Rows reads the next value, an array, as ParseRows does. It is false for an array of more than 10,000 elements.
func (c *Cursor) Rows() (rows []Row, isWhole bool) {
	var outer, data objects
	isWhole = true
	for inside := c.Enter(ArrayValue); inside && c.More(); {
		if isWhole = len(rows) < maxElements; !isWhole {
			c.Value()
			continue
		}
		row := outer.readRow(c, &data)
		if rows == nil {
			rows = make([]Row, 0, min(usualRows, 1+(len(c.text)-c.at)/len(row.Value)))
		}
		rows = append(rows, row)
	}
	return rows, isWhole
}

const usualRows = 100 // of a page; more are rare

// maxRoom bounds the room for members that are not read yet: the first of many small objects may have very many
// (R-ERR-9).
const maxRoom = 4_096

// objects are similar objects whose members are allocated together.
type objects struct {
	all, former Object // the members of all objects, and of the last one
	left        int    // objects that may follow; 0: as many as the text has room for
}

func (o *objects) readRow(c *Cursor, data *objects) (row Row) {
	at := c.At()
	if c.Kind() == ObjectValue {
		row.Members, row.Data = o.read(c, data)
	} else {
		c.Value()
	}
	row.Value = c.Since(at)
	return row
}

// read reads an object. Data, if not nil, reads the member of that name if it is an object.
func (o *objects) read(c *Cursor, data *objects) (members, inner Object) {
	start, begin := len(o.all), c.At()
	c.Enter(ObjectValue)
	for i := 0; c.More(); i++ {
		name := ""
		if i < len(o.former) && c.acceptName(o.former[i].Name) {
			name = o.former[i].Name
		} else {
			name = string(c.Name())
		}
		at := c.At()
		if data != nil && name == "data" && c.Kind() == ObjectValue {
			inner, _ = data.read(c, nil)
		} else {
			c.Value()
		}
		o.all = append(o.all, Member{Name: name, Value: c.Since(at)})
	}
	if o.all == nil {
		o.all = Object{}
	}
	members = o.all[start:len(o.all):len(o.all)]
	if start == 0 {
		left := o.left - 1
		if o.left == 0 {
			left = (len(c.text) - c.at) / (c.at - begin)
		}
		o.all = slices.Grow(o.all, max(0, min(len(o.all)*left, maxRoom)))
	}
	o.former = members
	return members, inner
}
