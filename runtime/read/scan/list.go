package scan

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/wire"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// list reads a list of records page by page.
type list struct {
	*reading
	request    rs.Request // for a page, without position and size
	pageSize   int
	held       *rs.Response // the page that is processed; nil: none
	readsAhead bool         // request the next page before the current one is processed
	wholePage  int          // number of the page with all fields; the page after it is not read ahead; 0: no page
	bound      *timeBound
	next       position
	seen       map[position]bool   // positions of cursors that the resource server gave; nil: none
	isDone     bool                // no page follows that can be read
	isRead     bool                // it was read to its end
	ahead      *fetch              // the page that was requested already; nil: none
	timeField  string              // the requested field with the times of the records; empty: unknown
	times      map[string][]string // the fields that may have the times, by connection; nil: unknown
	connections
}

type page struct {
	start    position
	rows     []record // up to the bound of the list
	first    int      // index of the first row that no earlier call has read
	next     position
	isLast   bool    // nothing follows
	envelope rs.List // its meta
}

// newList returns a list from a position. It reads the named fields, or all fields if the list of names is nil.
func (r *reading) newList(request rs.Request, fields []string, from position) *list {
	request.Query = request.Query.Without(wire.Cursor, wire.Limit, wire.Count)
	if fields != nil {
		request.Query = request.Query.With(wire.Fields, strings.Join(fields, ","))
	}
	r.isResumed = r.isResumed || from != position{}
	return &list{reading: r, request: request, pageSize: rs.MaxRows, next: from}
}

// page returns the next page. It returns nil after the last page, and if the reading ends earlier; Complete and Note
// say which.
func (l *list) page() (*page, error) {
	l.reportProgress()
	switch {
	case l.isDone:
		return nil, nil
	case l.next.Connection != "" && l.connection == "":
		if err := l.findConnections(); err != nil {
			return nil, err
		}
	}
	l.held.Release()
	next := l.await()
	for isTooLarge(next.err) && l.pageSize > 1 {
		l.pageSize = smallerPage(l.pageSize)
		next = l.await()
	}
	response, err := next.response, next.err
	l.held = response
	switch {
	case err == nil:
		l.pageSize = fittingPage(next.rows, response)
		l.noteResponse(response)
		return l.open(next.rows)
	case errors.Is(err, tool.ErrNoRecordsLeft):
		l.noteFull()
		return nil, nil
	}
	l.isDone = true
	l.cancelAhead()
	return nil, l.interrupted(err)
}

// isNew remembers a cursor, and reports whether it is the first time in this reading of a connection.
func (l *list) isNew(cursor string) bool {
	if l.seen == nil {
		l.seen = map[position]bool{}
	}
	at := position{Connection: l.next.Connection, Cursor: cursor}
	isNew := !l.seen[at]
	l.seen[at] = true
	return isNew
}

const repeatedCursorNote = "The resource server gave the same cursor again."

const noCursorNote = "The resource server gave no cursor for the rest."

// open returns the next page. It requests the page after it if the list reads ahead.
func (l *list) open(envelope rs.List) (*page, error) {
	read := &page{start: l.next, rows: recordsOf(envelope), envelope: envelope}
	cursor, hasMore := envelope.Text(nextCursorName), string(envelope.Get("has_more")) == "true"
	if l.splits(read.rows, hasMore && cursor == "") {
		l.budget.Discard(len(read.rows))
		if l.separate != nil {
			return nil, nil
		}
		return l.page()
	}
	l.pages++
	var beyond int
	if read.first, beyond = read.start.skipped(read.rows); read.first > 0 {
		l.budget.Discard(read.first) // an earlier call has read them
	}
	l.next = position{Connection: read.start.Connection, Cursor: cursor, Skip: beyond, LastRow: read.start.LastRow}
	switch end := l.bound.index(read.rows); {
	case end < len(read.rows):
		read.rows, read.first = read.rows[:end], min(read.first, end)
		read.isLast = l.endConnection()
	case cursor != "" && cursor != read.start.Cursor && l.isNew(cursor):
	case cursor != "" && cursor != read.start.Cursor:
		l.isDone, l.Note = true, repeatedCursorNote
		l.next = position{Connection: read.start.Connection, Cursor: read.start.Cursor, Skip: len(read.rows)}
	case hasMore:
		l.isDone, l.Note = true, noCursorNote
		l.next = position{Connection: read.start.Connection, Cursor: read.start.Cursor, Skip: len(read.rows)}
	default:
		read.isLast = l.endConnection()
	}
	read.next = l.next
	if l.readsAhead && !l.isDone && l.pages != l.wholePage {
		l.requestNext()
	}
	return read, nil
}

