package auth

import (
	"encoding/json"
	"errors"

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

// Neither error repeats a part of the body, which may be a token.
var (
	errNotObject   = errors.New("not one JSON object")
	errMemberTwice = errors.New("a JSON object names a member twice")
)

func parseObject(body []byte) (object, error) {
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

// text gives a member that must be a string; an absent one is empty.
func (o object) text(name string) (string, error) {
	return read[string](o, name, "a string")
}

// read decodes a member into a T; an absent one is T's zero value. T must not be a struct, in which
// names would not be compared exactly.
func read[T any](o object, name, want string) (T, error) {
	var decoded T
	value, present := o.get(name)
	if !present {
		return decoded, nil
	}
	if err := json.Unmarshal(value, &decoded); err != nil {
		var none T
		return none, &MemberError{name, want}
	}
	return decoded, nil
}

// nested gives a member that must be an object; an absent one is nil.
func (o object) nested(name string) (object, error) {
	value, present := o.get(name)
	if !present {
		return nil, nil
	}
	parsed, err := parseObject(value)
	if errors.Is(err, errNotObject) {
		return nil, &MemberError{name, "an object"}
	}
	return parsed, err
}
