package fanout

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// child is one source in a search: the hits of it that were read for this page, and where it stands.
type child struct {
	source      *Source
	connections map[string]bool // of all sources

	streams []string // to ask for; nil is all that the grant has
	start   position // of the first hit
	hits    []hit
	next    position       // after the last hit
	done    bool           // there is nothing after the hits
	err     error          // why the source is missing; what was read before counts all the same
	cut     bool           // the source has more hits than it gives out
	read    int            // hits since start, those that were dropped too
	foreign map[string]int // dropped hits by stream: see claims
	late    bool           // a later round ran out of time

	meta      rawjson.Object
	asked     bool
	requestID string
}

// hit is one hit of a source, and its place there.
type hit struct {
	value rawjson.Value // as the source sent it
	at    position
	nth   int // how many come before it since the start of the child
}

// open reports whether the source may have hits that were not read.
func (c *child) open() bool { return c.err == nil && !c.done }

// after is where the source goes on when so many of its hits were shown.
func (c *child) after(shown int) position {
	if shown < len(c.hits) {
		return c.hits[shown].at
	}
	return c.next
}

// fromStart is that same place, counted in the page that this one began in. It needs no cursor of a page
// that was read since. It is known only for places that one page of the source reaches.
func (c *child) fromStart(shown int) (position, bool) {
	past := c.read
	if shown < len(c.hits) {
		past = c.hits[shown].nth
	}
	skip := c.start.Skip + past
	return position{Cursor: c.start.Cursor, Skip: skip}, skip < rs.MostRows
}

// request asks for the hits after those that were read, up to so many in all. Hits of a page that were shown
// before are read again and skipped.
func (c *child) request(caller rs.Request, hits int) rs.Request {
	limit := min(rs.MostRows, c.next.Skip+hits-len(c.hits))
	query := caller.Query.Without("cursor", "limit")
	if c.streams != nil {
		query = query.Without("streams", "streams[]")
		query.Repeated("streams", c.streams)
	}
	query = query.With("limit", strconv.Itoa(limit))
	if c.next.Cursor != "" {
		query = query.With("cursor", string(c.next.Cursor))
	}
	return c.source.own(rs.Request{Path: caller.Path, Query: query, Sources: rs.HitsOfSources{Streams: c.streams}})
}

// take adds an answer to the child, unless the call ends.
func (c *child) take(ctx context.Context, asked rs.Request, got answer) {
	c.asked = true
	if got.err != nil {
		if len(c.hits) > 0 && resultOf(got.err) == TimedOut {
			c.late = true // it answered before, so it is not missing; the next page asks it again
			return
		}
		c.err = got.err
		return
	}
	page, err := openHits(got.response)
	if err != nil {
		c.err = err
		return
	}
	if c.meta == nil {
		c.meta, c.requestID = page.Meta(), got.response.RequestID
	}
	skipped := min(c.next.Skip, len(page.Rows))
	for i, value := range page.Rows[skipped:] {
		if c.err = callEnded(ctx); c.err != nil {
			return
		}
		if c.source.claims(value, c.connections) {
			c.drop(value)
		} else {
			c.hits = append(c.hits, hit{value: value, at: position{Cursor: c.next.Cursor, Skip: skipped + i}, nth: c.read})
		}
		c.read++
	}
	c.advance(asked, page, len(page.Rows)-skipped)
}

// drop counts a hit that claims to belong to another source.
func (c *child) drop(hit rawjson.Value) {
	if c.foreign == nil {
		c.foreign = make(map[string]int)
	}
	members, _ := rawjson.ParseObject(hit)
	c.foreign[members.Text("stream")]++
}

// droppedWarning names the number of dropped hits of each stream. A page shows a few streams at most.
func (c *child) droppedWarning() rawjson.Value {
	var counts []string
	for _, stream := range slices.Sorted(maps.Keys(c.foreign)) {
		counts = append(counts, fmt.Sprintf("%d of stream %s", c.foreign[stream], rawjson.Quote(tool.Shorten(stream, tool.LabelCharacters))))
	}
	if more := len(counts) - droppedStreams; more > 0 {
		counts = append(counts[:droppedStreams], fmt.Sprintf("and those of %d more streams", more))
	}
	return c.source.warning(WarnHitsDropped, "sent hits that claim to belong to another granted source; not shown: "+strings.Join(counts, ", "))
}

