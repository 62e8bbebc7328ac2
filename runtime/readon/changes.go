package readon

import (
	"bytes"
	"cmp"
	"compress/flate"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/schemadoc"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// Named positions in a feed.
const (
	feedNow       = "now"
	bookmarkName  = "next_changes_since"
	changesPrefix = "changes."
	maxChanges    = 64 << 10 // bytes of a decoded cursor
)

// feedPlace is the position in the feed of one source: a bookmark or a page of the resource server, and rows of it that were shown.
type feedPlace struct {
	Bookmark string `json:"b,omitempty"`
	Cursor   string `json:"c,omitempty"`
	Skip     int    `json:"k,omitempty"`
}

// feed is what one source changed.
type feed struct {
	*source
	at, next feedPlace
	rows     []record
	isDone   bool // no page follows
	warning  string
}

// changes is a page of the changes of all sources (R-TIME-5).
type changes struct {
	*timeline
	feeds []*feed
	gone  map[string]feedPlace // sources of the cursor that are not granted now
}

// feedKey identifies a source in a cursor of changes.
func (s *source) feedKey() string { return s.stream + "\x00" + s.connection }

// encodePlaces packs the positions. They are alike, so that those of 40 streams take less than 2 kB.
func encodePlaces(places map[string]feedPlace) string {
	var packed bytes.Buffer
	text, _ := json.Marshal(places) // strings and numbers
	writer, _ := flate.NewWriter(&packed, flate.BestCompression)
	_, _ = writer.Write(text) // to memory
	_ = writer.Close()
	return changesPrefix + base64.RawURLEncoding.EncodeToString(packed.Bytes())
}

func decodePlaces(sent string) (map[string]feedPlace, error) {
	text, isOurs := strings.CutPrefix(sent, changesPrefix)
	packed, err := base64.RawURLEncoding.DecodeString(text)
	if !isOurs || err != nil {
		return nil, tool.CursorRefused(`of changes is not one of stream "*"`, err)
	}
	unpacked, err := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(packed)), maxChanges))
	places := map[string]feedPlace{}
	if err == nil {
		err = json.Unmarshal(unpacked, &places)
	}
	if err != nil {
		return nil, tool.CursorRefused("is malformed", err)
	}
	for _, place := range places {
		if place.Skip < 0 {
			return nil, tool.CursorRefused("is malformed", nil)
		}
	}
	return places, nil
}

// readChanges reads what changed in all streams since a position. It returns a *tool.Error, the error of the schema, or the
// error of a source if no source answered.
func readChanges(ctx context.Context, env tool.Env, request rs.Request, input RowsInput) (*rs.Response, error) {
	since, _ := request.Query.Get(feedName)
	since = cmp.Or(text(input.Cursor), since)
	isNamed := since == feedNow || since == "beginning"
	var places map[string]feedPlace
	var err error
	if !isNamed {
		if places, err = decodePlaces(since); err != nil {
			return nil, err
		}
	}
	if env.Readings == nil {
		return nil, readingOff(tool.RecordsStream + ` "` + tool.EveryStream + `"`)
	}
	r, err := begin(ctx, env, kindTimeline)
	if err != nil {
		return nil, err
	}
	defer r.end()
	c := &changes{timeline: &timeline{reading: r, request: request, limit: request.Limit()}, gone: places}
	document, err := schemadoc.Scope{ConnectionID: input.ConnectionID}.Ask(r.ctx, env.RS.Get, nil)
	if err != nil {
		return nil, err
	}
	c.sources = c.sourcesIn(document)
	if err := c.refuseOthers(connectionName, feedName); err != nil {
		return nil, err
	}
	for _, source := range c.sources {
		of := &feed{source: source, at: feedPlace{Bookmark: since}}
		if !isNamed {
			at, isKnown := places[source.feedKey()]
			delete(c.gone, source.feedKey())
			if of.at = at; !isKnown {
				of.at.Bookmark, of.warning = feedNow, "was granted since: its changes count from now on"
			}
		}
		c.feeds = append(c.feeds, of)
	}
	var running errgroup.Group // no source fails the others
	running.SetLimit(sourcesAtOnce)
	for _, each := range c.feeds {
		running.Go(func() error {
			each.read(c.ctx)
			return nil
		})
	}
	_ = running.Wait()
	if err := c.caller.Err(); err != nil {
		return nil, &rs.Failure{Reason: rs.Timeout, Message: "the call ended before all changes were read", Cause: err}
	}
	if err := c.failure(); err != nil {
		return nil, err
	}
	return c.response(document), nil
}

