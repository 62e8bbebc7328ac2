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
		return URI{}, &Error{Part: "uri", Message: "has more than one segment after its kind; percent-encode a slash as %2F"}
	}
	switch kind := Kind(kind); {
	case kind == KindStream, kind == KindRecord && strings.ContainsAny(segment, ":%"): // base64url has neither, and an id a colon
		return parseEscaped(segment, kind)
	case kind == KindRecord, kind == KindFieldWindow, kind == KindBlob:
		return parseToken(segment, kind)
	}
	return URI{}, notURI("is of no known kind")
}

func notURI(problem string) *Error {
	return &Error{Part: "uri", Message: problem +
		"; pass pdpp://stream/{name}, pdpp://record/{handle}, pdpp://field-window/{handle} or pdpp://blob/{handle}"}
}

// parseEscaped reads the name of a stream or a self-contained id.
func parseEscaped(segment string, kind Kind) (URI, error) {
	text, err := url.PathUnescape(segment)
	if err != nil {
		return URI{}, &Error{Part: "uri", Message: "is not percent-encoded as a URI must be", Cause: err}
	}
	uri := URI{Kind: kind}
	if kind == KindStream {
		uri.Stream, err = text, CheckName("stream", text)
	} else {
		uri.Record, err = parseSlashed(text)
	}
	if err != nil {
		return URI{}, err
	}
	return uri, nil
}

// parseSlashed reads a self-contained id that stood in a URI, where its record id may hold slashes (R-HAND-9): neither the
// connection nor the stream holds a colon, so that the first one ends both.
func parseSlashed(id string) (Handle, error) {
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

// FormatURI writes a URI of one of the kinds so that ParseURI reads it back. Unlike a self-contained id, it can name any record.
func FormatURI(uri URI) string {
	if uri.Kind == KindStream {
		return uri.Kind.escaped(uri.Stream)
	}
	return scheme + string(uri.Kind) + "/" + uri.token()
}

// escaped is the URI of a stream with its name, or of a record with its self-contained id.
func (k Kind) escaped(name string) string { return scheme + string(k) + "/" + url.PathEscape(name) }
