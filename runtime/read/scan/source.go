package scan

import (
	"errors"
	"slices"
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
