package rawjson

import (
	"context"
	"encoding/json"
	"errors"
)

// ErrNotObject is JSON that is valid but no object.
var ErrNotObject = errors.New("not a JSON object")

// ReadObject takes a document of others apart that must be one object and that all readers read alike, as Unambiguous has
// it. Its error is one of Unambiguous or ErrNotObject. The values have no white space between tokens, and may share memory
// with the document.
func ReadObject(document []byte, depth int) (Object, error) {
	compact, err := Unambiguous(context.Background(), document, depth)
	if err != nil {
		return nil, err
	}
	object, isObject := ParseObject(compact)
	if !isObject {
		return nil, ErrNotObject
	}
	return object, nil
}

// MemberError is a member that is not what it must be. It does not repeat the value, which may be a token.
type MemberError struct {
	Member string // its name
	Want   string // such as "a string"
}

func (e *MemberError) Error() string { return "member " + e.Member + " must be " + e.Want }

// Reader reads members of an object that must be of certain types. A member that is absent or null is the zero value of
// its type. Names are compared exactly, where package json would let ACTIVE stand for active. The zero value reads an
// object without members. It is not safe for concurrent use.
type Reader struct {
	Object Object
	Err    error // the first fault: a *MemberError, or what Fail was told; later reads give zero values
}

// Fail notes a fault, unless there was one before.
func (r *Reader) Fail(err error) {
	if r.Err == nil {
		r.Err = err
	}
}

// Text is a member that must be a string.
func (r *Reader) Text(name string) string { return Decode[string](r, name, "a string") }

// Nested is a member that must be an object.
func (r *Reader) Nested(name string) Object {
	value := r.Object.Get(name)
	if value == nil || r.Err != nil {
		return nil
	}
	object, isObject := ParseObject(value)
	if !isObject {
		r.Fail(&MemberError{name, "an object"})
	}
	return object
}

// Decode is a member that package json decodes as a T, which must not be a struct: its names would not be compared
// exactly. What it must be, for people, completes "must be".
func Decode[T any](r *Reader, name, want string) T {
	var decoded, none T
	value := r.Object.Get(name)
	if value == nil || r.Err != nil {
		return none
	}
	if json.Unmarshal(value, &decoded) != nil { // the error may repeat the value
		r.Fail(&MemberError{name, want})
		return none
	}
	return decoded
}
