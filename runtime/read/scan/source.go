package scan

import (
	"bytes"
	"context"
	"errors"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/answer"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/wire"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/schemadoc"
)

// source is one stream of one connection in a timeline. It reads its pages on demand, in the order of the timeline.
type source struct {
	*timeline
	stream, connection string
	advertised         *schemadoc.Stream

	from         *sortKey        // key of the last row that earlier pages of the timeline showed; nil: none
	resume       string          // the resource server's cursor of the first page with rows not shown yet; empty: unknown
	cursor       string          // cursor of the next page
	pages        []string        // cursors of the pages that were read
	seen         map[string]bool // cursors of the provider; nil: none
	held         *rs.Response    // the page that is processed; nil: none
	read         int64           // records of the pages that have the rows
	most         int             // rows of a page, fewer if they are large; 0: not known yet
	rows         []timelineRow
	last         int64         // ordinal of the last row that was read
	slack        time.Duration // how far instants may be out of order
	form         *spelling     // spelling of the first time
	field        string        // name of the time field
	isKnown      bool          // the resource server sorts by the field
	filters      bool          // the resource server applies the range
	noFilter     bool          // the resource server refuses the range of this field
	readsFromEnd bool          // the range is read from its other end
	isEmpty      bool          // the last page had no records
	isDone       bool          // nothing follows the rows
	noTime       bool          // the records have no time
	err          error         // why the source is not read to its end
}

// timelineRow is one row of a timeline.
type timelineRow struct {
	sortKey
	record answer.Record // as the timeline shows it
	time   string
	page   int // index in source.pages
}

var (
	errNoCursor       = errors.New("the provider gave no cursor for the rest")
	errRepeatedCursor = errors.New("the provider gave the same cursor again")
)

func (s *source) key() string { return s.stream + "/" + s.connection }

func (s *source) name() string {
	if s.connection == "" {
		return s.stream
	}
	return s.stream + " (" + s.connection + ")"
}

// request returns the request for records of the source.
func (s *source) request() rs.Request {
	var connection *string
	if s.connection != "" {
		connection = &s.connection
	}
	return recordsOfStream(s.stream, connection, s.span.filter())
}

// get reads a page within the bounds of the reading. It is safe for concurrent use by several sources.
func (s *source) get(limit int, parameters ...rs.Parameter) (rs.List, error) {
	if s.most == 0 {
		s.most = rs.MaxRows
	}
	request := s.request()
	request.Query.Set(wire.Limit, strconv.Itoa(min(limit, s.most)))
	for _, parameter := range parameters {
		request.Query.Set(parameter.Name, parameter.Value)
	}
	ctx, cancel := context.WithTimeout(s.ctx, sourceTimeout)
	defer cancel()
	s.held.Release()
	var response *rs.Response
	var list rs.List
	read := func(limit int) (records int, err error) {
		request.Query = request.Query.With(wire.Limit, strconv.Itoa(limit))
		if response, err = s.env.RS.Get(patient(ctx, limit), request); err == nil {
			list, err = response.List()
		}
		return len(list.Rows), err
	}
	err := s.budget.Read(ctx, min(limit, s.most), read)
	for isTooLarge(err) && min(limit, s.most) > 1 {
		s.most = smallerPage(min(limit, s.most))
		err = s.budget.Read(ctx, s.most, read)
	}
	if err != nil {
		return rs.List{}, err
	}
	s.held, s.most = response, fittingPage(list, response)
	s.notePage(response, len(list.Rows))
	return list, nil
}

// notePage counts the records of a response, and notes the response.
func (t *timeline) notePage(response *rs.Response, rows int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.Read += int64(rows)
	t.noteResponse(response)
	t.reportProgress()
}

// sortBy returns the parameter that sorts by the time field.
func (s *source) sortBy(isRising bool) rs.Parameter {
	if isRising {
		return rs.Parameter{Name: wire.Sort, Value: s.field}
	}
	return rs.Parameter{Name: wire.Sort, Value: "-" + s.field}
}

// restart drops the pages that were read. Records that are read again count once.
func (s *source) restart() {
	s.rows, s.pages, s.seen, s.cursor, s.form, s.read = nil, nil, nil, "", nil, 0
}

