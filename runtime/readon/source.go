package readon

import (
	"bytes"
	"context"
	"errors"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/schemadoc"
)

// source is one stream of one connection in a timeline. It reads its pages on demand, in the order of the timeline.
type source struct {
	*timeline
	stream, connection string
	advertised         rawjson.Object // members of the stream in the schema

	from     *position // the last row that earlier pages of the timeline showed; nil: none
	resume   string    // the resource server's cursor where rows after from begin; empty: unknown
	cursor   string    // of the next page
	pages    []string  // cursors of the pages that were read
	rows     []moment  // that were read, in the order of the timeline
	edge     int64     // the instant of the last row that was read
	slack    time.Duration
	form     *spelling // of the first time
	field    string    // holds the time
	isKnown  bool      // the field is known to be the order of the list
	filters  bool      // the resource server applies the range
	noFilter bool      // the resource server refuses the range of this field
	isFar    bool      // the range is read from its other end
	isEmpty  bool      // the last page had no records
	isDone   bool      // nothing follows the rows
	noTime   bool      // the records have no time
	err      error     // why the source is not read to its end
}

// sourcesIn returns a source for each stream and connection of a schema document.
func (t *timeline) sourcesIn(document *schemadoc.Document) []*source {
	var sources []*source
	known := map[[2]string]bool{}
	for connector, stream := range document.Rows() {
		connections := connector.ConnectionsOf(stream)
		if connections == nil {
			connections = []schemadoc.Connection{{}}
		}
		for _, connection := range connections {
			if key := [2]string{stream.Name, connection.ID}; !known[key] {
				known[key] = true
				sources = append(sources, &source{timeline: t, stream: stream.Name, connection: connection.ID, advertised: stream.Members})
			}
		}
	}
	return sources
}

// name identifies the source in a message.
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
	return recordsOfStream(s.stream, connection)
}