// unread returns the rows that no earlier call has read.
func (p *page) unread() []record { return p.rows[p.first:] }

func (p *page) positionAfter(row int) position {
	if row == len(p.rows)-1 && !p.isLast {
		return p.next
	}
	return position{Connection: p.start.Connection, Cursor: p.start.Cursor, Skip: row + 1, LastRow: p.rows[row].hash()}
}

func (p *page) positionBefore(row int) position {
	if row > 0 {
		return p.positionAfter(row - 1)
	}
	return position{Connection: p.start.Connection, Cursor: p.start.Cursor}
}

func (l *list) pageRequest() rs.Request {
	request := l.request
	request.Query = request.Query.With(wire.Limit, strconv.Itoa(l.pageSize))
	if l.next.Cursor != "" {
		request.Query = request.Query.Without(wire.ChangesSince).With(wire.Cursor, l.next.Cursor) // a feed continues by its cursor alone (051b)
	}
	if l.wholePage > 0 && l.pages+1 == l.wholePage {
		request.Query = request.Query.Without(wire.Fields)
	}
	if connection := l.next.Connection; connection != "" {
		request.Query = request.Query.With(wire.ConnectionID, connection)
		if one, ok := request.Sources.(rs.OneSource); ok {
			one.ConnectionID = &connection
			request.Sources = one
		}
	}
	return request
}

type fetch struct {
	cancel context.CancelFunc
	done   chan struct{} // closed when the rest is set

	response *rs.Response
	rows     rs.List
	err      error
}

// requestNext requests the next page without waiting for it.
func (l *list) requestNext() {
	ctx, cancel := context.WithCancel(l.ctx)
	f, request, size := &fetch{cancel: cancel, done: make(chan struct{})}, l.pageRequest(), l.pageSize
	go func() {
		defer close(f.done)
		f.err = l.budget.Read(ctx, size, func(limit int) (records int, err error) {
			request.Query = request.Query.With(wire.Limit, strconv.Itoa(limit))
			if f.response, err = l.env.RS.Get(patient(ctx, limit), request); err == nil {
				f.rows, err = f.response.List()
			}
			return len(f.rows.Rows), err
		})
	}()
	l.ahead = f
}

// await returns the next page, which may have been requested already.
func (l *list) await() *fetch {
	if l.ahead == nil {
		l.requestNext()
	}
	next := l.ahead
	<-next.done
	l.ahead = nil
	next.cancel()
	return next
}

// cancelAhead cancels the request of the next page and waits for its end, so that no request outlives the call.
func (l *list) cancelAhead() {
	if l.ahead != nil {
		l.ahead.cancel()
		<-l.ahead.done
		l.ahead.response.Release()
		l.ahead = nil
	}
}

// end ends the use of the list.
func (l *list) end() {
	l.cancelAhead()
	l.held.Release()
}

// probe requests the named fields of one record, and returns the error of the request.
func (l *list) probe(query rs.Query, fields ...string) error {
	request := l.request
	request.Query = query.With(wire.Limit, "1").With(wire.Fields, strings.Join(fields, ","))
	response, err := l.env.RS.Get(l.ctx, request)
	response.Release()
	return err
}

// addField adds a field to those that the list requests.
func (l *list) addField(name string) {
	if names, isNarrow := l.request.Query.Get(wire.Fields); isNarrow {
		l.request.Query = l.request.Query.With(wire.Fields, strings.Join(joinNames(strings.Split(names, ","), []string{name}), ","))
	}
}

// joinNames returns the names of all lists without repetition.
func joinNames(lists ...[]string) []string {
	var all []string
	for _, name := range slices.Concat(lists...) {
		if !slices.Contains(all, name) {
			all = append(all, name)
		}
	}
	return all
}
