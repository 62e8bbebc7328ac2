package rs

import (
	"sync"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
)

// memory is that of a body, and of the notes on the document in it.
type memory struct {
	body     []byte
	document rawjson.Document
}

// memories were left by bodies at which nobody looks any more, to bodies to come: a page would else take what is cleared and collected
// a thousand times.
var memories = sync.Pool{New: func() any { return new(memory) }}

// memoryKept is how many bytes a body has at most whose memory is kept.
const memoryKept = 1 << 20

// takeMemory is memory that nobody uses, for an answer that will be recycled; empty for another one.
func takeMemory(isRecycled bool) *memory {
	if !isRecycled {
		return &memory{}
	}
	return memories.Get().(*memory)
}

// Recycle leaves the memory of the body to answers of other requests, if its own said that it would (Request.IsRecycled). Nobody may
// look at anything of the body any more: rows and values that are needed have to be copied before. The bytes are cleared, so that
// whoever looks at them all the same does not see the answer to another caller, until it comes. Nil has no body.
func (r *Response) Recycle() {
	if r == nil || r.memory == nil {
		return
	}
	left := r.memory
	r.memory, r.body, r.list, r.document = nil, nil, nil, rawjson.Document{}
	clear(left.document.Text()) // a copy of a body that has whitespace between its tokens
	if clear(left.body); cap(left.body) <= memoryKept {
		memories.Put(left)
	}
}