// begin finds the time field and reads the first page.
func (s *source) begin() error {
	if s.resume != "" || s.isKnown {
		s.cursor = s.resume
		return s.readPage()
	}
	if field := advertisedTime(s.advertised); field != "" && !s.refusesFilters() { // it saves two requests
		s.field, s.isKnown = field, true
		if err := s.readPage(); err != nil || s.form != nil || s.isEmpty {
			return err
		}
		s.restart()
		s.isKnown, s.isDone = false, false
	}
	list, err := s.firstRecords()
	if err != nil {
		return err
	}
	records := recordsOf(list)
	if s.field = TimeField(s.advertised, fieldsOf(records)); s.field == "" {
		s.isDone, s.noTime = true, len(records) > 0
		return nil
	}
	next := list.Text(nextCursorName)
	if next == "" && string(list.Get("has_more")) != "true" { // all records, in any order
		s.keep(records, false)
		s.isDone = true
		return nil
	}
	readsOn, isOutOfOrder := !s.isRising && (!s.span.isBounded() || s.refusesFilters()), false
	if readsOn { // now, because the next request releases the records
		s.pages = append(s.pages, "")
		isOutOfOrder = s.keep(records, true)
	}
	if _, err = s.get(1, s.sortBy(s.isRising)); isSortRefusal(err) || err == nil && isOutOfOrder {
		return s.readAll(false, nil)
	} else if err != nil {
		return err
	}
	s.isKnown = true
	if !readsOn {
		s.restart()
		return s.readPage()
	}
	s.cursor, s.isDone = next, next == ""
	return s.tryOtherEnd()
}

// firstRecords reads the first page that has records, in the provider's order. Without records, it returns the last
// page.
func (s *source) firstRecords() (rs.List, error) {
	list, err := s.get(s.pageSize)
	s.read = int64(len(list.Rows))
	for err == nil && len(list.Rows) == 0 && list.Text(nextCursorName) != "" {
		if err = s.advance(list, false); err == nil {
			list, err = s.get(s.pageSize, rs.Parameter{Name: wire.Cursor, Value: s.cursor})
			s.read = int64(len(list.Rows))
		}
	}
	s.cursor, s.seen, s.isDone = "", nil, false
	return list, err
}

func fieldsOf(records []record) []rawjson.Cursor {
	fields := make([]rawjson.Cursor, len(records))
	for i, record := range records {
		fields[i] = record.fields
	}
	return fields
}

func (s *source) refusesFilters() bool {
	return s.env.Readings.Refuses(rs.Origins(s.env.RS, s.timeline.request))
}

// readPage reads the next page in the order of the timeline.
func (s *source) readPage() error {
	parameters := []rs.Parameter{s.sortBy(s.isRising)}
	if s.cursor != "" {
		parameters = append(parameters, rs.Parameter{Name: wire.Cursor, Value: s.cursor})
	}
	s.filters = s.span.isBounded() && !s.refusesFilters() && !s.noFilter
	if s.filters {
		parameters = append(parameters, s.bounds()...)
	}
	list, err := s.get(s.pageSize, parameters...)
	switch refused := badRequest(err); {
	case refused == nil:
	case s.filters:
		if isFilterRefusal(err) {
			s.env.Readings.NoteRefusal(rs.Origins(s.env.RS, s.request()))
		}
		s.restart()
		s.noFilter = true
		return s.readPage()
	case isSortRefusal(err):
		return s.readAll(false, nil)
	case s.cursor != "" && len(s.pages) == 0: // the server no longer takes a cursor from an earlier call
		s.cursor, s.resume = "", ""
		return s.readPage()
	}
	if err != nil {
		return err
	}
	s.read += int64(len(list.Rows))
	isFirst := len(s.pages) == 0 && s.cursor == ""
	s.pages, s.isEmpty = append(s.pages, s.cursor), len(list.Rows) == 0
	if isOutOfOrder := s.keep(recordsOf(list), true); isOutOfOrder {
		return s.readAll(false, nil)
	}
	_, end := s.span.inOrder(s.isRising)
	isPast := end != nil && s.form != nil && s.last-int64(s.slack) > s.ordinal(*end)
	if err := s.advance(list, isPast); err != nil || !isFirst {
		return err
	}
	return s.tryOtherEnd()
}

// advance moves to the next page if there is one.
func (s *source) advance(list rs.List, isPast bool) error {
	next := list.Text(nextCursorName)
	if next != "" && !isPast {
		if s.seen == nil {
			s.seen = map[string]bool{s.cursor: true}
		}
		if s.seen[next] {
			s.isDone = true
			return errRepeatedCursor
		}
		s.seen[next], s.cursor = true, next
		return nil
	}
	s.isDone = true
	if next == "" && string(list.Get("has_more")) == "true" {
		return errNoCursor
	}
	return nil
}

// ordinal returns a number that rises in the order of the timeline.
func (t *timeline) ordinal(at time.Time) int64 {
	if t.isRising {
		return at.UnixNano()
	}
	return -at.UnixNano()
}

// inOrder returns the bounds of the range. start is the bound that comes first in the timeline.
func (r timeRange) inOrder(isRising bool) (start, end *time.Time) {
	if isRising {
		return r.since, r.until
	}
	return r.until, r.since
}

// tryOtherEnd reads a range from its other end if that end is nearer and the resource server does not filter. It needs
// one read to find out.
func (s *source) tryOtherEnd() error {
	start, end := s.span.inOrder(s.isRising)
	if s.isDone || s.filters || s.form == nil || start == nil || len(s.rows) > 0 || s.from != nil && s.resume != "" {
		return nil
	}
	list, err := s.get(1, s.sortBy(!s.isRising))
	if err != nil || len(list.Rows) == 0 {
		return err
	}
	last, _, isTime := instantOf(recordsOf(list)[0].fields.Member(s.field), s.env.Clock)
	if !isTime {
		return nil
	}
	fromStart, fromEnd := time.Duration(s.ordinal(*start)-s.last).Abs(), time.Duration(0)
	if end != nil {
		fromEnd = end.Sub(last).Abs()
	}
	if fromEnd >= fromStart {
		return nil
	}
	s.readsFromEnd = true
	return s.readAll(true, start)
}

