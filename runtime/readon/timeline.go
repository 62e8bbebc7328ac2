package readon

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/pdppmcp/pdpp-mcp/runtime/merge"
	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/schemadoc"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

const timeKey = tool.TimeKey

const (
	sourcesAtOnce = 16
	sourceTimeout = 6 * time.Second // of one request
	pageReserve   = 5               // rows read beyond the page, to settle its last rows
	minPage       = 30              // rows of a stream, which show how it spells times
)

// timeline is a page of the records of all streams, in the order of time (R-TIME-1).
type timeline struct {
	*reading
	request  rs.Request
	span     timeRange
	isRising bool
	limit    int // rows of the page
	pageSize int // of a stream
	sources  []*source
	start    timelineCursor

	mu     sync.Mutex
	grants []string
}

// compare returns -1 if a row comes before another one in the timeline.
func (t *timeline) compare(a, b moment) int {
	if t.isRising {
		a, b = b, a
	}
	return a.position.compare(b.position)
}

func (t *timeline) refusesFilters() bool {
	return t.env.Readings.Refuses(rs.Origins(t.env.RS, t.request))
}

func (t *timeline) noteRefusal(request rs.Request) {
	t.env.Readings.NoteRefusal(rs.Origins(t.env.RS, request))
}

var errReadingBound = errors.New("the call has read as many records as it may")

// take returns an error if the call may not read more records.
func (t *timeline) take(int) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.left <= 0 {
		return errReadingBound
	}
	return nil
}

// remaining returns how many records may still be read.
func (t *timeline) remaining() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.left
}

// answered counts the records of a response.
func (t *timeline) answered(response *rs.Response, rows int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.Read += int64(rows)
	t.left -= max(1, rows)
	t.base = response
	for _, id := range response.GrantIDs {
		if !slices.Contains(t.grants, id) {
			t.grants = append(t.grants, id)
		}
	}
	t.tell()
}

// readTimeline reads a page of the timeline. It returns a *tool.Error, the error of the schema, or the error of a source if no source answered.
func readTimeline(ctx context.Context, env tool.Env, request rs.Request, input RowsInput) (*rs.Response, error) {
	if env.Readings == nil {
		return nil, readingOff(tool.RecordsStream + ` "` + tool.EveryStream + `"`)
	}
	span, err := rangeOf(input.Filter, env.Clock)
	for _, condition := range input.Filter {
		if condition.Field != timeKey {
			err = badTime(condition)
		}
	}
	if err != nil {
		return nil, err
	}
	start, err := timelineStart(input.Cursor, request)
	if err != nil {
		return nil, err
	}
	r, err := begin(ctx, env, kindTimeline)
	if err != nil {
		return nil, err
	}
	defer r.end()
	t := &timeline{reading: r, request: request, span: span, isRising: input.Order != nil && *input.Order == "asc", limit: request.Limit(), start: start}
	t.pageSize = min(max(t.limit+pageReserve, minPage), rs.MostRows)
	document, err := schemadoc.Scope{ConnectionID: input.ConnectionID}.Ask(r.ctx, env.RS.Get, nil)
	if err != nil {
		return nil, err
	}
	t.sources = t.sourcesIn(document)
	if err := t.refuseOthers(orderName, filterName, connectionName); err != nil {
		return nil, err
	}
	t.place(input.Cursor)
	order, err := t.read()
	if err != nil {
		return nil, err
	}
	return t.response(order, document), nil
}

// refuseOthers refuses all parameters besides these and those of a page, with the calls to make instead.
func (t *timeline) refuseOthers(taken ...string) error {
	for _, each := range t.request.Query.Parameters() {
		name, _, _ := strings.Cut(each.Name, "[")
		if name == limitName || name == cursorName || slices.Contains(taken, name) {
			continue
		}
		refused := &tool.Error{
			Code: tool.InvalidTimeRange, Param: name,
			Message: fmt.Sprintf("%s is not for stream %q; leave it out, or read one stream with it", name, tool.EveryStream),
			Instead: []rawjson.Object{{{Name: name}}},
		}
		if len(t.sources) > 0 {
			refused.Instead = append(refused.Instead, rawjson.Object{rawjson.String(tool.RecordsStream, t.sources[0].stream)})
		}
		return refused
	}
	return nil
}

// read reads the sources until the page is certain, and returns the source of each of its rows.
func (t *timeline) read() ([]int, error) {
	wanted := make([]int, len(t.sources))
	for i := range wanted {
		wanted[i] = i
	}
	advance := (*source).begin
	for len(wanted) > 0 {
		var running errgroup.Group // no source fails the others
		running.SetLimit(sourcesAtOnce)
		for _, i := range wanted {
			running.Go(func() error {
				advance(t.sources[i], t.ctx)
				return nil
			})
		}
		_ = running.Wait()
		if err := t.caller.Err(); err != nil {
			return nil, &rs.Failure{Reason: rs.Timeout, Message: "the call ended before the timeline was read", Cause: err}
		}
		advance = (*source).next
		var order []int
		if order, wanted = t.merge(); len(wanted) == 0 {
			return order, t.failure()
		}
	}
	return nil, nil
}

