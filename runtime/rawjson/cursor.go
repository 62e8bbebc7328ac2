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
// A visitor passes each value that it meets, by Enter and More or by Value. A copy stands where the cursor stood, and goes its own
// way.
type Cursor struct {
	doc  *Document
	at   int
	note int // the first one that stands here or behind
}

// NewCursor stands before a value.
func NewCursor(value Value) Cursor { return Cursor{doc: &Document{text: value}} }

// noted is the note that is next; nil when there is none.
func (c *Cursor) noted() *note {
	if c.note < len(c.doc.notes) {
		return &c.doc.notes[c.note]
	}
	return nil
}

// At is the place of the next value, for Since.
func (c *Cursor) At() int {
	c.at = space(c.doc.text, c.at)
	return c.at
}

// Since is what was passed since a place, which is one value when the place is that of a value.
func (c *Cursor) Since(place int) Value { return c.doc.text[place:c.at:c.at] }

// Kind is the kind of the next value.
func (c *Cursor) Kind() ValueKind { return Kind(c.doc.text[c.at:]) }

// Enter passes the opening bracket of the next value when that is of this kind, ObjectValue or ArrayValue. Else it passes
// the value and is false.
func (c *Cursor) Enter(kind ValueKind) bool {
	if c.Kind() != kind {
		c.Value()
		return false
	}
	at := space(c.doc.text, c.at)
	if n := c.noted(); n != nil && int(n.value) == at {
		c.note++
	}
	c.at = at + 1
	return true
}

// More reports whether the object or the array that was entered last has one more member or element, which is next then.
// Else it passes the closing bracket.
func (c *Cursor) More() bool {
	if n := c.noted(); n != nil && int(n.start) <= c.at+1 { // behind the bracket or a comma
		c.at = int(n.start)
		return true
	}
	text := c.doc.text
	at := space(text, c.at)
	if at < len(text) && text[at] == ',' {
		at = space(text, at+1)
	}
	c.at = at
	if at == len(text) {
		return false
	}
	if closing := text[at]; closing == '}' || closing == ']' {
		c.at++
		return false
	}
	return true
}

// Name passes the name of the next member. It is not to be written to.
func (c *Cursor) Name() []byte {
	if n := c.noted(); n != nil && int(n.start) == c.at && n.start < n.value {
		c.at = int(n.value)
		return c.doc.text[n.start+1 : n.value-2]
	}
	quoted := c.Value()
	if c.at = space(c.doc.text, c.at); c.at < len(c.doc.text) { // the colon
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
	text := c.doc.text
	if n := c.noted(); n != nil && int(n.value) == c.at {
		start := c.at
		c.at, c.note = int(n.end), int(n.next)
		return text[start:c.at:c.at]
	}
	start := space(text, c.at)
	if start < len(text) && text[start] == '"' {
		c.at = skipString(text, start)
		return text[start:c.at:c.at]
	}
	if c.at = skip(text, start); c.at == start { // no value stands here, so that nothing behind it can be told
		c.at = len(text)
		return nil
	}
	return text[start:c.at:c.at]
}

// Member is the value of a member of the next value, which is not passed; nil when there is none.
func (c *Cursor) Member(name string) Value {
	within := *c
	for inside := within.Enter(ObjectValue); inside && within.More(); {
		isMeant := string(within.Name()) == name
		if value := within.Value(); isMeant {
			return value
		}
	}
	return nil
}

// What an object usually has, for which room is kept: members, and bytes of all their names.
const (
	membersUsual = 12
	namesUsual   = 160
)

// Object passes the next value and takes it apart, one level deep. It is false for a value of another kind. The object probably has
// the members of another one, as the rows of a page have: names that stand in the same place there are not read again; the others are
// copied in one piece. One member is taken apart on the way; nil for none. Members are kept in memory, which may be nil.
func (c *Cursor) Object(other Object, nested *Nested, memory *Members) (Object, bool) {
	if !c.Enter(ObjectValue) {
		return nil, false
	}
	room := len(other)
	if room == 0 {
		room = membersUsual
	}
	object := memory.take(room)
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
			nested.Members, nested.Found = c.Object(nested.Like, nil, memory)
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
func ParseObject(value Value) (Object, bool) {
	c := NewCursor(value)
	return c.Object(nil, nil, nil)
}

// Members is memory that objects share which are taken apart one after another, such as the rows of a page. It is not safe for
// concurrent use.
type Members struct{ free []Member }

// membersKept is for how many members memory is taken at once: 4 kB.
const membersKept = 102

// take is an object with room for so many members.
func (m *Members) take(count int) Object {
	if m == nil {
		return make(Object, 0, count)
	}
	if count > len(m.free) {
		m.free = make([]Member, max(count, membersKept))
	}
	taken := m.free[:0:count]
	m.free = m.free[count:]
	return taken
}

// Nested is a member that is an object and taken apart together with the object around it.
type Nested struct {
	Name    string // of the member
	Like    Object // that it is probably like
	Members Object // what it holds
	Found   bool   // whether there is such a member and it is an object
}

// Elements takes an array apart, one level deep. It is false for a value of another kind.
func Elements(value Value) ([]Value, bool) {
	c := NewCursor(value)
	if !c.Enter(ArrayValue) {
		return nil, false
	}
	elements := []Value{}
	for c.More() {
		elements = append(elements, c.Value())
	}
	return elements, true
}
