package rs

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
)

// Writer changes something at a resource server with one bearer. It is safe for concurrent use. Readers cannot write.
type Writer interface {
	// Send sends one change once. It does not repeat it, because the change may have been made although the response was
	// lost. A response without a body has a nil Body. Errors are those of Reader.Get.
	Send(ctx context.Context, change Change) (*Response, error)
}

// Change is one request that changes something.
type Change struct {
	Method string // POST, PATCH or DELETE
	Path   Path
	Query  Query
	Body   *Body // of POST and PATCH; nil sends none
}

// Body is a JSON object in the order in which it was built. A nil argument adds nothing; an empty value is sent. A dot
// in a name separates members: filters.streams is the member streams of the member filters. Only one copy of a body may
// be changed.
type Body struct {
	members rawjson.Object
}

// String adds a string unless the value is nil.
func (b *Body) String(name string, value *string) {
	if value != nil {
		b.members = with(b.members, name, rawjson.Quote(*value))
	}
}

// Integer adds a whole number unless the value is nil.
func (b *Body) Integer(name string, value *int64) {
	if value != nil {
		b.members = with(b.members, name, rawjson.Int("", *value).Value)
	}
}

// Boolean adds true or false unless the value is nil.
func (b *Body) Boolean(name string, value *bool) {
	if value != nil {
		b.members = with(b.members, name, rawjson.Bool("", *value).Value)
	}
}

// StringList adds an array of strings unless the list is nil.
func (b *Body) StringList(name string, values []string) {
	if values != nil {
		b.members = with(b.members, name, rawjson.Strings("", values).Value)
	}
}

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

// Encoded returns the JSON object, or nil for a nil body.
func (b *Body) Encoded() []byte {
	if b == nil {
		return nil
	}
	return b.members.Encode()
}
