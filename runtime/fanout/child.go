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

// child is one source of a search, with the hits that were read for this page.
type child struct {
	source      *Source
	connections map[string]bool // of all sources

	streams     []string // nil means all of the grant
	start       position // of the first hit
	hits        []hit
	next        position       // after the last hit
	isDone      bool           // the source has no more hits
	err         error          // why the source is missing; the hits are valid anyway
	isTruncated bool           // the source has more hits than it returns
	read        int            // hits since start, dropped ones included
	dropped     map[string]int // number of dropped hits by stream
	isLate      bool           // a later round ran out of time

	meta      rawjson.Object
	isAsked   bool
	requestID string
}

// hit is one hit of a source.
type hit struct {
	value  rawjson.Value // as the source sent it
	at     position
	offset int // since the start of the child
}

// hasMore reports whether the source may have hits that were not read.
func (c *child) hasMore() bool { return c.err == nil && !c.isDone }

// after returns the position after n shown hits.
func (c *child) after(shown int) position {
	if shown < len(c.hits) {
		return c.hits[shown].at
	}
	return c.next
}

// afterFromStart returns the position of after, counted from the child's first cursor. It returns false if one page of the source cannot
// reach that position.
func (c *child) afterFromStart(shown int) (position, bool) {
	offset := c.read
	if shown < len(c.hits) {
		offset = c.hits[shown].offset
	}
	skip := c.start.Skip + offset
	return position{Cursor: c.start.Cursor, Skip: skip}, skip < rs.MostRows
}

// request returns the request that fills the child up to a number of hits. The source resends the hits of its page that were already shown,
// so the limit includes them.
func (c *child) request(caller rs.Request, hits int) rs.Request {
	limit := min(rs.MostRows, c.next.Skip+hits-len(c.hits))
	query := caller.Query.Without("cursor", "limit")
	if c.streams != nil {
		query = query.Without("streams", "streams[]")
		query.Repeated("streams", c.streams)
	}
	query = query.With("limit", strconv.Itoa(limit))
	if c.next.Cursor != "" {
		query = query.With("cursor", c.next.Cursor)
	}
	return c.source.own(rs.Request{Path: caller.Path, Query: query, Sources: rs.HitsOfSources{Streams: c.streams}})
}

// add adds an answer to the child.
func (c *child) add(ctx context.Context, asked rs.Request, got answer) {
	c.isAsked = true
	if got.err != nil {
		if len(c.hits) > 0 && resultOf(got.err) == TimedOut {
			c.isLate = true // not missing: the next page asks it again
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
		if claims(value, c.connections, []*Source{c.source}) {
			c.drop(value)
		} else {
			c.hits = append(c.hits, hit{value: value, at: position{Cursor: c.next.Cursor, Skip: skipped + i}, offset: c.read})
		}
		c.read++
	}
	c.advance(asked, page, len(page.Rows)-skipped)
}

// drop counts a hit that claims to belong to another source.
func (c *child) drop(hit rawjson.Value) {
	if c.dropped == nil {
		c.dropped = make(map[string]int)
	}
	members, _ := rawjson.ParseObject(hit)
	c.dropped[members.Text("stream")]++
}

// droppedWarning names the number of dropped hits of each stream.
func (c *child) droppedWarning() rawjson.Value {
	var counts []string
	for _, stream := range slices.Sorted(maps.Keys(c.dropped)) {
		counts = append(counts, fmt.Sprintf("%d of stream %s", c.dropped[stream], rawjson.Quote(tool.Shorten(stream, tool.LabelCharacters))))
	}
	if more := len(counts) - droppedStreams; more > 0 {
		counts = append(counts[:droppedStreams], fmt.Sprintf("and those of %d more streams", more))
	}
	return c.source.warning(WarnHitsDropped, "sent hits that claim to belong to another granted source; not shown: "+strings.Join(counts, ", "))
}

// droppedStreams limits the streams named in one warning.
const droppedStreams = 5

// advance moves to the position after the page. A source that sends a cursor has more hits, unless has_more is false.
func (c *child) advance(asked rs.Request, page rs.List, newHits int) {
	hasMore, nextCursor := string(page.Get("has_more")), page.Text("next_cursor")
	limit, _ := asked.Query.Get("limit")
	switch {
	case nextCursor != "" && nextCursor != c.next.Cursor && hasMore != "false":
		c.next = position{Cursor: nextCursor}
	case hasMore == "true" && nextCursor == "" && newHits > 0 && limit != strconv.Itoa(rs.MostRows):
		// A search without pages, such as a hybrid one, continues with a longer first page.
		c.next.Skip = len(page.Rows)
	default:
		c.isDone, c.isTruncated = true, hasMore == "true"
	}
}

// expired returns the source's refusal of a cursor, or nil. The search cannot continue after it. The refusal names the source.
func (c *child) expired(url string) *rs.Error {
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

// openHits returns the hits in a response. Its error is an *rs.Failure.
func openHits(response *rs.Response) (rs.List, error) {
	list, err := response.List()
	for i, row := range list.Rows {
		if rawjson.Kind(row) != rawjson.ObjectValue {
			return list, response.Unusable(fmt.Sprintf("hit %d of the source's answer is not an object", i+1), "")
		}
	}
	return list, err
}

// attributed returns a hit with members that name its source, and the provider if there are several (R-PKG-2). Existing members are kept. A
// hit of an unknown connection is unchanged.
func (s *Source) attributed(value rawjson.Value, hit rawjson.Object, severalProviders bool) rawjson.Value {
	if id := hit.FirstText("connection_id", "connector_instance_id"); id != "" && id != s.ConnectionID {
		return value
	}
	changed := false
	for _, member := range []struct {
		name, value, alias string
	}{
		{"connection_id", s.ConnectionID, "connector_instance_id"},
		{"connector_key", s.ConnectorKey, "connector_id"},
		{"display_name", s.DisplayName, "label"},
	} {
		if member.value != "" && hit.FirstText(member.name, member.alias) == "" {
			hit, changed = hit.With(member.name, rawjson.Quote(member.value)), true
		}
	}
	if severalProviders {
		hit, changed = hit.With("provider_url", rawjson.Quote(s.Reader.ProviderURL())), true
	}
	if !changed {
		return value
	}
	return hit.Encode()
}

// claims reports whether a record names a connection of a source that is not in own. A connection of no source is allowed, because a grant
// can have connections that are not known.
func claims(record rawjson.Value, connections map[string]bool, own []*Source) bool {
	members, _ := rawjson.ParseObject(record)
	return slices.ContainsFunc([]string{"connection_id", "connector_instance_id"}, func(name string) bool {
		id := members.Text(name)
		return id != "" && connections[id] && !slices.ContainsFunc(own, func(s *Source) bool { return s.ConnectionID == id })
	})
}
