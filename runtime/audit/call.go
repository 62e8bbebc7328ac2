package audit

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
)

// Call collects what one call reads. A nil Call collects nothing, at no cost. It is safe for concurrent use until it ends.
type Call struct {
	log *Log

	mu    sync.Mutex
	entry Entry
}

// Begin begins a call. A nil Log gives a nil Call.
func (l *Log) Begin(caller Caller, tool string) *Call {
	if l == nil {
		return nil
	}
	if len(caller.ClientName) > claimBytesMost {
		caller.ClientName = strings.ToValidUTF8(caller.ClientName[:claimBytesMost], "")
	}
	return &Call{log: l, entry: Entry{Time: time.Now().UTC().Truncate(time.Millisecond), Caller: caller, Tool: tool}}
}

// Reader is a reader whose answers the call takes note of.
func (c *Call) Reader(inner rs.Reader) rs.Reader {
	if c == nil || inner == nil {
		return inner
	}
	c.entry.Provider = inner.ProviderURL()
	return c.reading(inner)
}

// End writes the call's line. A log that cannot be written stops nothing.
func (c *Call) End(rows int, code string, took time.Duration) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.entry.Rows, c.entry.Code, c.entry.Duration = rows, code, took.Milliseconds()
	switch len(c.entry.GrantIDs) {
	case 0: // that of the caller
	case 1:
		c.entry.GrantID, c.entry.GrantIDs = c.entry.GrantIDs[0], nil
	default:
		c.entry.GrantID = ""
	}
	c.log.write(&c.entry)
}

// reading is a reader whose answers the call takes note of. Of bytes it notes that they were read: what record they are of, the
// read of that record has told.
func (c *Call) reading(inner rs.Reader) rs.Reader {
	get := func(ctx context.Context, request rs.Request) (*rs.Response, error) {
		response, err := inner.Get(ctx, request)
		c.note(request, response)
		return response, err
	}
	return rs.Wrap(inner, get, func(request rs.Request) { c.note(request, nil) })
}
