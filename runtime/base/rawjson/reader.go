package rawjson

import (
	"context"
	"encoding/json"
	"errors"
)

// ErrNotObject: the JSON is valid but not an object.
var ErrNotObject = errors.New("not a JSON object")

// ReadObject returns the members of an unambiguous document from another party. Its error is one of Unambiguous or
// ErrNotObject. The values may share memory with the document.
func ReadObject(document []byte, depth int) (Object, error) {
	return objectIn(Unambiguous(context.Background(), document, depth))
}

// ReadMembers returns the members of a JSON object in their order, duplicates included. Its error is one of Compact or
// ErrNotObject. The values may share memory with the document.
func ReadMembers(document []byte) (Object, error) { return objectIn(Compact(document)) }

func objectIn(compact Value, err error) (Object, error) {
	if err != nil {
		return nil, err
	}
	object, isObject := ParseObject(compact)
	if !isObject {
		return nil, ErrNotObject
	}
	return object, nil
}

// MemberError is a member of the wrong type. It does not repeat the value, which may be a token.
type MemberError struct {
	Member string // its name
	Want   string // such as "a string"
}

func (e *MemberError) Error() string { return "member " + e.Member + " must be " + e.Want }

// Reader reads members of certain types. A member that is absent or null is the zero value of its type. Names are
// compared exactly, while package json also accepts ACTIVE for active. The zero value reads an object without members.
// It is not safe for concurrent use.
type Reader struct {
	Object Object
	Err    error // the first error: a *MemberError, or one of Fail; later reads return zero values
}

// Fail sets Err unless it is set.
func (r *Reader) Fail(err error) {
	if r.Err == nil {
		r.Err = err
	}
}

// Text returns a member that must be a string.
func (r *Reader) Text(name string) string { return Decode[string](r, name, "a string") }

// Nested returns a member that must be an object.
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

// Decode returns a member as a T. T must not be a struct, because package json would not compare its names exactly.
// Want completes the message "must be".
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
