package audit

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
)

// Call collects what one call reads. A nil Call does nothing. It is safe for concurrent use until End.
type Call struct {
	log *Log

	mu    sync.Mutex
	entry Entry
}

// Begin starts the entry of a call. A nil Log returns a nil Call.
func (l *Log) Begin(caller Caller, tool string) *Call {
	if l == nil {
		return nil
	}
	if len(caller.ClientName) > maxClientBytes {
		caller.ClientName = strings.ToValidUTF8(caller.ClientName[:maxClientBytes], "")
	}
	return &Call{log: l, entry: Entry{Time: time.Now().UTC().Truncate(time.Millisecond), Caller: caller, Tool: tool}}
}

// Reader returns a reader that records its responses in the call.
func (c *Call) Reader(inner rs.Reader) rs.Reader {
	if c == nil || inner == nil {
		return inner
	}
	c.entry.Provider = inner.ProviderURL()
	get := func(ctx context.Context, request rs.Request) (*rs.Response, error) {
		response, err := inner.Get(ctx, request)
		c.note(request, response)
		return response, err
	}
	return rs.Wrap(inner, get, func(request rs.Request) { c.note(request, nil) })
}

// End writes the call's line. A failed write does not affect the caller.
func (c *Call) End(rows int, code string, took time.Duration) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.entry.Rows, c.entry.Code, c.entry.Duration = rows, code, took.Milliseconds()
	switch len(c.entry.GrantIDs) {
	case 0: // the grant of the caller
	case 1:
		c.entry.GrantID, c.entry.GrantIDs = c.entry.GrantIDs[0], nil
	default:
		c.entry.GrantID = ""
	}
	c.log.write(&c.entry)
}
