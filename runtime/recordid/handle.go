// Package recordid reads and writes the handles by which a model names a record in its next call: the
// self-contained id {connection_id}/{stream}:{record_id}, its short form stream:record_id, and
// pdpp:// URIs. Handles hold no authority: the resource server checks every read.
package recordid

import (
	"fmt"
	"strings"
)

// Handle names one record.
type Handle struct {
	ConnectionID string // empty when the handle names no source
	Stream       string
	RecordID     string // the canonical key, byte for byte; compound keys are JSON arrays
}

// Target is the record that a call reads, from whichever arguments named it.
type Target struct {
	Handle       string  // the id as it was passed, or the one formed from its parts
	ConnectionID *string // nil when no source was named
	Stream       string
	RecordID     string
}

// Parse reads {connection_id}/{stream}:{record_id} or stream:record_id (R-HAND-3). A slash ends the
// connection id, since neither names nor record ids hold one; the first colon after it ends the stream.
// Its error is an *Error. Nothing is trimmed or unescaped.
func Parse(id string) (Handle, error) {
	if id == "" {
		return Handle{}, &Error{Part: "id", Message: "must not be empty"}
	}
	if strings.Contains(id, "://") {
		return Handle{}, notHandle("is a URL")
	}
	var handle Handle
	rest := id
	if connectionID, after, embedded := strings.Cut(id, "/"); embedded {
		if err := checkConnectionID(connectionID); err != nil {
			return Handle{}, err
		}
		handle.ConnectionID, rest = connectionID, after
	}
	stream, recordID, found := strings.Cut(rest, ":")
	if !found {
		return Handle{}, notHandle("has no colon between stream and record id")
	}
	if err := CheckName("stream", stream); err != nil {
		return Handle{}, err
	}
	if err := CheckRecordID("record id", recordID); err != nil {
		return Handle{}, err
	}
	handle.Stream, handle.RecordID = stream, recordID
	return handle, nil
}

func notHandle(problem string) *Error {
	return &Error{Part: "id", Message: fmt.Sprintf(
		"%s; pass {connection_id}/{stream}:{record_id} or stream:record_id, as search shows it", problem)}
}

// checkConnectionID adds to CheckName that a connection id inside a handle holds no colon. A colon
// would make stream:record/with:slash look like a handle with a connection.
func checkConnectionID(connectionID string) error {
	if err := CheckName("connection id", connectionID); err != nil {
		return err
	}
	if strings.Contains(connectionID, ":") {
		return &Error{Part: "connection id", Message: "must not hold a colon, and a record id no slash"}
	}
	return nil
}

// String is the handle in its self-contained form, or in the short form when it has no connection. It is
// meaningful only when CanFormat says so.
func (h Handle) String() string {
	if h.ConnectionID == "" {
		return h.Stream + ":" + h.RecordID
	}
	return h.ConnectionID + "/" + h.Stream + ":" + h.RecordID
}

// ID is the text by which a call names the record: the handle itself, or where its grammar cannot hold the record id, such
// as owner/repo, the record's URI (R-HAND-9), in the shorter of its forms that is read back. It is empty when none is.
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

// CanFormat reports whether Parse gives the same handle back from String. It does not when a part could
// not survive the grammar, such as a connection id with a slash, or when the record id is a URL (R-HAND-1).
func (h Handle) CanFormat() bool {
	if isPlain(h.Stream) && isPlain(h.RecordID) && (h.ConnectionID == "" || isPlain(h.ConnectionID)) {
		return true // none of its characters is of the grammar
	}
	parsed, err := Parse(h.String())
	return err == nil && parsed == h
}
