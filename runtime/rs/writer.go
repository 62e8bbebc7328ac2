package rs

import (
	"context"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
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
	members rawjson.Object
}

// String adds a string when a value was given.
func (b *Body) String(name string, value *string) {
	if value != nil {
		b.members = append(b.members, rawjson.String(name, *value))
	}
}

// Integer adds a whole number when a value was given.
func (b *Body) Integer(name string, value *int64) {
	if value != nil {
		b.members = append(b.members, rawjson.Int(name, *value))
	}
}

// StringList adds an array of strings when a list was given.
func (b *Body) StringList(name string, values []string) {
	if values != nil {
		b.members = append(b.members, rawjson.Strings(name, values))
	}
}

// Encoded is the object as it is sent: {} when nothing was added, and nil for a nil body.
func (b *Body) Encoded() []byte {
	if b == nil {
		return nil
	}
	return b.members.Encode()
}
