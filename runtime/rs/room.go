package rs

import (
	"sync"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
)

// Room is memory for the bodies of pages that one caller reads one after another: each page that is recycled gives its memory to
// a page to come, where it would else be cleared and collected a thousand times. It is for one caller alone, so that no mistake
// can show a caller what another one read. The zero value is empty. It is safe for concurrent use.
type Room struct {
	mu   sync.Mutex
	free []memory
}

// memory is that of a body, and of the notes on the document in it.
type memory struct {
	body     []byte
	document rawjson.Document
}

// take is memory that nobody uses; none when there is none, and of a nil Room.
func (r *Room) take() memory {
	if r == nil {
		return memory{}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	last := len(r.free) - 1
	if last < 0 {
		return memory{}
	}
	taken := r.free[last]
	r.free = r.free[:last]
	return taken
}

func (r *Room) give(free memory) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.free = append(r.free, free)
}

// Recycle gives the memory of the body to the Room of its request, if it has one. Nobody may look at anything of the body any
// more: rows and values that are needed have to be copied before. Nil has no body.
func (r *Response) Recycle() {
	if r == nil || r.room == nil {
		return
	}
	r.room.give(memory{r.body, r.document})
	r.room, r.body, r.list, r.document = nil, nil, nil, rawjson.Document{}
}
