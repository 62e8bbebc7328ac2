package scan

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/pdppmcp/pdpp-mcp/runtime/answer"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/scalar"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/wire"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/schemadoc"
	"github.com/pdppmcp/pdpp-mcp/runtime/read/merge"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

const timeKey = tool.TimeKey

const (
	sourcesAtOnce = 16
	sourceTimeout = 6 * time.Second // of one request
	pageReserve   = 5               // rows read beyond the page, to settle its last rows
	minPage       = 30              // rows of a stream, which show how it spells times
)

// sortKey is the key of a record in a timeline. Newest first, ties are in the order of stream, connection and record
// key (R-TIME-3).
type sortKey struct {
	At         int64  `json:"t"` // nanoseconds since 1970
	Stream     string `json:"s"`
	Connection string `json:"c,omitempty"`
	Key        string `json:"k"`
}

// timeline reads the records of all streams (R-TIME-1). It shows every record once (R-TIME-3), so a mail can be three
// rows: its message, its body and its thread. PDPP v0.1 advertises to client tokens no relation that would join them.
type timeline struct {
	*reading
	request  rs.Request
	document *schemadoc.Document
	sources  []*source
	leftOut  int // sources beyond maxSources
	span     timeRange
	isRising bool
	limit    int // rows of the page
	pageSize int // of a stream
	start    timelineCursor

	mu        sync.Mutex
	fieldSets map[string]fieldSet // of the streams that have rows
}

// compare returns -1 if a record comes before another one in the timeline.
func (t *timeline) compare(a, b sortKey) int {
	if t.isRising {
		a, b = b, a
	}
	return cmp.Or(cmp.Compare(b.At, a.At), cmp.Compare(a.Stream, b.Stream), cmp.Compare(a.Connection, b.Connection), cmp.Compare(a.Key, b.Key))
}

// readTimeline reads a page of the timeline. It returns a *tool.Error, the error of the schema, or the error of a
// source if no source answered.
func readTimeline(ctx context.Context, env tool.Env, request rs.Request, input RowsInput) (*answer.Rows, error) {
	if env.Readings == nil {
		return nil, readingOff(tool.RecordsStream, `"`+tool.EveryStream+`"`)
	}
	span, err := rangeOf(input.Filter, env.Clock)
	if err != nil {
		return nil, withStream(ctx, env, input.ConnectionID, input.Filter, err)
	}
	start, err := openCursor(input.Cursor, request)
	if err != nil {
		return nil, err
	}
	r, err := newReading(ctx, env, kindTimeline)
	if err != nil {
		return nil, err
	}
	defer r.end()
	t := &timeline{reading: r, request: request, span: span, isRising: scalar.OrZero(input.Order) == "asc", limit: request.Limit(), start: start, fieldSets: map[string]fieldSet{}}
	t.pageSize = min(max(t.limit+pageReserve, minPage), rs.MaxRows)
	if err := cmp.Or(t.findSources(input.ConnectionID), t.refuseOthers(wire.Order, wire.Filter, wire.ConnectionID)); err != nil {
		return nil, err
	}
	t.resume(input.Cursor)
	order, err := t.read()
	if err != nil {
		return nil, err
	}
	return t.page(order, input), nil
}

// eachSource calls read for the sources concurrently, and stores their errors. It returns an error if the call has
// ended, or if no source of the timeline can be read.
func (t *timeline) eachSource(sources []*source, read func(int) error) error {
	var running errgroup.Group // a failed source does not cancel the others
	running.SetLimit(sourcesAtOnce)
	for i, source := range sources {
		running.Go(func() error {
			if source.err = read(i); source.err != nil {
				source.rows = nil // a later page shows them in order
			}
			source.held.Release()
			return nil
		})
	}
	_ = running.Wait()
	if err := t.call.Err(); err != nil {
		return &rs.Failure{Reason: rs.Timeout, Message: "the call ended before all streams were read", Cause: err}
	}
	if len(t.sources) == 0 || slices.ContainsFunc(t.sources, func(s *source) bool { return s.err == nil }) {
		return nil
	}
	if err := t.sources[0].err; !isOwnBound(err) {
		return err
	}
	return nil
}

// read reads the sources until the page is certain, and returns the source of each of its rows.
func (t *timeline) read() (order []int, err error) {
	unread, next := t.sources, (*source).begin
	for len(unread) > 0 {
		if err := t.eachSource(unread, func(i int) error { return next(unread[i]) }); err != nil {
			return nil, err
		}
		next = (*source).readPage
		order, unread = t.merge()
	}
	return order, nil
}

// merge returns the source of each row of the page, and the sources whose next row must be read first.
func (t *timeline) merge() (order []int, unread []*source) {
	settled := make([]int, len(t.sources))
	for i, source := range t.sources {
		settled[i] = source.settled()
	}
	keyOf := func(row merge.Row) (key sortKey, isRead bool) {
		source := t.sources[row.Source]
		if row.Number < settled[row.Source] {
			return source.rows[row.Number].sortKey, true
		}
		return sortKey{At: source.nextAt()}, false
	}
	order = merge.Order(len(t.sources), t.limit, func(source, row int) bool {
		candidate := t.sources[source]
		return candidate.err == nil && (row < settled[source] || row == settled[source] && !candidate.isDone)
	}, func(a, b merge.Row) bool {
		x, isRead := keyOf(a)
		y, isOtherRead := keyOf(b)
		if x.At == y.At && isRead != isOtherRead {
			return !isRead // the unread row may be the first
		}
		return t.compare(x, y) < 0
	})
	taken := make([]int, len(t.sources))
	for _, source := range order {
		if taken[source] == settled[source] {
			unread = append(unread, t.sources[source])
		}
		taken[source]++
	}
	return order, unread
}

// noteRecords counts records of a source, and calls note for where they are from. It is safe for concurrent use.
func (t *timeline) noteRecords(records int, note func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.Read += int64(records)
	note()
	t.reportProgress()
}

// countRead counts each record once that sources read again in another order, or without a filter.
func (t *timeline) countRead() {
	t.Read = 0
	for _, source := range t.sources {
		t.Read += source.read
	}
}

func (t *timeline) page(order []int, input RowsInput) *answer.Rows {
	t.countRead()
	taken := make([]int, len(t.sources))
	rows := make([]answer.Record, len(order))
	for i, number := range order {
		row := t.sources[number].rows[taken[number]]
		taken[number]++
		rows[i] = row.record
		t.Rows = append(t.Rows, answer.Mark{ID: row.Key, Time: row.time, Read: t.Read})
	}
	hasMore, isWhole := false, len(t.document.Warnings()) == 0 && t.leftOut == 0
	for i, source := range t.sources {
		hasMore = hasMore || source.err == nil && (taken[i] < len(source.rows) || !source.isDone)
		isWhole = isWhole && source.err == nil
	}
	t.Matched, t.Complete, t.Direction = int64(len(rows)), !hasMore && isWhole, answer.NewestFirst
	if t.isRising {
		t.Direction = answer.OldestFirst
	}
	if len(rows) > 0 {
		t.UpTo = t.Rows[len(rows)-1]
	}
	t.CursorAfter = func(shown int) string {
		if shown == len(order) && !hasMore {
			return ""
		}
		return t.cursor(order[:shown])
	}
	members := rawjson.Object{rawjson.String(wire.TimeZone, t.env.Clock.Location().String())}
	page := t.reading.answer(input, answer.Envelope{Members: append(members, t.fieldsLeftOut(rows)...), Warnings: t.warnings()})
	page.Records = rows
	return page
}
