package answer

import (
	"github.com/pdppmcp/pdpp-mcp/runtime/base/wire"
)

// Coverage describes the data that was read for an answer. The wording of every claim follows from it.
type Coverage struct {
	GrantIDs []string  // the grants that answered, for a reader that can have several; otherwise nil
	Missing  []Missing // sources that failed; nil for a single source
	Limits   []Limit   // of the grants, as far as the question reaches past them
	Reading  *Reading  // of an answer that the adapter computed; nil for the resource server's
	Searched *Searched // of the first page of a search; otherwise nil
}

// Searched describes the data that a search compared with its words, and the data that it left out (R-CLAIM-4).
type Searched struct {
	Streams      []string      // nil: unknown
	Unsearchable []string      // streams without a searchable field
	IsMarked     bool          // the schema marks the searchable fields; otherwise Unmarked is unknown
	Unmarked     []StreamField // text fields of Streams that the schema does not mark as searchable
	WithFiles    []FileStream  // those of Streams whose records have files. No search reads the text of files
	FileRecords  int64         // the records of these streams; 0: not counted
	IndexState   string        // of an index that lacks records, in the provider's word; empty: as far as known, it has all
}

// IsUnknown reports whether the grants cover nothing of the time range of the question.
func (c Coverage) IsUnknown() bool { return len(c.Limits) > 0 && c.Limits[0].IsOutside }

// SetLimits sets the limits that the question reaches past. Outside of all of them, no reading is complete, and the
// envelope claims no count of what was found.
func (c *Coverage) SetLimits(limits []Limit, envelope *Envelope) {
	if c.Limits = limits; !c.IsUnknown() {
		return
	}
	if c.Reading != nil {
		c.Reading.Complete, c.Reading.UpTo, c.Reading.IsOutside = false, Mark{}, true
	}
	envelope.Members = envelope.Members.Without("value", "filtered_record_count", "other_count")
	envelope.Meta = envelope.Meta.Without(wire.Count, "recall")
}

// StreamField is a field of a stream.
type StreamField struct{ Stream, Field string }

// FileStream is a stream whose records have files.
type FileStream struct {
	Name   string
	Fields []string // that the schema lists for the name and the media type of the file

	// ConnectionIDs are the connections that a call must name one of, because several grants have the stream; otherwise nil.
	ConnectionIDs []string
}

// Missing is a source that failed.
type Missing struct {
	Origin string // public origin of its provider
	Err    error
}

// NoneAnsweredError is the error of a read that no source answered. Its cause summarizes their errors.
type NoneAnsweredError struct {
	Cause   error
	Missing []Missing
}

func (e *NoneAnsweredError) Error() string { return e.Cause.Error() }

func (e *NoneAnsweredError) Unwrap() error { return e.Cause }

// IsWhole reports whether the answer covers all records, as far as known.
func (c Coverage) IsWhole() bool { return c.Reading == nil || c.Reading.Complete }
