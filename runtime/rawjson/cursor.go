package rawjson

import "bytes"

// Cursor passes over a document once, from front to back, and copies nothing. It is for large documents of which parts
// are wanted at several depths: taken apart level by level, the innermost bytes would be read once for each level.
//
//	for inside := c.Enter(ObjectValue); inside && c.More(); {
//		switch string(c.Name()) {
//		case "rows":
//			readRows(c)
//		default:
//			c.Value()
//		}
//	}
//
// A visitor passes each value that it meets, by Enter and More or by Value.
type Cursor struct {
	text []byte
	at   int
}

// NewCursor stands before a value.
func NewCursor(value Value) *Cursor { return &Cursor{text: value} }

// At is the place of the next value, for Since.
func (c *Cursor) At() int {
	c.at = space(c.text, c.at)
	return c.at
}

// Since is what was passed since a place, which is one value when the place is that of a value.
func (c *Cursor) Since(place int) Value { return c.text[place:c.at:c.at] }

// Kind is the kind of the next value.
func (c *Cursor) Kind() ValueKind { return Kind(c.text[c.at:]) }

// Enter passes the opening bracket of the next value when that is of this kind, ObjectValue or ArrayValue. Else it passes
// the value and is false.
func (c *Cursor) Enter(kind ValueKind) bool {
	if c.Kind() != kind {
		c.Value()
		return false
	}
	c.at = space(c.text, c.at) + 1
	return true
}

// More reports whether the object or the array that was entered last has one more member or element, which is next then.
// Else it passes the closing bracket.
func (c *Cursor) More() bool {
	at := space(c.text, c.at)
	if at < len(c.text) && c.text[at] == ',' {
		at = space(c.text, at+1)
	}
	c.at = at
	if at == len(c.text) {
		return false
	}
	if closing := c.text[at]; closing == '}' || closing == ']' {
		c.at++
		return false
	}
	return true
}

// Name passes the name of the next member. It is not to be written to.
func (c *Cursor) Name() []byte {
	quoted := c.Value()
	if c.at = space(c.text, c.at); c.at < len(c.text) { // the colon
		c.at++
	}
	if last := len(quoted) - 1; last > 0 && bytes.IndexByte(quoted, '\\') < 0 {
		return quoted[1:last]
	}
	name, _ := Text(quoted)
	return []byte(name)
}

// Value passes the next value and gives it.
func (c *Cursor) Value() Value {
	start := space(c.text, c.at)
	if start < len(c.text) && c.text[start] == '"' {
		c.at = skipString(c.text, start)
		return c.text[start:c.at:c.at]
	}
	if c.at = skip(c.text, start); c.at == start { // no value stands here, so that nothing behind it can be told
		c.at = len(c.text)
		return nil
	}
	return c.text[start:c.at:c.at]
}

// What an object usually has, for which room is kept: members, and bytes of all their names.
const (
	membersUsual = 12
	namesUsual   = 160
)

// members takes the next object apart. Names that stand in the same place in another object are not read again; the
// others are copied in one piece.
func (c *Cursor) members(other Object, nested *Nested) (Object, bool) {
	if !c.Enter(ObjectValue) {
		return nil, false
	}
	room := len(other)
	if room == 0 {
		room = membersUsual
	}
	object := make(Object, 0, room)
	var roomOfNames [namesUsual]byte
	names := roomOfNames[:0]
	var roomOfEnds [membersUsual]int
	ends := roomOfEnds[:0]
	for c.More() {
		name := c.Name()
		var known string
		if place := len(object); place < len(other) && string(name) == other[place].Name {
			known = other[place].Name
		}
		if known == "" {
			names = append(names, name...)
			ends = append(ends, len(names))
		}
		start := c.At()
		if nested != nil && !nested.Found && string(name) == nested.Name && c.Kind() == ObjectValue {
			nested.Members, nested.Found = c.members(nested.Like, nil)
		} else {
			c.Value()
		}
		object = append(object, Member{Name: known, Value: c.Since(start)})
	}
	all, start := string(names), 0
	for i := range object {
		if object[i].Name == "" && len(ends) > 0 {
			object[i].Name = all[start:ends[0]]
			start, ends = ends[0], ends[1:]
		}
	}
	return object, true
}

// ParseObject takes an object apart, one level deep. It reads every byte once, and is false for a value of another
// kind.
func ParseObject(value Value) (Object, bool) { return ParseNested(value, nil, nil) }

// Nested is a member that is an object and taken apart together with the object around it.
type Nested struct {
	Name    string // of the member
	Like    Object // that it is probably like
	Members Object // what it holds
	Found   bool   // whether there is such a member and it is an object
}

// ParseNested is ParseObject for an object that probably has the members of another one, as the rows of a page have, and
// takes one member apart on the way; nil for none.
func ParseNested(value Value, other Object, nested *Nested) (Object, bool) {
	c := Cursor{text: value}
	return c.members(other, nested)
}

// Elements takes an array apart, one level deep. It is false for a value of another kind.
func Elements(value Value) ([]Value, bool) {
	c := Cursor{text: value}
	if !c.Enter(ArrayValue) {
		return nil, false
	}
	elements := []Value{}
	for c.More() {
		elements = append(elements, c.Value())
	}
	return elements, true
}
