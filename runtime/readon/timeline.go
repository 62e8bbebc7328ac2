package readon

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
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
	sourcesAtOnce = 8
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

// timelineCursor is the position of a timeline. Sources are named by a hash. Most are at the last row of the page; those that failed are
// behind it.
type timelineCursor struct {
	Version  int            `json:"v"`
	Question string         `json:"q"`
	Last     *position      `json:"p,omitempty"` // the last row that was shown
	Known    string         `json:"n"`           // the sources that were read
	Offsets  string         `json:"o,omitempty"` // the sources whose times state offsets
	Behind   []position     `json:"b,omitempty"`
	Lagging  map[string]int `json:"l,omitempty"` // a source → its position in Behind, or -1 for the start
}

const (
	timelinePrefix  = "timeline."
	timelineVersion = 1
	hashLength      = 6
)

// timelineStart reads the caller's cursor. It is empty without one.
func timelineStart(sent *string, request rs.Request) (timelineCursor, error) {
	if sent == nil {
		return timelineCursor{}, nil
	}
	text, isOurs := strings.CutPrefix(*sent, timelinePrefix)
	if !isOurs {
		return timelineCursor{}, errOtherCall
	}
	start, err := tool.DecodeCursor[timelineCursor](text)
	switch {
	case err != nil:
		return start, err
	case start.Version != timelineVersion || len(start.Known)%hashLength != 0:
		return start, tool.CursorRefused("is malformed", nil)
	case start.Question != tool.QuestionOf(request):
		return start, errOtherCall
	}
	for _, at := range start.Lagging {
		if at < -1 || at >= len(start.Behind) {
			return start, tool.CursorRefused("is malformed", nil)
		}
	}
	return start, nil
}

// hash identifies a source in a cursor.
func (s *source) hash() string {
	sum := sha256.Sum256([]byte(s.stream + "\x00" + s.connection))
	return base64.RawURLEncoding.EncodeToString(sum[:])[:hashLength]
}

func (c timelineCursor) knows(hash string) bool { return listsHash(c.Known, hash) }

// listsHash reports whether a hash is one of those in a text.
func listsHash(text, hash string) bool {
	for i := 0; i+hashLength <= len(text); i += hashLength {
		if text[i:i+hashLength] == hash {
			return true
		}
	}
	return false
}

// from returns the last row that was shown of a source, or nil.
func (c timelineCursor) from(hash string) *position {
	if at, isLagging := c.Lagging[hash]; isLagging && at >= 0 {
		return &c.Behind[at]
	} else if isLagging || !c.knows(hash) {
		return nil
	}
	return c.Last
}

// remembered is what a process remembers of a source for some minutes, so that no page is read twice. Without it a page is as exact.
type remembered struct {
	Field  string `json:"f"`
	Cursor string `json:"c,omitempty"`
}

// fieldsKey is the key under which the time fields of a caller's sources are remembered.
const fieldsKey = "time fields"

// place sets where each source begins.
func (t *timeline) place(cursor *string) {
	key := fieldsKey
	if cursor != nil && t.env.Readings.Stop(t.env.Caller, *cursor) != "" {
		key = *cursor
	}
	known, _ := tool.DecodeCursor[map[string]remembered](t.env.Readings.Stop(t.env.Caller, key)) // empty if absent
	for _, source := range t.sources {
		source.from = t.start.from(source.hash())
		if listsHash(t.start.Offsets, source.hash()) {
			source.slack = offsetSlack
		}
		if kept, isKept := known[source.hash()]; isKept {
			source.field, source.resume, source.isKnown = kept.Field, kept.Cursor, true
		}
	}
}

// cursor returns the cursor of the page after some rows, and remembers where the sources continue.
func (t *timeline) cursor(shown []int) string {
	taken := make([]int, len(t.sources))
	last := t.start.Last
	for _, number := range shown {
		row := t.sources[number].rows[taken[number]].position
		taken[number]++
		if last == nil || t.compare(moment{position: row}, moment{position: *last}) > 0 {
			last = &row
		}
	}
	next := timelineCursor{Version: timelineVersion, Question: tool.QuestionOf(t.request), Last: last}
	places := map[string]remembered{}
	seen := map[string]bool{}
	for i, source := range t.sources {
		hash := source.hash()
		seen[hash] = true
		next.Known += hash
		if source.slack == offsetSlack {
			next.Offsets += hash
		}
		at := source.from
		if source.err == nil {
			at = t.passed(source, shown, taken[i], last)
			if source.isKnown {
				places[hash] = remembered{source.field, source.place(taken[i])}
			}
		}
		next.lag(hash, at)
	}
	for i := 0; i < len(t.start.Known); i += hashLength { // a source that is not granted now
		if hash := t.start.Known[i : i+hashLength]; !seen[hash] {
			next.Known += hash
			next.lag(hash, t.start.from(hash))
		}
	}
	text := timelinePrefix + tool.EncodeCursor(next)
	t.env.Readings.NoteStop(t.env.Caller, text, tool.EncodeCursor(places))
	fields := map[string]remembered{}
	for hash, place := range places {
		fields[hash] = remembered{Field: place.Field}
	}
	t.env.Readings.NoteStop(t.env.Caller, fieldsKey, tool.EncodeCursor(fields))
	return text
}

// passed returns the position up to which all rows of a source were shown: the position of the page, unless the source is still behind.
func (t *timeline) passed(source *source, shown []int, taken int, last *position) *position {
	if taken == len(source.rows) && source.isDone || last == nil || len(shown) == 0 {
		if last == nil || len(shown) == 0 {
			return source.from
		}
		return last
	}
	if taken < len(source.rows) && t.compare(source.rows[taken], moment{position: *last}) <= 0 { // catching up
		if taken > 0 {
			return &source.rows[taken-1].position
		}
		return source.from
	}
	return last
}

// lag notes the position of a source that is not at the last row.
func (c *timelineCursor) lag(hash string, at *position) {
	if at == c.Last || at != nil && c.Last != nil && *at == *c.Last {
		return
	}
	if c.Lagging == nil {
		c.Lagging = map[string]int{}
	}
	if at == nil {
		c.Lagging[hash] = -1
		return
	}
	known := slices.Index(c.Behind, *at)
	if known < 0 {
		known = len(c.Behind)
		c.Behind = append(c.Behind, *at)
	}
	c.Lagging[hash] = known
}