// droppedStreams limits the streams named in one warning.
const droppedStreams = 5

// advance moves to the place after a page that had so many new hits. A source that does not say whether it has more has some
// when it gives a cursor.
func (c *child) advance(asked rs.Request, page rs.List, fresh int) {
	hasMore, nextCursor := string(page.Get("has_more")), page.Text("next_cursor")
	limit, _ := asked.Query.Get("limit")
	switch {
	case nextCursor != "" && nextCursor != string(c.next.Cursor) && hasMore != "false":
		c.next = position{Cursor: sourceCursor(nextCursor)}
	case hasMore == "true" && nextCursor == "" && fresh > 0 && limit != strconv.Itoa(rs.MostRows):
		// A search that does not page (hybrid) is read on by asking for a longer first page.
		c.next.Skip = len(page.Rows)
	default:
		c.done, c.cut = true, hasMore == "true"
	}
}

// lostPlace is the refusal of a cursor by the source's server: the search cannot go on there. It keeps
// the server's message and names the source.
func (c *child) lostPlace(url string) *rs.Error {
	var refused *rs.Error
	if c.next.Cursor == "" || !errors.As(c.err, &refused) {
		return nil
	}
	if refused.Code != "invalid_cursor" && refused.Code != "cursor_expired" && refused.Status != http.StatusGone {
		return nil
	}
	lost := *refused
	lost.URL = url
	envelope, _ := rawjson.ParseObject(refused.Envelope)
	added := append(c.source.identity(), rawjson.String("next_step", "search again without cursor"))
	lost.Envelope = append(envelope, added.Without(envelope.Names()...)...).Encode()
	return &lost
}

// openHits takes a source's answer to a search apart. One without a list of objects is an *rs.Failure.
func openHits(response *rs.Response) (rs.List, error) {
	list, err := response.List()
	for i, row := range list.Rows {
		if rawjson.Kind(row) != rawjson.ObjectValue {
			return list, response.Unusable(fmt.Sprintf("hit %d of the source's answer is not an object", i+1), "")
		}
	}
	return list, err
}

// attributed is a hit, given with its members, that names its source (R-PKG-2). Its members stay as they are, and a hit of a
// connection that no source has, which a grant over several may send, gets none of this source. Among several providers it
// says of which it is.
func (s *Source) attributed(value rawjson.Value, hit rawjson.Object, ofSeveral bool) rawjson.Value {
	if id := hit.FirstText("connection_id", "connector_instance_id"); id != "" && id != s.ConnectionID {
		return value
	}
	changed := false
	for _, member := range []struct {
		name, value, other string // the other name says the same
	}{
		{"connection_id", s.ConnectionID, "connector_instance_id"},
		{"connector_key", s.ConnectorKey, "connector_id"},
		{"display_name", s.DisplayName, "label"},
	} {
		if member.value != "" && hit.FirstText(member.name, member.other) == "" {
			hit, changed = hit.With(member.name, rawjson.Quote(member.value)), true
		}
	}
	if ofSeveral {
		hit, changed = hit.With("provider_url", rawjson.Quote(s.Reader.ProviderURL())), true
	}
	if !changed {
		return value
	}
	return hit.Encode()
}

// claims reports whether a record says that it is of the connection of another source. Shown, it would pass for
// that source's. A connection that no source has is no such claim: a grant can have several.
func (s *Source) claims(record rawjson.Value, connections map[string]bool) bool {
	return claims(record, connections, []*Source{s})
}

func claims(record rawjson.Value, connections map[string]bool, own []*Source) bool {
	members, _ := rawjson.ParseObject(record)
	return slices.ContainsFunc([]string{"connection_id", "connector_instance_id"}, func(name string) bool {
		id := members.Text(name)
		return id != "" && connections[id] && !slices.ContainsFunc(own, func(s *Source) bool { return s.ConnectionID == id })
	})
}