// get reads one page within the bounds of the reading.
func (s *source) get(ctx context.Context, parameters ...rs.Parameter) (rs.List, error) {
	request := s.request()
	rows := 0
	for _, parameter := range parameters {
		request.Query.Set(parameter.Name, parameter.Value)
		if parameter.Name == limitName {
			rows, _ = strconv.Atoi(parameter.Value)
		}
	}
	if err := s.take(rows); err != nil {
		return rs.List{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, sourceTimeout)
	defer cancel()
	response, err := s.env.RS.Get(ctx, request)
	if err != nil {
		return rs.List{}, err
	}
	list, err := response.List()
	s.answered(response, len(list.Rows))
	return list, err
}

func parameter(name, value string) rs.Parameter { return rs.Parameter{Name: name, Value: value} }

// sortBy returns the order of the list by the time field.
func (s *source) sortBy(isRising bool) rs.Parameter {
	if isRising {
		return parameter(sortName, s.field)
	}
	return parameter(sortName, "-"+s.field)
}

// begin finds the time field and reads the first page.
func (s *source) begin(ctx context.Context) {
	s.settle(s.begun(ctx))
}

// next reads the next page.
func (s *source) next(ctx context.Context) { s.settle(s.more(ctx)) }

// settle notes the error of a read. A source that failed has no rows on this page, so that its rows come in order on a later one.
func (s *source) settle(err error) {
	if s.err = err; err != nil {
		s.rows = nil
	}
}

func (s *source) begun(ctx context.Context) error {
	if s.resume != "" || s.isKnown {
		s.cursor = s.resume
		return s.more(ctx)
	}
	if field := advertisedTime(s.advertised); field != "" && !s.refusesFilters() { // it saves two requests
		s.field, s.isKnown = field, true
		if err := s.more(ctx); err != nil || s.form != nil || s.isEmpty {
			return err
		}
		s.isKnown, s.isDone, s.pages, s.cursor = false, false, nil, ""
	}
	list, err := s.get(ctx, parameter(limitName, strconv.Itoa(s.pageSize)))
	if err != nil {
		return err
	}
	records := recordsOf(list)
	recent := make([]rawjson.Cursor, len(records))
	for i, record := range records {
		recent[i] = record.fields
	}
	if s.field = TimeField(s.advertised, recent); s.field == "" {
		s.isDone, s.noTime = true, len(records) > 0
		return nil
	}
	next := list.Text(nextCursorName)
	if next == "" && string(list.Get("has_more")) != "true" { // all there are, in whatever order
		s.keep(records, false)
		s.isDone = true
		return nil
	}
	if _, err = s.get(ctx, parameter(limitName, "1"), s.sortBy(s.isRising)); err != nil {
		if !isOfSort(err) {
			return err
		}
		return s.collect(ctx, false, nil)
	}
	s.isKnown = true
	if s.isRising || s.isBounded() && !s.refusesFilters() {
		return s.more(ctx)
	}
	return s.firstPage(ctx, records, next)
}

// firstPage takes the newest page, which begin has read in the order of the timeline.
func (s *source) firstPage(ctx context.Context, records []record, next string) error {
	s.pages = append(s.pages, "")
	if isOutOfOrder := s.keep(records, true); isOutOfOrder {
		return s.collect(ctx, false, nil)
	}
	s.cursor = next
	if next == "" {
		s.isDone = true
	}
	return s.leap(ctx)
}

// more reads the next page in the order of the timeline.
func (s *source) more(ctx context.Context) error {
	parameters := []rs.Parameter{parameter(limitName, strconv.Itoa(s.pageSize)), s.sortBy(s.isRising)}
	if s.cursor != "" {
		parameters = append(parameters, parameter(cursorName, s.cursor))
	}
	s.filters = s.isBounded() && !s.refusesFilters() && !s.noFilter
	if s.filters {
		parameters = append(parameters, s.bounds()...)
	}
	list, err := s.get(ctx, parameters...)
	switch refused := badRequest(err); {
	case refused == nil:
	case s.filters:
		if isOfFilters(err) {
			s.noteRefusal(s.request())
		}
		s.noFilter, s.cursor, s.pages = true, "", nil
		return s.more(ctx)
	case isOfSort(err):
		return s.collect(ctx, false, nil)
	case s.cursor != "" && len(s.pages) == 0: // a cursor from an earlier call that the server no longer takes
		s.cursor, s.resume = "", ""
		return s.more(ctx)
	}
	if err != nil {
		return err
	}
	isFirst := len(s.pages) == 0 && s.cursor == ""
	s.pages, s.isEmpty = append(s.pages, s.cursor), len(list.Rows) == 0
	if isOutOfOrder := s.keep(recordsOf(list), true); isOutOfOrder {
		return s.collect(ctx, false, nil)
	}
	next := list.Text(nextCursorName)
	if next == "" || next == s.cursor || s.isPast() {
		s.isDone = true
		if next == "" && string(list.Get("has_more")) == "true" {
			return errNoCursor
		}
		return nil
	}
	s.cursor = next
	if isFirst {
		return s.leap(ctx)
	}
	return nil
}

var errNoCursor = errors.New("the provider gave no cursor for the rest")

// isPast reports whether the rows that follow are outside the range.
func (s *source) isPast() bool {
	end := s.span.since
	if s.isRising {
		end = s.span.until
	}
	if end == nil || s.form == nil {
		return false
	}
	at := time.Unix(0, s.edge)
	if s.isRising {
		return at.Add(-s.slack).After(*end)
	}
	return at.Add(s.slack).Before(*end)
}

// leap reads a range from its other end if that is nearer, and the resource server does not filter. One read decides (R-TIME-1).
func (s *source) leap(ctx context.Context) error {
	near, far := s.span.until, s.span.since
	if s.isRising {
		near, far = far, near
	}
	if s.isDone || s.filters || s.form == nil || near == nil || len(s.rows) > 0 || s.from != nil && s.resume != "" {
		return nil
	}
	list, err := s.get(ctx, parameter(limitName, "1"), s.sortBy(!s.isRising))
	if err != nil || len(list.Rows) == 0 {
		return err
	}
	last, _, isTime := instantOf(recordsOf(list)[0].fields.Member(s.field), s.env.Clock)
	if !isTime {
		return nil
	}
	ahead, behind := time.Unix(0, s.edge).Sub(*near).Abs(), time.Duration(0)
	if far != nil {
		behind = far.Sub(last).Abs()
	}
	if behind >= ahead {
		return nil
	}
	s.isFar = true
	return s.collect(ctx, true, near)
}

// collect reads the source to its end and keeps the first rows of the timeline: from the other end up to a bound, or all records if
// they are in another order.
func (s *source) collect(ctx context.Context, isSorted bool, until *time.Time) error {
	s.rows, s.pages, s.cursor, s.form = nil, nil, "", nil
	for {
		parameters := []rs.Parameter{parameter(limitName, strconv.Itoa(rs.MostRows))}
		if isSorted {
			parameters = append(parameters, s.sortBy(!s.isRising))
		}
		if s.cursor != "" {
			parameters = append(parameters, parameter(cursorName, s.cursor))
		}
		list, err := s.get(ctx, parameters...)
		if err != nil {
			return err
		}
		s.keep(recordsOf(list), false)
		s.rows = slices.Clip(s.rows[:min(len(s.rows), s.limit+1)])
		next := list.Text(nextCursorName)
		at := time.Unix(0, s.edge)
		isPast := until != nil && (s.isRising && at.Add(s.slack).Before(*until) || !s.isRising && at.Add(-s.slack).After(*until))
		if next == "" || next == s.cursor || isPast {
			s.isDone = true
			if next == "" && string(list.Get("has_more")) == "true" {
				return errNoCursor
			}
			return nil
		}
		s.cursor = next
	}
}

// keep keeps the records of a page that are in the range and were not shown before. It reports whether a list that should be in order
// is not.
func (s *source) keep(records []record, isOrdered bool) (isOutOfOrder bool) {
	for _, record := range records {
		value := record.fields.Member(s.field)
		at, form, isTime := instantOf(value, s.env.Clock)
		if !isTime {
			continue // without a time it is in no timeline
		}
		if s.form == nil {
			s.form, s.edge = &form, at.UnixNano()
		}
		s.slack = max(s.slack, slackOf(*s.form, form))
		back := time.Duration(at.UnixNano() - s.edge)
		if s.isRising {
			back = -back
		}
		if isOrdered && back > s.slack {
			return true
		}
		if !isOrdered || back < 0 {
			s.edge = at.UnixNano()
		}
		row := moment{position: position{At: at.UnixNano(), Stream: s.stream, Connection: s.connection, Key: record.key()}, page: len(s.pages) - 1}
		if !s.span.holds(at) || s.from != nil && s.compare(row, moment{position: *s.from}) <= 0 {
			continue
		}
		row.time = rawjson.TextOf(value)
		row.row = s.briefRow(record, row, value)
		s.rows = append(s.rows, row)
	}
	slices.SortFunc(s.rows, s.compare)
	return false
}

// briefRow returns a record as a row of the timeline.
func (s *source) briefRow(record record, at moment, value rawjson.Value) rawjson.Value {
	fields, _ := rawjson.ParseObject(record.row)
	if data, isWrapped := rawjson.ParseObject(fields.Get("data")); isWrapped {
		fields = data
	}
	row := rawjson.Object{rawjson.String("id", at.Key), rawjson.String("stream", s.stream)}
	if s.connection != "" {
		row = append(row, rawjson.String(connectionName, s.connection))
	}
	row = append(row, rawjson.Raw(timeKey, bytes.Clone(value)), rawjson.Raw("data", bytes.Clone(brief(fields, s.field).Encode())))
	return row.Encode()
}

// settled returns how many rows are certain to come before all that were not read yet.
func (s *source) settled() int {
	if s.isDone {
		return len(s.rows)
	}
	count := 0
	for _, row := range s.rows {
		ahead := time.Duration(row.At - s.edge)
		if s.isRising {
			ahead = -ahead
		}
		if ahead <= s.slack {
			break
		}
		count++
	}
	return count
}

// nextAt returns the instant that the next row that was not read may have.
func (s *source) nextAt() int64 {
	switch {
	case s.form == nil && s.isRising:
		return math.MinInt64
	case s.form == nil:
		return math.MaxInt64
	case s.isRising:
		return s.edge - int64(s.slack)
	}
	return s.edge + int64(s.slack)
}

// place returns the cursor of the first page with a row that was not shown, for the next page of the timeline.
func (s *source) place(shown int) string {
	if s.isFar || len(s.pages) == 0 {
		return ""
	}
	if shown < len(s.rows) {
		return s.pages[max(0, slices.MinFunc(s.rows[shown:], func(a, b moment) int { return a.page - b.page }).page)]
	}
	return s.cursor
}

// bounds returns the range as a filter of the resource server. It is wider than the range by a day, because the server reads a date as a
// midnight in UTC; keep applies the exact range.
func (s *source) bounds() []rs.Parameter {
	since, until := s.span.since, s.span.until
	var bounds []rs.Parameter
	if since != nil {
		bounds = append(bounds, parameter(filterName+"["+s.field+"][gte]", since.Add(-offsetSlack).UTC().Format(time.RFC3339)))
	}
	if until != nil {
		bounds = append(bounds, parameter(filterName+"["+s.field+"][lt]", until.Add(offsetSlack).UTC().Format(time.RFC3339)))
	}
	return bounds
}
