package tool

import "encoding/json"

// Result is what a model may see of one call. Text and Structured each stand alone (R-BUD-1).
type Result struct {
	Text       string
	Structured json.RawMessage            // a JSON object
	Meta       map[string]json.RawMessage // for hosts, not for models; may be nil
	IsError    bool
	Rows       int // records, hits or groups that it shows

	// File is what cannot be shown as text (R-BLOB-3, R-BLOB-4); nil when there is none. A host shows a model pictures only, as
	// one block beside the text, and gives a reader of a resource any file.
	File *File
}

// File is the bytes of a file, which were checked, and what they are.
type File struct {
	MediaType string
	Data      []byte
}
