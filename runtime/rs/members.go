package rs

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
)

// Member is one member of a JSON object, its value as it was spelled.
type Member struct {
	Name  string
	Value json.RawMessage
}

// ErrNotObject is JSON that is valid but no object, or that has more after its end.
var ErrNotObject = errors.New("not one JSON object")

// Members gives the members of a JSON object in the order in which they were written, duplicates
// included. Its error is ErrNotObject or one of package json. The values share memory with nothing.
func Members(object []byte) ([]Member, error) {
	decoder := json.NewDecoder(bytes.NewReader(object))
	token, err := decoder.Token()
	if err != nil {
		return nil, err
	}
	if token != json.Delim('{') {
		return nil, ErrNotObject
	}
	var members []Member
	for decoder.More() {
		name, err := decoder.Token()
		if err != nil {
			return nil, err
		}
		member := Member{Name: name.(string)} // the decoder lets nothing else stand for a name
		if err := decoder.Decode(&member.Value); err != nil {
			return nil, err
		}
		members = append(members, member)
	}
	if _, err := decoder.Token(); err != nil {
		return nil, err
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, ErrNotObject
	}
	return members, nil
}
