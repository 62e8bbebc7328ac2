package rs

import (
	"context"
	"encoding/json"
	"strings"

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
// nil slice) adds nothing; an empty value that was given is sent. A dot in a name leads into an object: filters.streams
// is the member streams of the member filters. Copies of a body must not both be added to.
type Body struct {
	members rawjson.Object
}

// String adds a string when a value was given.
func (b *Body) String(name string, value *string) {
	if value != nil {
		b.members = with(b.members, name, rawjson.Quote(*value))
	}
}

// Integer adds a whole number when a value was given.
func (b *Body) Integer(name string, value *int64) {
	if value != nil {
		b.members = with(b.members, name, rawjson.Int("", *value).Value)
	}
}

// Boolean adds true or false when a value was given.
func (b *Body) Boolean(name string, value *bool) {
	if value != nil {
		b.members = with(b.members, name, rawjson.Bool("", *value).Value)
	}
}

// StringList adds an array of strings when a list was given.
func (b *Body) StringList(name string, values []string) {
	if values != nil {
		b.members = with(b.members, name, rawjson.Strings("", values).Value)
	}
}

// with is an object with one more member, which may stand in an object of it.
func with(members rawjson.Object, name string, value json.RawMessage) rawjson.Object {
	outer, inner, nested := strings.Cut(name, ".")
	if !nested {
		return append(members, rawjson.Raw(name, value))
	}
	for i, member := range members {
		if member.Name == outer {
			within, _ := rawjson.ParseObject(member.Value) // an object that with wrote
			members[i].Value = with(within, inner, value).Encode()
			return members
		}
	}
	return append(members, rawjson.Raw(outer, with(nil, inner, value).Encode()))
}

// Encoded is the object as it is sent: {} when nothing was added, and nil for a nil body.
func (b *Body) Encoded() []byte {
	if b == nil {
		return nil
	}
	return b.members.Encode()
}