// read reads a page of the feed. An expired bookmark begins again from now.
func (f *feed) read(ctx context.Context) {
	f.next = f.at
	limit := parameter(limitName, fmt.Sprint(min(f.limit+f.at.Skip, rs.MostRows)))
	at := parameter(feedName, f.at.Bookmark)
	if f.at.Cursor != "" { // a feed continues by its cursor alone (051b)
		at = parameter(cursorName, f.at.Cursor)
	}
	list, err := f.get(ctx, limit, at)
	if refused := asRefused(err); refused != nil && refused.Status == http.StatusGone {
		f.warning = "has no changes from so long ago: read the stream again; its changes count from now on"
		f.at = feedPlace{Bookmark: feedNow}
		list, err = f.get(ctx, limit, parameter(feedName, feedNow))
	}
	if f.err = err; err != nil {
		return
	}
	rows := recordsOf(list)
	f.rows = rows[min(f.at.Skip, len(rows)):]
	f.next = feedPlace{Bookmark: list.Text(bookmarkName)}
	if cursor := list.Text(nextCursorName); cursor != "" && string(list.Get("has_more")) != "false" {
		f.next = feedPlace{Cursor: cursor}
	} else if f.isDone = true; f.next.Bookmark == "" {
		f.next = f.at
	}
}

// place returns the position after some rows of the page.
func (f *feed) place(shown int) feedPlace {
	if f.err != nil || shown < len(f.rows) {
		return feedPlace{Bookmark: f.at.Bookmark, Cursor: f.at.Cursor, Skip: f.at.Skip + shown}
	}
	return f.next
}

// response returns the page: the sources one after another.
func (c *changes) response(document *schemadoc.Document) *rs.Response {
	var rows []rawjson.Value
	var of []*feed // of each row
	hasMore, isWhole := false, len(c.gone) == 0
	for _, feed := range c.feeds {
		for i, record := range feed.rows {
			if len(rows) == c.limit {
				hasMore = true
				break
			}
			row := feed.row(record)
			rows, of = append(rows, row), append(of, feed)
			c.Rows = append(c.Rows, rs.Mark{ID: feed.rows[i].key(), Read: c.Read})
		}
		hasMore = hasMore || feed.err == nil && !feed.isDone
		isWhole = isWhole && feed.err == nil
	}
	c.Matched, c.Complete = int64(len(rows)), !hasMore && isWhole
	c.CursorAfter = func(shown int) string {
		if shown == len(rows) && !hasMore {
			return ""
		}
		return c.places(of[:shown])
	}
	warnings, _ := rawjson.Elements(metaOf(document).Get("warnings"))
	warnings = append(warnings, c.timeline.warnings()...)
	for _, feed := range c.feeds {
		if feed.warning != "" {
			warnings = append(warnings, warning("partial_results", feed.name()+" "+feed.warning))
		}
	}
	var gone []string
	for _, key := range slices.Sorted(maps.Keys(c.gone)) {
		stream, connection, _ := strings.Cut(key, "\x00")
		gone = append(gone, (&source{stream: stream, connection: connection}).name())
	}
	if gone != nil {
		warnings = append(warnings, warning("partial_results", "not granted now, or without an answer; positions are kept: "+strings.Join(gone, ", ")))
	}
	body := rowsEnvelope(rows, c.CursorAfter(len(rows)), rawjson.Raw("meta", withWarnings(nil, warnings).Encode()))
	if !hasMore {
		body = append(body, rawjson.String(bookmarkName, c.places(of)))
	}
	if c.base == nil {
		c.base = &rs.Response{Status: http.StatusOK}
	}
	made := c.answer(c.request, body)
	made.GrantIDs = c.grants
	return made
}

// places returns the cursor after these rows.
func (c *changes) places(shown []*feed) string {
	counts := map[*feed]int{}
	for _, each := range shown {
		counts[each]++
	}
	places := maps.Clone(c.gone)
	if places == nil {
		places = map[string]feedPlace{}
	}
	for _, each := range c.feeds {
		places[each.feedKey()] = each.place(counts[each])
	}
	return encodePlaces(places)
}

// row returns a change as a row: when it came, and the short fields of a record that was not deleted.
func (f *feed) row(record record) rawjson.Value {
	members, _ := rawjson.ParseObject(record.row)
	row := rawjson.Object{rawjson.String("id", record.key()), rawjson.String("stream", f.stream)}
	if f.connection != "" {
		row = append(row, rawjson.String(connectionName, f.connection))
	}
	if at := members.FirstText("deleted_at", "emitted_at"); at != "" {
		row = append(row, rawjson.String(timeKey, at))
	}
	if members.True("deleted") {
		return append(row, rawjson.Bool("deleted", true)).Encode()
	}
	fields, isWrapped := rawjson.ParseObject(members.Get("data"))
	if !isWrapped {
		fields = members
	}
	return append(row, rawjson.Raw("data", brief(fields, "").Encode())).Encode()
}
