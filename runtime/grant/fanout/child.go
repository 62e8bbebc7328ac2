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

	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/wire"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// child is one source of a search with the hits that were read for this page. They are valid even if the source has
// failed since.
type child struct {
	question                  // the latest
	names      rawjson.Object // members that name the source in its hits
	streams    []string       // nil means all of the grant
	hits       []hit
	next       stop           // after the last hit
	isAsked    bool           // for this page
	isDone     bool           // the source has no more hits
	isCutShort bool           // the source has more hits than it returns
	sent       int            // hits on a page with more than its limit; 0: none
	isLate     bool           // a later round ran out of time
	dropped    map[string]int // number of dropped hits by stream

	meta      rawjson.Object // of the first answer
	requestID string
}

type hit struct {
	members rawjson.Object
	stop
}

// stop is a position at which a page may end: before a hit of a source, or after its last hit.
type stop struct {
	at      position
	counted position // the same, as a number of hits after the child's first cursor
}

func newChild(source *Source, streams []string) *child {
	names := rawjson.Texts(wire.ConnectionID, source.ConnectionID, "connector_key", source.ConnectorKey, "display_name", source.DisplayName)
	return &child{question: question{source: source}, names: names, streams: streams, dropped: map[string]int{}}
}

// hasMore reports whether the source may have hits that were not read.
func (c *child) hasMore() bool { return c.err == nil && !c.isDone }

// hasAnswered reports whether the source has not failed, or only after its first hit.
func (c *child) hasAnswered() bool { return c.err == nil || len(c.hits) > 0 }

// after returns where the source continues after n shown hits.
func (c *child) after(shown int) stop {
	if shown < len(c.hits) {
		return c.hits[shown].stop
	}
	return c.next
}

// requestFor returns the request that fills the child up to a number of hits. The source resends the hits of its page
// that were already shown, so the limit includes them.
func (c *child) requestFor(caller rs.Request, hits int) rs.Request {
	query := caller.Query.Without(wire.Cursor, wire.Limit)
	if c.streams != nil {
		query = query.Without(wire.Streams, "streams[]")
		query.Repeated(wire.Streams, c.streams)
	}
	query = query.With(wire.Limit, strconv.Itoa(min(rs.MaxRows, c.next.at.Skip+hits-len(c.hits))))
	if c.next.at.Cursor != "" {
		query = query.With(wire.Cursor, c.next.at.Cursor)
	}
	return c.source.own(rs.Request{Path: caller.Path, Query: query, Sources: rs.HitsOfSources{Streams: c.streams}})
}

// add reads the answer. Its error means that the call has ended.
func (c *child) add(ctx context.Context, reader *Reader) error {
	c.isAsked = true
	if len(c.hits) > 0 && resultOf(c.err) == TimedOut {
		c.isLate, c.err = true, nil // not missing: the next page asks it again
		return nil
	}
	if c.err != nil {
		return nil
	}
	list, err := c.response.List()
	var rows []rawjson.Row
	if err == nil {
		rows, err = c.response.Rows()
	}
	if i := slices.IndexFunc(rows, func(row rawjson.Row) bool { return row.Members == nil }); i >= 0 {
		err = c.response.Unusable(fmt.Sprintf("hit %d of the source's answer is not an object", i+1), "")
	}
	if c.err = err; err != nil {
		return nil
	}
	if c.meta == nil {
		c.meta, c.requestID = list.Meta(), c.response.RequestID
	}
	if c.request.IsExceededBy(rows) {
		c.sent = max(c.sent, len(rows))
	}
	skipped := min(c.next.at.Skip, len(rows))
	c.hits = slices.Grow(c.hits, len(rows)-skipped)
	for i, row := range rows[skipped:] {
		members := row.Members
		if err := callEnded(ctx); err != nil {
			return err
		}
		c.next.at.Skip = skipped + i
		if reader.claimsOther(members, c.source) {
			c.dropped[members.Text(wire.Stream)]++
		} else {
			c.hits = append(c.hits, hit{members, c.next})
		}
		c.next.counted.Skip++
	}
	c.advance(list, len(rows)-skipped)
	return nil
}

