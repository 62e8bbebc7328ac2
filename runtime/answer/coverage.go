package answer

import "github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"

// Coverage is what was read for an answer. Every claim of a result is worded from it.
type Coverage struct {
	GrantIDs []string        // the grants that answered, for a reader that can have several; otherwise nil
	Missing  []Missing       // sources that failed; nil for a single source
	Absent   []rawjson.Value // warnings about sources that could have contributed and cannot be read; nil for a single source
	Reading  *Reading        // of an answer that the adapter computed; nil for the resource server's
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
