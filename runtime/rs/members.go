package rs

import (
	"errors"
	"unicode/utf8"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
)

// Member is one member of a JSON object, its value as it was spelled.
type Member = rawjson.Member

// ErrNotObject is JSON that is valid but no object.
var ErrNotObject = errors.New("not a JSON object")

// Members gives the members of one JSON object in the order in which they were written, duplicates
// included. Its error is ErrNotObject, or rawjson.ErrInvalid for what is not one JSON value in UTF-8. The values
// share memory with the object.
func Members(object []byte) ([]Member, error) {
	if !utf8.Valid(object) || !rawjson.Valid(object) {
		return nil, rawjson.ErrInvalid
	}
	members, ok := rawjson.ParseObject(object)
	if !ok {
		return nil, ErrNotObject
	}
	return members, nil
}
