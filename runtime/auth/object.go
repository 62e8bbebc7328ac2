package auth

import (
	"encoding/json"
	"errors"
	"unicode/utf8"

	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
)

// object is one JSON object of an answer. Names are compared exactly: package json would let "ACTIVE"
// stand for "active", and the last of two members win, which is no ground to let anybody in.
type object map[string]json.RawMessage

// MemberError is a member of the authorization server's answer that is not what it must be. It never
// repeats the value, which may be a token.
type MemberError struct {
	Member string // its name
	Want   string // such as "a string"
}

func (e *MemberError) Error() string { return "member " + e.Member + " must be " + e.Want }

// None of them repeats a part of the body, which may be a token.
var (
	errNotObject   = errors.New("not one JSON object")
	errNotUTF8     = errors.New("not valid UTF-8")
	errMemberTwice = errors.New("a JSON object names a member twice")
)

func parseObject(body []byte) (object, error) {
	// Package json would put another character in the place of what it cannot read (RFC 8259, section 8.1).
	if !utf8.Valid(body) {
		return nil, errNotUTF8
	}
	members, err := rs.Members(body)
	if err != nil {
		return nil, errNotObject
	}
	parsed := make(object, len(members))
	for _, member := range members {
		if _, twice := parsed[member.Name]; twice {
			return nil, errMemberTwice
		}
		parsed[member.Name] = member.Value
	}
	return parsed, nil
}

// get gives a member's value; null counts as absent.
func (o object) get(name string) (json.RawMessage, bool) {
	value, present := o[name]
	return value, present && string(value) != "null"
}

// reader reads the members of one object and keeps the first error, so that it is asked for once.
type reader struct {
	object
	err error
}

// text gives a member that must be a string; an absent one is empty.
func (r *reader) text(name string) string {
	return decode[string](r, name, "a string")
}

// decode gives a member as a T; an absent one is T's zero value. T must not be a struct, in which names
// would not be compared exactly.
func decode[T any](r *reader, name, want string) T {
	var decoded, none T
	value, present := r.get(name)
	if !present || r.err != nil {
		return none
	}
	if err := json.Unmarshal(value, &decoded); err != nil {
		r.err = &MemberError{name, want}
		return none
	}
	return decoded
}

// nested gives a member that must be an object; an absent one is empty.
func (r *reader) nested(name string) object {
	value, present := r.get(name)
	if !present || r.err != nil {
		return nil
	}
	parsed, err := parseObject(value)
	if errors.Is(err, errNotObject) {
		err = &MemberError{name, "an object"}
	}
	r.err = err
	return parsed
}
