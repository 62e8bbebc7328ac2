package recordid

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/json"
	"net/url"
	"strings"
	"unicode/utf8"
)

// Kind is the kind of thing that a pdpp URI names.
type Kind string

// The kinds, as URIs have them after pdpp://.
const (
	KindStream      Kind = "stream"
	KindRecord      Kind = "record"
	KindFieldWindow Kind = "field-window"
	KindBlob        Kind = "blob"
)

const scheme = "pdpp://"

// URI is a resource URI. The kind determines which other members it has.
type URI struct {
	Kind   Kind
	Stream string      // KindStream
	Record Handle      // every other kind
	Window FieldWindow // KindFieldWindow; for KindBlob only the field that refers to the blob
}

// FieldWindow selects a window of a text field. A nil member was not given. Offsets and lengths are characters as the
// resource server counts them. Its JSON members are those of a URI's token (docs/interfaces.md) and of the arguments of
// read_record_field.
type FieldWindow struct {
	FieldPath   string  `json:"field_path,omitempty"`
	OffsetChars *int64  `json:"offset_chars,omitempty"`
	Cursor      *string `json:"cursor,omitempty"`
	LimitChars  *int64  `json:"limit_chars,omitempty"`
	Q           *string `json:"q,omitempty"`
	BeforeChars *int64  `json:"before_chars,omitempty"`
	AfterChars  *int64  `json:"after_chars,omitempty"`
}

// IsURI reports whether a text begins like a pdpp URI.
func IsURI(text string) bool { return strings.HasPrefix(text, scheme) }

// ParseURI reads pdpp://stream/{name}, pdpp://record/{handle}, pdpp://field-window/{handle} and pdpp://blob/{handle}
// (R-RES-1, R-BLOB-4). Its error is an *Error.
func ParseURI(uri string) (URI, error) {
	rest, isURI := strings.CutPrefix(uri, scheme)
	kind, segment, _ := strings.Cut(rest, "/")
	switch {
	case !isURI:
		return URI{}, invalidURI("does not begin with pdpp://")
	case strings.ContainsAny(rest, "?#"):
		return URI{}, invalidURI("holds a query or a fragment")
	case segment == "":
		return URI{}, invalidURI("has nothing after its kind")
	case strings.Contains(segment, "/"):
		return URI{}, &Error{Part: "uri", Message: "has more than one segment after its kind; percent-encode a slash as %2F"}
	}
	switch kind := Kind(kind); {
	case kind == KindStream, kind == KindRecord && strings.ContainsAny(segment, ":%"): // an escaped id has a colon or a percent sign, base64url has neither
		return parseEscaped(segment, kind)
	case kind == KindRecord, kind == KindFieldWindow, kind == KindBlob:
		return parseToken(segment, kind)
	}
	return URI{}, invalidURI("is of an unknown kind")
}

func invalidURI(problem string) *Error {
	return &Error{Part: "uri", Message: problem +
		"; pass pdpp://stream/{name}, pdpp://record/{handle}, pdpp://field-window/{handle} or pdpp://blob/{handle}"}
}

// parseEscaped reads a percent-encoded stream name or self-contained id.
func parseEscaped(segment string, kind Kind) (URI, error) {
	text, err := url.PathUnescape(segment)
	if err != nil {
		return URI{}, &Error{Part: "uri", Message: "has invalid percent-encoding", Cause: err}
	}
	uri := URI{Kind: kind}
	if kind == KindStream {
		uri.Stream, err = text, CheckName("stream", text)
	} else {
		uri.Record, err = ParseSlashed(text)
	}
	if err != nil {
		return URI{}, err
	}
	return uri, nil
}

// ParseSlashed reads a self-contained id whose record id may have slashes (R-HAND-9), as in a URI or as people type it.
// The record id begins after the first colon, since connection and stream have no colon.
func ParseSlashed(id string) (Handle, error) {
	names, recordID, _ := strings.Cut(id, ":")
	if !strings.Contains(recordID, "/") || strings.HasPrefix(recordID, "//") { // or a URL
		return Parse(id)
	}
	handle, err := Parse(names + ":-") // the record id is checked below
	if err != nil {
		return Handle{}, err
	}
	handle.RecordID = recordID
	return handle, checkURIRecordID("record id", recordID)
}

// FormatURI returns a URI that ParseURI reads back. Unlike a self-contained id, it can name any record.
func FormatURI(uri URI) string {
	if uri.Kind == KindStream {
		return uri.Kind.escaped(uri.Stream)
	}
	var object bytes.Buffer
	encoder := json.NewEncoder(&object)
	encoder.SetEscapeHTML(false)
	record := uri.Record
	_ = encoder.Encode(token{1, uri.Kind, record.ConnectionID, record.Stream, record.RecordID, uri.Kind.selection(uri.Window)}) // always encodes
	return scheme + string(uri.Kind) + "/" + base64url.EncodeToString(bytes.TrimRight(object.Bytes(), "\n"))
}

// escaped returns the URI of a stream with its name, or of a record with its self-contained id.
func (k Kind) escaped(name string) string { return scheme + string(k) + "/" + url.PathEscape(name) }

// token is the JSON object in a URI (docs/interfaces.md). Unknown members are ignored, since other PDPP tools make URIs
// too.
type token struct {
	Version      int    `json:"v"`
	Kind         Kind   `json:"kind"`
	ConnectionID string `json:"connection_id,omitempty"`
	Stream       string `json:"stream"`
	RecordID     string `json:"record_id"`

	FieldWindow
}

var base64url = base64.RawURLEncoding.Strict()

// selection returns the part of a window that URIs of the kind have.
func (k Kind) selection(window FieldWindow) FieldWindow {
	switch k {
	case KindFieldWindow:
		return window
	case KindBlob:
		return FieldWindow{FieldPath: window.FieldPath}
	}
	return FieldWindow{}
}

// parseToken reads a token of a kind and checks its names. The tool checks the window.
func parseToken(segment string, kind Kind) (URI, error) {
	object, err := base64url.DecodeString(segment)
	var decoded token
	notJSON := json.Unmarshal(object, &decoded)
	problem := ""
	switch {
	case err != nil:
		problem = "has a handle that is not unpadded base64url"
	case !utf8.Valid(object):
		problem = "has a handle that is not UTF-8"
	case notJSON != nil:
		problem = "has a handle that is not a JSON object of the known members"
	case decoded.Version != 1:
		problem = "has a handle of a version other than 1; search again for a new one"
	case decoded.Kind != kind:
		problem = "has a handle that is not of kind " + string(kind)
	}
	if problem != "" {
		return URI{}, &Error{Part: "uri", Message: problem, Cause: cmp.Or(err, notJSON)}
	}
	connection, fieldPath := cmp.Or(decoded.ConnectionID, "none"), decoded.FieldPath
	if kind == KindRecord {
		fieldPath = "none"
	}
	if err := cmp.Or(CheckName("connection id", connection), CheckName("stream", decoded.Stream),
		checkURIRecordID("record id", decoded.RecordID), CheckName("field path", fieldPath)); err != nil {
		return URI{}, err
	}
	return URI{
		Kind: kind, Record: Handle{decoded.ConnectionID, decoded.Stream, decoded.RecordID}, Window: kind.selection(decoded.FieldWindow),
	}, nil
}
