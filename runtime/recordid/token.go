package recordid

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"unicode/utf8"
)

// token is the JSON object inside a URI handle (interfaces.md). Members that it does not know are
// ignored, since other PDPP tools mint handles too.
type token struct {
	Version      int    `json:"v"`
	Kind         Kind   `json:"kind"`
	ConnectionID string `json:"connection_id,omitempty"`
	Stream       string `json:"stream"`
	RecordID     string `json:"record_id"`

	FieldWindow
}

var base64url = base64.RawURLEncoding.Strict()

// token writes what the URI names, other than a stream.
func (u URI) token() string {
	var object bytes.Buffer
	encoder := json.NewEncoder(&object)
	encoder.SetEscapeHTML(false)
	// Strings and integers always encode.
	_ = encoder.Encode(token{1, u.Kind, u.Record.ConnectionID, u.Record.Stream, u.Record.RecordID, u.Kind.selected(u.Window)})
	return base64url.EncodeToString(bytes.TrimRight(object.Bytes(), "\n"))
}

// selected is what URIs of the kind say of a field.
func (k Kind) selected(window FieldWindow) FieldWindow {
	switch k {
	case KindFieldWindow:
		return window
	case KindBlob:
		return FieldWindow{FieldPath: window.FieldPath}
	}
	return FieldWindow{}
}

// parseToken reads a token of one kind and checks the names in it; whether the selectors of a window go together is the tool's
// to judge.
func parseToken(segment string, kind Kind) (URI, error) {
	object, err := base64url.DecodeString(segment)
	if err != nil {
		return URI{}, &Error{Part: "uri", Message: "has a handle that is not unpadded base64url", Cause: err}
	}
	if !utf8.Valid(object) {
		return URI{}, &Error{Part: "uri", Message: "has a handle that is not UTF-8"}
	}
	var decoded token
	if err := json.Unmarshal(object, &decoded); err != nil {
		return URI{}, &Error{Part: "uri", Message: "has a handle that is not a JSON object of the known members", Cause: err}
	}
	if decoded.Version != 1 {
		return URI{}, &Error{Part: "uri", Message: "has a handle of a version other than 1; search again for a new one"}
	}
	if decoded.Kind != kind {
		return URI{}, &Error{Part: "uri", Message: "is of another kind than its handle, which must say " + string(kind)}
	}
	if decoded.ConnectionID != "" {
		err = CheckName("connection id", decoded.ConnectionID)
	}
	if err == nil {
		err = CheckName("stream", decoded.Stream)
	}
	if err == nil {
		err = checkURIRecordID("record id", decoded.RecordID)
	}
	if err == nil && kind != KindRecord {
		err = CheckName("field path", decoded.FieldPath)
	}
	if err != nil {
		return URI{}, err
	}
	return URI{
		Kind: kind, Record: Handle{decoded.ConnectionID, decoded.Stream, decoded.RecordID}, Window: kind.selected(decoded.FieldWindow),
	}, nil
}
