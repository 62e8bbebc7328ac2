package audit

import (
	"context"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
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

// note takes what an answer confirms out of it. Response is nil for a read that failed, which confirms nothing: a name in its
// request may be anything that a model wrote.
func (c *Call) note(request rs.Request, response *rs.Response) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.entry.Reads++
	if response == nil {
		return
	}
	stream, kind := resourceOf(request.Path)
	c.entry.Streams = addName(c.entry.Streams, stream)
	switch kind {
	case pageOfRows:
		list, err := response.List()
		if err != nil {
			return
		}
		c.entry.RecordsRead += len(list.Rows)
		wanted := asked(request, "fields")
		for i := range list.Rows {
			c.noteRow(list.Cursor(i), wanted)
		}
	case oneRecord:
		c.entry.RecordsRead++
		c.noteRow(rawjson.NewCursor(unwrapped(response)), asked(request, "fields"))
	case oneWindow:
		c.entry.RecordsRead++
		c.noteConnection(request)
		window, _ := rawjson.ParseObject(unwrapped(response))
		field, _ := rawjson.ParseObject(window.Get("field"))
		c.noteEcho(field, "path", asked(request, "field"))
	case oneAggregate:
		c.noteConnection(request)
		aggregate, _ := rawjson.ParseObject(unwrapped(response))
		for _, name := range []string{"field", "group_by", "group_by_time"} {
			c.noteEcho(aggregate, name, asked(request, name))
		}
	}
}

// noteRow takes the names out of a record or a hit: where it comes from, and which of the wanted fields it has.
func (c *Call) noteRow(cursor rawjson.Cursor, wanted []string) {
	for inside := cursor.Enter(rawjson.ObjectValue); inside && cursor.More(); {
		switch string(cursor.Name()) {
		case "stream":
			c.entry.Streams = addText(c.entry.Streams, cursor.Value())
		case "connection_id":
			c.entry.Connections = addText(c.entry.Connections, cursor.Value())
		case "data":
			if c.lacks(wanted) {
				c.noteFields(&cursor, wanted)
				continue
			}
			cursor.Value()
		default:
			cursor.Value()
		}
	}
}

// lacks reports whether one of the wanted fields was not noted yet.
func (c *Call) lacks(wanted []string) bool {
	return slices.ContainsFunc(wanted, func(name string) bool { return !slices.Contains(c.entry.Fields, name) })
}

// noteFields passes the data of a record, and adds those of its members that were wanted.
func (c *Call) noteFields(cursor *rawjson.Cursor, wanted []string) {
	for inside := cursor.Enter(rawjson.ObjectValue); inside && cursor.More(); {
		name := cursor.Name()
		if place := slices.IndexFunc(wanted, func(each string) bool { return each == string(name) }); place >= 0 {
			c.entry.Fields = addName(c.entry.Fields, wanted[place])
		}
		cursor.Value()
	}
}

// addText is addName for a name as JSON, which most rows repeat.
func addText(names []string, quoted rawjson.Value) []string {
	for _, name := range names {
		if len(quoted) == len(name)+2 && string(quoted[1:len(quoted)-1]) == name {
			return names
		}
	}
	name, _ := rawjson.Text(quoted)
	return addName(names, name)
}

// noteConnection adds the connection of a request that reads one: with another one it would have been refused (065).
func (c *Call) noteConnection(request rs.Request) {
	connection, _ := request.Query.Get("connection_id")
	c.entry.Connections = addName(c.entry.Connections, connection)
}

// noteEcho adds a field that the request named and the answer names too.
func (c *Call) noteEcho(answer rawjson.Object, member string, wanted []string) {
	if name := answer.Text(member); slices.Contains(wanted, name) {
		c.entry.Fields = addName(c.entry.Fields, name)
	}
}

// asked are the names in a parameter of a request.
func asked(request rs.Request, name string) []string {
	names, _ := request.Query.Get(name)
	if names == "" {
		return nil
	}
	return strings.Split(names, ",")
}

// unwrapped is the body, or the object in data in which older servers wrap it.
func unwrapped(response *rs.Response) rawjson.Value {
	body, _ := rawjson.ParseObject(response.Compact())
	inner, isObject := rawjson.ParseObject(body.Get("data"))
	if isObject && body.Get("stream") == nil && (inner.Get("stream") != nil || rawjson.Kind(inner.Get("data")) == rawjson.ObjectValue) {
		return body.Get("data")
	}
	return response.Compact()
}

// resource is what a path reads.
type resource int

const (
	otherResource resource = iota
	pageOfRows
	oneRecord
	oneWindow
	oneAggregate
)

// resourceOf tells what a path reads, and of which stream (rs-contract.md). It is otherResource for what holds no records.
func resourceOf(path rs.Path) (stream string, kind resource) {
	segments := strings.Split(strings.TrimPrefix(string(path), "/v1/"), "/")
	switch {
	case segments[0] == "search":
		return "", pageOfRows
	case len(segments) < 3 || segments[0] != "streams":
		return "", otherResource
	}
	stream, _ = url.PathUnescape(segments[1]) // the adapter encoded it
	switch {
	case segments[2] == "aggregate":
		return stream, oneAggregate
	case segments[2] != "records":
		return "", otherResource
	case len(segments) == 3:
		return stream, pageOfRows
	case len(segments) == 4:
		return stream, oneRecord
	}
	return stream, oneWindow
}
