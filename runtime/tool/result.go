package tool

import (
	"encoding/json"
	"sync"
	"unsafe"
)

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

	memory *Memory // of the channels; nil for memory that is not used again
}

// File is the bytes of a file, which were checked, and what they are.
type File struct {
	MediaType string
	Data      []byte
}

// Memory is what both channels of a large result are written into. A result that is released leaves it to another one, of whatever
// caller, where it would else be cleared and collected with every call.
type Memory struct{ Text, Structured []byte }

var memories = sync.Pool{New: func() any { return new(Memory) }}

// memoryKept is how many bytes a channel has at most whose memory is kept. Results have far fewer, but for the row that ends a page.
const memoryKept = 128 << 10

// NewMemory is empty, and often has room. It belongs to the caller, who makes one result of it or forgets it.
func NewMemory() *Memory {
	m := memories.Get().(*Memory)
	m.Text, m.Structured = m.Text[:0], m.Structured[:0]
	return m
}

// Result has two parts of the memory for its channels. Nobody may write to the memory any more.
func (m *Memory) Result(text, structured []byte) *Result {
	return &Result{
		Text:       unsafe.String(unsafe.SliceData(text), len(text)), // as strings.Builder does it: without a copy
		Structured: json.RawMessage(structured), memory: m,
	}
}

// Release leaves the memory of the channels, if they have any, to results to come, and empties the result. Nobody may keep a part of
// either. A result that nobody releases is collected like other values.
func (r *Result) Release() {
	m := r.memory
	if m == nil {
		return
	}
	*r = Result{}
	if cap(m.Text) <= memoryKept && cap(m.Structured) <= memoryKept {
		memories.Put(m)
	}
}