// advance moves to the position after a page. A source that sends a cursor has more hits, unless has_more is false.
func (c *child) advance(list rs.List, newHits int) {
	hasMore, nextCursor := string(list.Get("has_more")), list.Text("next_cursor")
	limit, _ := c.request.Query.Get(wire.Limit)
	switch {
	case nextCursor != "" && nextCursor != c.next.at.Cursor && hasMore != "false":
		c.next.at = position{Cursor: nextCursor}
	case hasMore == "true" && nextCursor == "" && newHits > 0 && limit != strconv.Itoa(rs.MaxRows):
		// A search without pages, such as a hybrid one, continues with a longer first page.
		c.next.at.Skip = len(list.Rows)
	default:
		c.isDone, c.isCutShort = true, hasMore == "true"
	}
}

const maxDroppedStreams = 5 // in one warning

// warnings returns the warnings about dropped hits and about hits that cannot be read.
func (c *child) warnings() (warnings []rawjson.Value) {
	if len(c.dropped) > 0 {
		var counts []string
		for _, stream := range slices.Sorted(maps.Keys(c.dropped)) {
			counts = append(counts, fmt.Sprintf("%d of stream %s", c.dropped[stream], rawjson.Quote(tool.Shorten(stream, tool.LabelCharacters))))
		}
		if more := len(counts) - maxDroppedStreams; more > 0 {
			counts = append(counts[:maxDroppedStreams], fmt.Sprintf("and those of %d more streams", more))
		}
		what := "sent hits that claim to belong to another granted source; not shown: " + strings.Join(counts, ", ")
		warnings = append(warnings, c.source.warning(WarnHitsDropped, what))
	}
	if c.sent > 0 {
		warnings = append(warnings, c.source.warning(string(tool.LimitExceeded), fmt.Sprintf("sent %d hits, more than its limit", c.sent)))
	}
	if c.isCutShort {
		warnings = append(warnings, c.source.warning(WarnSourceTruncated, "has more hits than it returns; narrow the search"))
	}
	return warnings
}

// cursorRefusal returns the source's refusal of its cursor, or nil. The search cannot continue after it. The refusal
// names the source.
func (c *child) cursorRefusal(url string) *rs.Error {
	refused, isRefused := errors.AsType[*rs.Error](c.err)
	if c.next.at.Cursor == "" || !isRefused ||
		refused.Code != "invalid_cursor" && refused.Code != "cursor_expired" && refused.Status != http.StatusGone {
		return nil
	}
	lost := *refused
	lost.URL = url
	envelope, _ := rawjson.ParseObject(refused.Envelope)
	added := append(c.source.identity(), rawjson.String("next_step", "search again without cursor"))
	lost.Envelope = append(envelope, added.Without(envelope.Names()...)...).Encode()
	return &lost
}

// aliases are other names of members of a hit.
var aliases = map[string]string{wire.ConnectionID: "connector_instance_id", "connector_key": "connector_id", "display_name": "label"}

// attributed returns a hit with members that name its source, and the provider if there are several (R-PKG-2). Existing
// members are kept. A hit of an unknown connection is unchanged.
func (c *child) attributed(sent rawjson.Object, severalProviders bool) rawjson.Object {
	if id := sent.FirstText(wire.ConnectionID, "connector_instance_id"); id != "" && id != c.source.ConnectionID {
		return sent
	}
	var added rawjson.Object = keep(c.names, func(m rawjson.Member) bool { return sent.FirstText(m.Name, aliases[m.Name]) == "" })
	if severalProviders {
		added = append(added, rawjson.String("provider_url", c.source.Reader.ProviderURL()))
	}
	if len(added) == 0 {
		return sent
	}
	return append(sent.Without(added.Names()...), added...)
}
