// Package recordid reads and writes the handles with which a model names a record in its next call: the self-contained
// id {connection_id}/{stream}:{record_id}, its short form stream:record_id, and pdpp:// URIs. A handle gives no access:
// the resource server checks every read.
package recordid

import (
	"cmp"
	"strings"
)

// Handle names one record.
type Handle struct {
	ConnectionID string // empty if the handle names no source
	Stream       string
	RecordID     string // the canonical key, byte for byte; compound keys are JSON arrays
}

// Target is the record that a call reads, by its id or by its parts.
type Target struct {
	Handle       string  // the id that was passed, or the one formed from the parts
	ConnectionID *string // nil if the call named no source
	Stream       string
	RecordID     string
}

// Parse reads {connection_id}/{stream}:{record_id} or stream:record_id (R-HAND-3). A slash ends the connection id, and
// the next colon ends the stream. It trims and unescapes nothing. Its error is an *Error.
func Parse(id string) (Handle, error) {
	switch {
	case id == "":
		return Handle{}, &Error{Part: "id", Message: "must not be empty"}
	case strings.Contains(id, "://"):
		return Handle{}, invalidHandle("is a URL")
	}
	connectionID, rest, hasConnection := strings.Cut(id, "/")
	if !hasConnection {
		connectionID, rest = "", id
	} else if err := checkConnectionID(connectionID); err != nil {
		return Handle{}, err
	}
	stream, recordID, found := strings.Cut(rest, ":")
	if !found {
		return Handle{}, invalidHandle("has no colon between stream and record id")
	}
	if err := cmp.Or(CheckName("stream", stream), CheckRecordID("record id", recordID)); err != nil {
		return Handle{}, err
	}
	return Handle{connectionID, stream, recordID}, nil
}

func invalidHandle(problem string) *Error {
	return &Error{Part: "id", Message: problem + "; pass {connection_id}/{stream}:{record_id} or stream:record_id, as search shows it"}
}

// checkConnectionID refuses a colon too: stream:record/with:slash would look like a handle with a connection.
func checkConnectionID(connectionID string) error {
	err := CheckName("connection id", connectionID)
	if err == nil && strings.Contains(connectionID, ":") {
		return &Error{Part: "connection id", Message: "must not hold a colon, and a record id no slash"}
	}
	return err
}

// String returns the self-contained id, or the short form if there is no connection. Parse returns the same handle only
// if CanFormat is true.
func (h Handle) String() string {
	if h.ConnectionID == "" {
		return h.Stream + ":" + h.RecordID
	}
	return h.ConnectionID + "/" + h.Stream + ":" + h.RecordID
}

// ID returns the text with which a call names the record: the handle or, for a record id such as owner/repo, the
// shorter form of its URI (R-HAND-9). It returns "" if no form can be read back.
func (h Handle) ID() string {
	if h.CanFormat() {
		return h.String()
	}
	for _, uri := range []string{KindRecord.escaped(h.String()), FormatURI(URI{Kind: KindRecord, Record: h})} {
		if parsed, err := ParseURI(uri); err == nil && parsed.Record == h {
			return uri
		}
	}
	return ""
}

// CanFormat reports whether Parse returns the same handle for String. It is false for a connection id with a slash, or
// a record id that is a URL (R-HAND-1).
func (h Handle) CanFormat() bool {
	if isPlain(h.Stream) && isPlain(h.RecordID) && (h.ConnectionID == "" || isPlain(h.ConnectionID)) {
		return true
	}
	parsed, err := Parse(h.String())
	return err == nil && parsed == h
}
