package recordid

import (
	"net/url"
	"strings"
)

// Kind is what a pdpp URI names.
type Kind string

// The kinds, as they stand in the URI after pdpp://.
const (
	KindStream      Kind = "stream"
	KindRecord      Kind = "record"
	KindFieldWindow Kind = "field-window"
	KindBlob        Kind = "blob"
)

const scheme = "pdpp://"

// URI is a resource URI, taken apart. Kind says which members have a meaning.
type URI struct {
	Kind   Kind
	Stream string      // KindStream
	Record Handle      // every other kind
	Window FieldWindow // KindFieldWindow; of KindBlob the field that refers to the blob, alone
}

// FieldWindow selects a window of one text field. A nil member was not given. Offsets and lengths are
// characters as the resource server counts them. In JSON its members are those of a handle (interfaces.md) and,
// by the same names, the arguments of read_record_field.
type FieldWindow struct {
	FieldPath   string  `json:"field_path,omitempty"`
	OffsetChars *int64  `json:"offset_chars,omitempty"`
	Cursor      *string `json:"cursor,omitempty"`
	LimitChars  *int64  `json:"limit_chars,omitempty"`
	Q           *string `json:"q,omitempty"`
	BeforeChars *int64  `json:"before_chars,omitempty"`
	AfterChars  *int64  `json:"after_chars,omitempty"`
}

// IsURI reports whether a text claims to be a pdpp URI, well-formed or not.
func IsURI(text string) bool { return strings.HasPrefix(text, scheme) }

// ParseURI reads pdpp://stream/{name}, pdpp://record/{handle}, pdpp://field-window/{handle} and pdpp://blob/{handle}
// (R-RES-1, R-BLOB-4). Its error is an *Error.
func ParseURI(uri string) (URI, error) {
	rest, found := strings.CutPrefix(uri, scheme)
	if !found {
		return URI{}, notURI("does not begin with pdpp://")
	}
	if strings.ContainsAny(rest, "?#") {
		return URI{}, notURI("holds a query or a fragment")
	}
	kind, segment, found := strings.Cut(rest, "/")
	if !found || segment == "" {
		return URI{}, notURI("has nothing after its kind")
	}
	if strings.Contains(segment, "/") {
		return URI{}, &Error{Reason: Separator, Part: "uri", Message: "has more than one segment after its kind; percent-encode a slash as %2F"}
	}
	switch Kind(kind) {
	case KindStream:
		return parseStream(segment)
	case KindRecord:
		return parseRecord(segment)
	case KindFieldWindow:
		return parseFieldWindow(segment)
	case KindBlob:
		return parseBlob(segment)
	}
	return URI{}, notURI("is of no known kind")
}

func notURI(problem string) *Error {
	return &Error{Reason: NotURI, Part: "uri", Message: problem +
		"; pass pdpp://stream/{name}, pdpp://record/{handle}, pdpp://field-window/{handle} or pdpp://blob/{handle}"}
}

func parseStream(segment string) (URI, error) {
	name, err := unescape(segment)
	if err != nil {
		return URI{}, err
	}
	if err := CheckName("stream", name); err != nil {
		return URI{}, err
	}
	return URI{Kind: KindStream, Stream: name}, nil
}

// parseRecord tells the two forms apart by the colon, which a self-contained id always has, encoded
// or not, and base64url never.
func parseRecord(segment string) (URI, error) {
	if strings.ContainsAny(segment, ":%") {
		id, err := unescape(segment)
		if err != nil {
			return URI{}, err
		}
		handle, err := parseEscaped(id)
		if err != nil {
			return URI{}, err
		}
		return URI{Kind: KindRecord, Record: handle}, nil
	}
	token, err := decodeToken(segment, tokenRecord)
	if err != nil {
		return URI{}, err
	}
	return URI{Kind: KindRecord, Record: token.handle()}, nil
}

// parseEscaped reads a self-contained id that stood in a URI, where its record id may hold slashes (R-HAND-9): neither the
// connection nor the stream holds a colon, so that the first one ends both.
func parseEscaped(id string) (Handle, error) {
	names, recordID, _ := strings.Cut(id, ":")
	if !strings.Contains(recordID, "/") {
		return Parse(id)
	}
	handle, err := Parse(names + ":-") // a record id that passes, in the place of the one that is judged below
	if err != nil {
		return Handle{}, err
	}
	handle.RecordID = recordID
	return handle, checkURIRecordID("record id", recordID)
}

// escapedURI is the URI of a record with its self-contained id, percent-encoded, which parseEscaped reads back.
func escapedURI(record Handle) string {
	return scheme + string(KindRecord) + "/" + url.PathEscape(record.String())
}

func parseFieldWindow(segment string) (URI, error) {
	token, err := decodeToken(segment, tokenFieldWindow)
	if err != nil {
		return URI{}, err
	}
	window, err := token.window()
	if err != nil {
		return URI{}, err
	}
	return URI{Kind: KindFieldWindow, Record: token.handle(), Window: window}, nil
}

func parseBlob(segment string) (URI, error) {
	token, err := decodeToken(segment, tokenBlob)
	if err != nil {
		return URI{}, err
	}
	window, err := token.window()
	if err != nil {
		return URI{}, err
	}
	return URI{Kind: KindBlob, Record: token.handle(), Window: FieldWindow{FieldPath: window.FieldPath}}, nil
}

func unescape(segment string) (string, error) {
	text, err := url.PathUnescape(segment)
	if err != nil {
		return "", &Error{Reason: Encoding, Part: "uri", Message: "is not percent-encoded as a URI must be", Cause: err}
	}
	return text, nil
}

// FormatURI writes a URI that ParseURI reads back. Unlike a self-contained id, it can name any record.
func FormatURI(uri URI) string {
	switch uri.Kind {
	case KindStream:
		return scheme + string(KindStream) + "/" + url.PathEscape(uri.Stream)
	case KindRecord:
		return scheme + string(KindRecord) + "/" + recordToken(uri.Record).encode()
	case KindFieldWindow:
		return scheme + string(KindFieldWindow) + "/" + fieldToken(tokenFieldWindow, uri.Record, uri.Window).encode()
	case KindBlob:
		return scheme + string(KindBlob) + "/" + fieldToken(tokenBlob, uri.Record, FieldWindow{FieldPath: uri.Window.FieldPath}).encode()
	}
	return ""
}
