// Package audit records who read what (R-OPS-2). Each call becomes one line of JSON with names and numbers, never
// contents. The files survive a kill, are rotated, and may be shared by processes. Servers and the call command write
// them; activity reads them.
package audit

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/wire"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// Caller identifies who made a call. Unknown members are empty.
type Caller struct {
	ClientID   string `json:"client_id,omitempty"`   // the OAuth client, as the authorization server or the credential names it
	ClientName string `json:"client_name,omitempty"` // as the MCP client names itself, unverified
	GrantID    string `json:"grant_id,omitempty"`
	PackageID  string `json:"package_id,omitempty"`
	TokenHash  string `json:"caller,omitempty"`     // as logs show it, over HTTP
	RequestID  string `json:"request_id,omitempty"` // as logs show it, over HTTP
}

// Entry is one tool call, or another request that reads the resource server. It contains only names that a response has
// confirmed, so that no other argument value gets in. It never contains queries, record ids or contents.
type Entry struct {
	Time        time.Time `json:"time"` // when the call began, UTC
	Provider    string    `json:"provider,omitempty"`
	Caller                // its members are members of the line
	GrantIDs    []string  `json:"grant_ids,omitempty"`   // if several were read; the caller's grant is then empty
	Tool        string    `json:"tool"`                  // or the method of another request
	Streams     []string  `json:"streams,omitempty"`     // read, or whose schema was read
	Connections []string  `json:"connections,omitempty"` // read, as far as responses name them
	Fields      []string  `json:"fields,omitempty"`      // returned, or used in a filter, order, group or search
	Rows        int       `json:"rows"`                  // records, hits or groups returned to the caller
	RecordsRead int       `json:"records_read"`          // returned to the adapter by the resource server
	Reads       int       `json:"reads"`                 // requests to the resource server
	Code        string    `json:"code"`                  // ok, or the code of the error: the adapter's, or a known one of the resource server
	Duration    int64     `json:"duration_ms"`
}

// AllFields is listed in Fields for whole records. No field has this name (806c).
const AllFields = "*"

// Limits of one line. A file system writes a line of this length in one piece.
const (
	maxNames       = 32  // in each list
	maxNameBytes   = 128 // longer names are left out
	maxClientBytes = 64  // of ClientName
)

func addName(names []string, name string) []string {
	if name == "" || len(name) > maxNameBytes || len(names) >= maxNames || slices.Contains(names, name) {
		return names
	}
	return append(names, name)
}

// Call collects what one call reads. A nil Call does nothing. It is safe for concurrent use until End.
type Call struct {
	log *Log

	mu        sync.Mutex
	entry     Entry
	providers []string // of responses, if the reader has several; an empty string means several
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
	return tool.Wrap(inner, func(ctx context.Context, request rs.Request) (*rs.Response, error) {
		response, err := inner.Get(ctx, request)
		c.note(request, response)
		return response, err
	}, func(request rs.Request) { c.note(request, nil) }, c.noteMerged)
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

// Origin returns the provider, unless there are several, and the connections and streams that responses named so far,
// as a JSON object. It is nil if nothing was read.
func (c *Call) Origin() json.RawMessage {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.entry.Connections == nil && c.entry.Streams == nil {
		return nil
	}
	provider := c.entry.Provider
	if provider == "" && len(c.providers) == 1 {
		provider = c.providers[0]
	}
	origin := rawjson.Texts("provider", provider)
	if c.entry.Connections != nil {
		origin = append(origin, rawjson.Strings("connections", c.entry.Connections))
	}
	if c.entry.Streams != nil {
		origin = append(origin, rawjson.Strings(wire.Streams, c.entry.Streams))
	}
	return origin.Encode()
}
