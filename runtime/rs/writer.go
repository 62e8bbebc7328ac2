package rs

import (
	"bytes"
	"context"
	"encoding/json"
)

// Writer changes something at a resource server with one bearer. It is kept apart from Reader so that what
// only reads cannot be given the means to write. Implementations are safe for concurrent use.
type Writer interface {
	// Send sends one change, once: an answer that got lost leaves open whether the change was made, so
	// nothing is sent again. An answer without a body has a nil Body. Errors are those of Reader.Get.
	Send(ctx context.Context, change Change) (*Response, error)
}

// Change is one request that is not a read.
type Change struct {
	Method string // POST, PATCH or DELETE
	Path   Path
	Query  Query
	Body   *Body // of POST and PATCH; nil sends none
}

// Body is a JSON object in the order in which it was built. An argument that was not given (a nil pointer, a
// nil slice) adds nothing; an empty value that was given is sent. Copies of a body must not both be added to.
type Body struct {
	members []Member
}

// String adds a string when a value was given.
func (b *Body) String(name string, value *string) {
	if value != nil {
		b.add(name, *value)
	}
}

// Integer adds a whole number when a value was given.
func (b *Body) Integer(name string, value *int64) {
	if value != nil {
		b.add(name, *value)
	}
}

// StringList adds an array of strings when a list was given.
func (b *Body) StringList(name string, values []string) {
	if values != nil {
		b.add(name, values)
	}
}

func (b *Body) add(name string, value any) {
	b.members = append(b.members, Member{name, encoded(value)})
}

// Encoded is the object as it is sent: {} when nothing was added, and nil for a nil body.
func (b *Body) Encoded() []byte {
	if b == nil {
		return nil
	}
	var object bytes.Buffer
	object.WriteByte('{')
	for i, member := range b.members {
		if i > 0 {
			object.WriteByte(',')
		}
		object.Write(encoded(member.Name))
		object.WriteByte(':')
		object.Write(member.Value)
	}
	object.WriteByte('}')
	return object.Bytes()
}

// encoded writes JSON without HTML escapes: what was passed is what the resource server reads.
func encoded(value any) json.RawMessage {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		panic("rs: strings and whole numbers always encode: " + err.Error())
	}
	return bytes.TrimRight(text.Bytes(), "\n")
}
