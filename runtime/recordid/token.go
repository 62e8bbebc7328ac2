package recordid

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"unicode/utf8"
)

// The kinds as they stand inside a token.
const (
	tokenRecord      = "record"
	tokenFieldWindow = "field-window"
	tokenBlob        = "blob"
)

// token is the JSON object inside a URI handle (interfaces.md). Members that it does not know are
// ignored, since other PDPP tools mint handles too.
type token struct {
	Version      int    `json:"v"`
	Kind         string `json:"kind"`
	ConnectionID string `json:"connection_id,omitempty"`
	Stream       string `json:"stream"`
	RecordID     string `json:"record_id"`

	FieldWindow
}

var base64url = base64.RawURLEncoding.Strict()

func recordToken(record Handle) token {
	return token{Version: 1, Kind: tokenRecord, ConnectionID: record.ConnectionID, Stream: record.Stream, RecordID: record.RecordID}
}

// fieldToken is a token of a kind that names a field.
func fieldToken(kind string, record Handle, window FieldWindow) token {
	minted := recordToken(record)
	minted.Kind = kind
	minted.FieldWindow = window
	return minted
}

func (t token) encode() string {
	var object bytes.Buffer
	encoder := json.NewEncoder(&object)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(t); err != nil {
		panic("recordid: a token of strings and integers always encodes: " + err.Error())
	}
	return base64url.EncodeToString(bytes.TrimRight(object.Bytes(), "\n"))
}

// decodeToken reads a token of one kind and checks the record that it names.
func decodeToken(segment, kind string) (token, error) {
	object, err := base64url.DecodeString(segment)
	if err != nil {
		return token{}, &Error{Reason: Encoding, Part: "uri", Message: "has a handle that is not unpadded base64url", Cause: err}
	}
	if !utf8.Valid(object) {
		return token{}, &Error{Reason: Encoding, Part: "uri", Message: "has a handle that is not UTF-8"}
	}
	var decoded token
	if err := json.Unmarshal(object, &decoded); err != nil {
		return token{}, &Error{Reason: Encoding, Part: "uri", Message: "has a handle that is not a JSON object of the known members", Cause: err}
	}
	if decoded.Version != 1 {
		return token{}, &Error{Reason: BadVersion, Part: "uri", Message: "has a handle of a version other than 1; search again for a new one"}
	}
	if decoded.Kind != kind {
		return token{}, &Error{Reason: Contradictory, Part: "uri", Message: "is of another kind than its handle, which must say " + kind}
	}
	if decoded.ConnectionID != "" {
		if err := CheckName("connection id", decoded.ConnectionID); err != nil {
			return token{}, err
		}
	}
	if err := CheckName("stream", decoded.Stream); err != nil {
		return token{}, err
	}
	if err := checkURIRecordID("record id", decoded.RecordID); err != nil {
		return token{}, err
	}
	return decoded, nil
}

func (t token) handle() Handle {
	return Handle{ConnectionID: t.ConnectionID, Stream: t.Stream, RecordID: t.RecordID}
}

// window checks the field path only; whether the selectors go together is the tool's to judge.
func (t token) window() (FieldWindow, error) {
	if err := CheckName("field path", t.FieldPath); err != nil {
		return FieldWindow{}, err
	}
	return t.FieldWindow, nil
}