// merge returns the source of each row of the page, and the sources whose next row was not read yet.
func (t *timeline) merge() (order, unread []int) {
	settled := make([]int, len(t.sources))
	for i, source := range t.sources {
		settled[i] = source.settled()
	}
	head := func(row merge.Row) (moment, bool) {
		source := t.sources[row.Source]
		if row.Number < settled[row.Source] {
			return source.rows[row.Number], true
		}
		return moment{position: position{At: source.nextAt()}}, false
	}
	order = merge.Order(len(t.sources), t.limit, func(source, row int) bool {
		of := t.sources[source]
		return of.err == nil && (row < settled[source] || row == settled[source] && !of.isDone)
	}, func(a, b merge.Row) bool {
		x, isRead := head(a)
		y, isOtherRead := head(b)
		if x.At == y.At && isRead != isOtherRead {
			return !isRead // what was not read may be the first
		}
		return t.compare(x, y) < 0
	})
	taken := make([]int, len(t.sources))
	for _, source := range order {
		if taken[source] == settled[source] {
			unread = append(unread, source)
		}
		taken[source]++
	}
	return order, unread
}

// failure returns the error of a source if none was read.
func (t *timeline) failure() error {
	for _, source := range t.sources {
		if source.err == nil {
			return nil
		}
	}
	if len(t.sources) == 0 {
		return nil
	}
	if err := t.sources[0].err; !errors.Is(err, errReadingBound) && !errors.Is(err, errNoCursor) {
		return err
	}
	return nil
}

// response returns the page as a list.
func (t *timeline) response(order []int, document *schemadoc.Document) *rs.Response {
	taken := make([]int, len(t.sources))
	rows := make([]rawjson.Value, len(order))
	t.Rows = make([]rs.Mark, len(order))
	for i, number := range order {
		row := t.sources[number].rows[taken[number]]
		taken[number]++
		rows[i] = row.row
		t.Rows[i] = rs.Mark{ID: row.Key, Time: row.time, Read: t.Read}
	}
	hasMore, isWhole := false, true
	for i, source := range t.sources {
		hasMore = hasMore || source.err == nil && (taken[i] < len(source.rows) || !source.isDone)
		isWhole = isWhole && source.err == nil
	}
	warnings, _ := rawjson.Elements(metaOf(document).Get("warnings"))
	t.Matched, t.Complete = int64(len(rows)), !hasMore && isWhole && len(warnings) == 0
	if len(rows) > 0 {
		t.UpTo = t.Rows[len(rows)-1]
	}
	t.CursorAfter = func(shown int) string {
		if shown == len(order) && !hasMore {
			return ""
		}
		return t.cursor(order[:shown])
	}
	body := rowsEnvelope(rows, t.CursorAfter(len(order)),
		rawjson.String(zoneName, t.env.Clock.Location().String()),
		rawjson.Raw("meta", withWarnings(nil, append(warnings, t.warnings()...)).Encode()))
	if t.base == nil {
		t.base = &rs.Response{Status: 200}
	}
	made := t.answer(t.request, body)
	made.GrantIDs = t.grants
	return made
}

func metaOf(document *schemadoc.Document) rawjson.Object {
	meta, _ := rawjson.ParseObject(document.Members.Get("meta"))
	return meta
}

// warnings names the streams that are left out, and the sources that were not read with the reason.
func (t *timeline) warnings() []rawjson.Value {
	var leftOut []string
	var warnings []rawjson.Value
	for _, source := range t.sources {
		if source.noTime && !slices.Contains(leftOut, source.stream) {
			leftOut = append(leftOut, source.stream)
		}
		if source.err != nil {
			warnings = append(warnings, warning("partial_results", fmt.Sprintf("%s is missing from this page: %s", source.name(), reasonOf(source.err))))
		}
	}
	if leftOut != nil {
		warnings = append(warnings, warning("left_out", "without a time, left out: "+strings.Join(leftOut, ", ")))
	}
	return warnings
}

// reasonOf describes an error in one sentence that has nothing of a record.
func reasonOf(err error) string {
	var refused *rs.Error
	var refusedHere *tool.Error
	var failure *rs.Failure
	switch {
	case errors.As(err, &refused):
		return fmt.Sprintf("the resource server answered %d %s.", refused.Status, refused.Code)
	case errors.As(err, &failure):
		return fmt.Sprintf("it could not be read (%s).", failure.Reason)
	case errors.As(err, &refusedHere):
		return refusedHere.Message + "."
	case errors.Is(err, errReadingBound), errors.Is(err, errNoCursor):
		return err.Error() + "."
	}
	return "it could not be read."
}