// readAll reads the source to its end and keeps the first rows of the timeline. If isReversed, it reads from the other
// end up to the start of the range. Otherwise it reads all records in any order.
func (s *source) readAll(isReversed bool, start *time.Time) error {
	s.restart()
	for !s.isDone {
		var parameters []rs.Parameter
		if isReversed {
			parameters = append(parameters, s.sortBy(!s.isRising))
		}
		if s.cursor != "" {
			parameters = append(parameters, rs.Parameter{Name: wire.Cursor, Value: s.cursor})
		}
		list, err := s.get(rs.MaxRows, parameters...)
		if err != nil {
			return err
		}
		s.read += int64(len(list.Rows))
		s.keep(recordsOf(list), false)
		s.rows = slices.Clip(s.rows[:min(len(s.rows), s.limit+1)])
		if err := s.advance(list, start != nil && s.last+int64(s.slack) < s.ordinal(*start)); err != nil {
			return err
		}
	}
	return nil
}

// keep keeps the records of a page that are in the range and were not shown before. It returns true if isOrdered and
// the records are out of order.
func (s *source) keep(records []record, isOrdered bool) (isOutOfOrder bool) {
	set := s.fieldSet(s.advertised, s.field, records)
	for _, record := range records {
		value := record.fields.Member(s.field)
		at, form, isTime := instantOf(value, s.env.Clock)
		if !isTime {
			continue // a timeline has only records with a time
		}
		ordinal := s.ordinal(at)
		if s.form == nil {
			s.form, s.last = &form, ordinal
		}
		s.slack = max(s.slack, slackOf(*s.form, form))
		if isOrdered && s.last-ordinal > int64(s.slack) {
			return true
		}
		if !isOrdered || ordinal > s.last {
			s.last = ordinal
		}
		row := timelineRow{sortKey: sortKey{At: at.UnixNano(), Stream: s.stream, Connection: s.connection, Key: record.key()}, page: len(s.pages) - 1}
		if s.span.holds(at) && (s.from == nil || s.compare(row.sortKey, *s.from) > 0) {
			row.time = rawjson.TextOf(value)
			row.record = answer.Record{
				Members: append(s.identity(record), rawjson.Raw(timeKey, bytes.Clone(value))), Data: set.of(record.object()),
			}
			s.rows = append(s.rows, row)
		}
	}
	slices.SortFunc(s.rows, func(a, b timelineRow) int { return s.compare(a.sortKey, b.sortKey) })
	s.held.Release() // the rows have their own memory
	return false
}

func (s *source) identity(record record) rawjson.Object {
	row := rawjson.Object{rawjson.String(wire.ID, record.key()), rawjson.String(wire.Stream, s.stream)}
	if s.connection != "" {
		row = append(row, rawjson.String(wire.ConnectionID, s.connection))
	}
	return row
}

// settled returns the number of rows that no unread row can precede.
func (s *source) settled() int {
	if s.isDone {
		return len(s.rows)
	}
	unsettled := func(row timelineRow) bool { return s.last-s.ordinal(time.Unix(0, row.At)) <= int64(s.slack) }
	if i := slices.IndexFunc(s.rows, unsettled); i >= 0 {
		return i
	}
	return len(s.rows)
}

// nextAt returns the first instant, in the order of the timeline, that an unread row can have.
func (s *source) nextAt() int64 {
	first := int64(math.MinInt64 + 1)
	if s.form != nil {
		first = s.last - int64(s.slack)
	}
	if s.isRising {
		return first
	}
	return -first
}

// nextCursor returns the resource server's cursor of the first page with a row that was not shown.
func (s *source) nextCursor(shown int) string {
	if s.readsFromEnd || len(s.pages) == 0 {
		return ""
	}
	if shown < len(s.rows) {
		return s.pages[max(0, slices.MinFunc(s.rows[shown:], func(a, b timelineRow) int { return a.page - b.page }).page)]
	}
	return s.cursor
}

// bounds returns the range as a filter of the resource server. The filter is wider by the offset slack, because the
// server reads a date as a midnight in UTC. keep applies the exact range.
func (s *source) bounds() (bounds []rs.Parameter) {
	add := func(operator string, at *time.Time, margin time.Duration) {
		if at != nil {
			bounds = append(bounds, rs.Parameter{Name: wire.Filter + "[" + s.field + "][" + operator + "]", Value: at.Add(margin).UTC().Format(time.RFC3339)})
		}
	}
	add("gte", s.span.since, -offsetSlack)
	add("lt", s.span.until, offsetSlack)
	return bounds
}
