package scan

import (
	"bytes"
	"cmp"
	"compress/flate"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/answer"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/scalar"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/wire"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/read/tally"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// Named positions in a feed.
const (
	feedNow       = "now"
	feedBeginning = "beginning"
	changesPrefix = "changes."
)

// feedPosition is the position in the feed of one source: a bookmark or a page of the resource server, and the number
// of its rows that were shown.
type feedPosition struct {
	Bookmark string `json:"b,omitempty"`
	Cursor   string `json:"c,omitempty"`
	Skip     int    `json:"k,omitempty"`
}

// feed is a page of the changes of one source.
type feed struct {
	*source
	start, next feedPosition
	rows        []feedRow
	isDone      bool // no page follows
	warning     string
}

// feedRow is a row of a feed. It has its own memory.
type feedRow struct {
	key    string
	record answer.Record
}

// changes is a page of the changes of all sources (R-TIME-5).
type changes struct {
	*timeline
	feeds     []*feed
	ungranted map[string]feedPosition // sources of the cursor that are not granted now
}

// readChanges reads what changed in all streams since a position. It returns a *tool.Error, the error of the schema, or
// the error of a source if no source answered.
func readChanges(ctx context.Context, env tool.Env, request rs.Request, input RowsInput) (*answer.Rows, error) {
	since, _ := request.Query.Get(wire.ChangesSince)
	since = cmp.Or(scalar.OrZero(input.Cursor), since)
	isNamed := since == feedNow || since == feedBeginning
	var positions map[string]feedPosition
	var err error
	if !isNamed {
		if positions, err = unpack(since); err != nil {
			return nil, err
		}
	}
	if env.Readings == nil {
		return nil, readingOff(tool.RecordsStream, `"`+tool.EveryStream+`"`)
	}
	r, err := newReading(ctx, env, kindTimeline)
	if err != nil {
		return nil, err
	}
	defer r.end()
	c := &changes{timeline: &timeline{reading: r, request: request, limit: request.Limit(), fieldSets: map[string]fieldSet{}}, ungranted: maps.Clone(positions)}
	if err := cmp.Or(c.findSources(input.ConnectionID), c.refuseOthers(wire.ConnectionID, wire.ChangesSince)); err != nil {
		return nil, err
	}
	for _, source := range c.sources {
		start, isKnown := positions[source.key()]
		delete(c.ungranted, source.key())
		added := &feed{source: source, start: start}
		switch {
		case isNamed:
			added.start.Bookmark = since
		case !isKnown:
			added.start.Bookmark, added.warning = feedNow, "is newly granted: its feed starts now"
		}
		c.feeds = append(c.feeds, added)
	}
	if err := c.eachSource(c.sources, func(i int) error { return c.feeds[i].read() }); err != nil {
		return nil, err
	}
	return c.page(input), nil
}

// read reads a page of the feed. If the bookmark has expired, it starts again from now.
func (f *feed) read() error {
	f.next = f.start
	limit := f.limit + min(f.start.Skip, rs.MaxRows-f.limit)
	position := rs.Parameter{Name: wire.ChangesSince, Value: f.start.Bookmark}
	if f.start.Cursor != "" { // a feed continues by its cursor alone (051b)
		position = rs.Parameter{Name: wire.Cursor, Value: f.start.Cursor}
	}
	list, err := f.get(limit, position)
	if refused := asRefused(err); refused != nil && refused.Status == http.StatusGone {
		f.warning = "no longer has the changes since then: read the stream again; its feed starts now"
		f.start = feedPosition{Bookmark: feedNow}
		list, err = f.get(limit, rs.Parameter{Name: wire.ChangesSince, Value: feedNow})
	}
	if err != nil {
		return err
	}
	records := recordsOf(list)
	set := f.fieldSet(f.stream, "", records)
	for _, record := range records[min(f.start.Skip, len(records)):] {
		f.rows = append(f.rows, feedRow{record.key(), f.row(record, set)})
	}
	f.next = feedPosition{Bookmark: list.Text(bookmarkName)}
	if cursor := list.Text(nextCursorName); cursor != "" && string(list.Get("has_more")) != "false" {
		f.next = feedPosition{Cursor: cursor}
	} else if f.isDone = true; f.next.Bookmark == "" {
		f.next = f.start
	}
	return nil
}

// positionAfter returns the position after some rows of the page.
func (f *feed) positionAfter(shown int) feedPosition {
	if f.err != nil || shown < len(f.rows) {
		return feedPosition{Bookmark: f.start.Bookmark, Cursor: f.start.Cursor, Skip: f.start.Skip + shown}
	}
	return f.next
}

// page returns the page. The sources follow one another.
func (c *changes) page(input RowsInput) *answer.Rows {
	var rows []answer.Record
	var feeds []*feed // of each row
	found := c.warnings()
	hasMore, isWhole := false, len(c.ungranted) == 0 && c.leftOut == 0
	for _, feed := range c.feeds {
		shown := min(len(feed.rows), c.limit-len(rows))
		for _, row := range feed.rows[:shown] {
			rows, feeds = append(rows, row.record), append(feeds, feed)
			c.Rows = append(c.Rows, answer.Mark{ID: row.key, Read: c.Read})
		}
		hasMore = hasMore || shown < len(feed.rows) || feed.err == nil && !feed.isDone
		isWhole = isWhole && feed.err == nil
		if feed.warning != "" {
			found.add(tally.WarnPartial, feed.name()+" "+feed.warning)
		}
	}
	c.Matched, c.Complete = int64(len(rows)), !hasMore && isWhole
	c.CursorAfter = func(shown int) string {
		if shown == len(rows) && !hasMore {
			return ""
		}
		return c.cursor(feeds[:shown])
	}
	var names []string
	for _, key := range slices.Sorted(maps.Keys(c.ungranted)) {
		stream, connection, _ := strings.Cut(key, "/")
		names = append(names, (&source{stream: stream, connection: connection}).name())
	}
	if names != nil {
		found.add(tally.WarnPartial, "not granted now, or without an answer; positions are kept: "+joined(names))
	}
	page := c.reading.answer(input, answer.Envelope{Members: c.fieldsLeftOut(rows), Warnings: found})
	page.Records = rows
	if !hasMore {
		page.Bookmark = rawjson.Quote(c.cursor(feeds))
	}
	return page
}

// cursor returns the cursor after the shown rows, given as the feed of each row.
func (c *changes) cursor(shown []*feed) string {
	counts := map[*feed]int{}
	for _, each := range shown {
		counts[each]++
	}
	positions := map[string]feedPosition{}
	maps.Copy(positions, c.ungranted)
	for _, each := range c.feeds {
		positions[each.key()] = each.positionAfter(counts[each])
	}
	return pack(positions)
}

// row returns a change with its time. A record that was not deleted has the fields of the set.
func (f *feed) row(record record, set fieldSet) answer.Record {
	members, _ := rawjson.ParseObject(record.row)
	row := f.identity(record)
	if instant := members.FirstText("deleted_at", "emitted_at"); instant != "" {
		row = append(row, rawjson.String(timeKey, instant))
	}
	if members.True("deleted") {
		return answer.Record{Members: append(row, rawjson.Bool("deleted", true))}
	}
	return answer.Record{Members: row, Data: set.of(record.object())}
}

// maxCursorBytes limits an unpacked cursor of changes.
const maxCursorBytes = 64 << 10

// pack encodes positions as a compressed cursor. The positions of 40 streams take less than 2 kB.
func pack(positions map[string]feedPosition) string {
	var packed bytes.Buffer
	text, _ := json.Marshal(positions)                           // strings and numbers
	writer, _ := flate.NewWriter(&packed, flate.BestCompression) // a known level
	_, _ = writer.Write(text)                                    // to memory
	_ = writer.Close()
	return changesPrefix + base64.RawURLEncoding.EncodeToString(packed.Bytes())
}

// unpack decodes a cursor of pack. Its error is a *tool.Error.
func unpack(cursor string) (positions map[string]feedPosition, err error) {
	if err := tool.CheckCursor(cursor); err != nil {
		return nil, err
	}
	text, isOwn := strings.CutPrefix(cursor, changesPrefix)
	packed, err := base64.RawURLEncoding.DecodeString(text)
	if !isOwn || err != nil {
		return nil, tool.CursorRefused(`of changes is not one of stream "*"`, err)
	}
	unpacked, err := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(packed)), maxCursorBytes))
	if err == nil {
		err = json.Unmarshal(unpacked, &positions)
	}
	for _, position := range positions {
		if err == nil && position.Skip < 0 {
			err = errors.New("a negative number of rows")
		}
	}
	if err != nil {
		return nil, tool.CursorRefused("is malformed", err)
	}
	return positions, nil
}
