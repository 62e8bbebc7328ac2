package readon

import (
	"slices"
	"strconv"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
)

// list reads a list of records page by page, and one connection after another where the resource server pages only one at a
// time (063, 814b). Of a list that is read to its end, the next page is asked for while this one is worked on.
type list struct {
	*reading
	request rs.Request // of a page, without its place and its size
	size    int        // records of a page
	ranked  bool       // hits of a search, which the resource server pages together
	toEnd   bool       // the page after the next one will probably be read too
	whole   int        // number of the page that is read with all fields before more pages are requested; 0: none

	connections []string // that are read one after another; nil: the resource server pages the list
	connection  int      // of them
	edge        *edge    // nil: the list is read to its end
	next        place    // where the next page begins
	isDone      bool     // nothing follows that can be read
	ahead       *fetch   // the page that was asked for already; nil: none
}

// page is one page of a list.
type page struct {
	at     place // where it begins
	rows   []record
	from   int // rows that were looked at in a call before
	next   place
	isLast bool
	rest   rs.List // the envelope
}

// newList begins a list at a place. It reads the named fields, or all of them if none is named.
func (r *reading) newList(request rs.Request, fields []string, from place) *list {
	request.Query = request.Query.Without(cursorName, limitName, countName)
	if fields != nil {
		request.Query = request.Query.With(fieldsName, strings.Join(fields, ","))
	}
	return &list{reading: r, request: request, size: rs.MostRows, next: from}
}

// page reads the next page. It is nil behind the last one, and when the reading ends before; Complete and Note say which. Its error is
// the answer to the caller.
func (l *list) page() (*page, error) {
	l.tell()
	switch {
	case l.isDone:
		return nil, nil
	case l.left <= 0:
		l.bounded()
		return nil, nil
	case l.next.Connection != "" && l.connections == nil:
		if err := l.resume(); err != nil {
			return nil, err
		}
	}
	response, err := l.await()
	if err == nil {
		if l.base != nil && response.Absent == nil { // one connection after another names them
			response.Absent = l.base.Absent
		}
		l.base = response
		var read *page
		if read, err = l.open(response); err == nil {
			return read, nil
		}
	}
	l.isDone = true
	l.forget() // a page may have been asked for behind one that was cut off
	return nil, l.interrupted(err)
}

// open takes a page apart, and asks for the one behind it when all will be read.
func (l *list) open(response *rs.Response) (*page, error) {
	envelope, err := response.List()
	if err != nil {
		return nil, err
	}
	read := &page{at: l.next, rows: recordsOf(envelope), rest: envelope}
	next, hasMore := envelope.Text(nextCursorName), string(envelope.Get("has_more")) == "true"
	if l.fansIn(read.rows, hasMore && next == "") {
		return l.page()
	}
	l.pages++
	l.left -= max(1, len(read.rows))
	var beyond int
	read.from, beyond = read.at.passed(read.rows)
	l.next = place{Connection: read.at.Connection, Cursor: next, Skip: beyond, Last: read.at.Last}
	switch {
	case next != "" && next != read.at.Cursor:
	case hasMore && !l.ranked: // the resource server gives no continuation
		l.isDone, l.Note = true, noWayOn
		l.next = place{Connection: read.at.Connection, Cursor: read.at.Cursor, Skip: len(read.rows)}
	default:
		read.isLast = l.advance()
		if hasMore {
			l.Complete, l.Note = false, noWayOn
		}
	}
	read.next = l.next
	if l.toEnd && !l.isDone && l.left > 0 && l.pages != l.whole {
		l.ask()
	}
	return read, nil
}

const noWayOn = "The resource server gave no cursor for the rest."

// behind is the place behind a row of a page.
func (p *page) behind(row int) place {
	if row == len(p.rows)-1 && !p.isLast {
		return p.next
	}
	return place{Connection: p.at.Connection, Cursor: p.at.Cursor, Skip: row + 1, Last: p.rows[row].print()}
}

// before is the place before a row of a page.
func (p *page) before(row int) place {
	if row > 0 {
		return p.behind(row - 1)
	}
	return place{Connection: p.at.Connection, Cursor: p.at.Cursor}
}

// fansIn reports whether a page is of several connections, which the resource server does not page together. They are then
// read one after another, from the first on.
func (l *list) fansIn(rows []record, isStuck bool) bool {
	if l.ranked || l.pages > 0 || l.next != (place{}) || len(rows) == 0 {
		return false
	}
	connections := connectionsOf(rows)
	if _, named := l.request.Query.Get(connectionName); named || len(connections) < 2 && !(isStuck && len(connections) == 1) {
		return false
	}
	l.connections, l.next = connections, place{Connection: connections[0]}
	return true
}

// resume finds the connections of a list again that was left in one of them.
func (l *list) resume() error {
	request := l.request
	request.Query = request.Query.With(limitName, "1")
	response, err := l.env.RS.Get(l.ctx, request)
	if err != nil {
		return err
	}
	envelope, err := response.List()
	if err != nil {
		return err
	}
	l.connections = connectionsOf(recordsOf(envelope))
	if l.connection = slices.Index(l.connections, l.next.Connection); l.connection < 0 {
		l.connections, l.connection = append(l.connections, l.next.Connection), len(l.connections)
	}
	return nil
}

// asked is the request for the next page.
func (l *list) asked() rs.Request {
	request := l.request
	request.Query = request.Query.With(limitName, strconv.Itoa(min(l.left, l.size)))
	if l.next.Cursor != "" {
		request.Query = request.Query.Without(feedName).With(cursorName, l.next.Cursor) // a feed goes on by its cursor alone (051b)
	}
	if l.whole > 0 && l.pages+1 == l.whole {
		request.Query = request.Query.Without(fieldsName)
	}
	if connection := l.next.Connection; connection != "" {
		request.Query = request.Query.With(connectionName, connection)
		if one, ok := request.Sources.(rs.OneSource); ok {
			one.ConnectionID = &connection
			request.Sources = one
		}
	}
	return request
}

// names joins lists of names, each name once.
func names(lists ...[]string) []string {
	var all []string
	for _, list := range lists {
		for _, name := range list {
			if !slices.Contains(all, name) {
				all = append(all, name)
			}
		}
	}
	return all
}

// rowsEnvelope returns a list of rows as the resource server would send it, with the cursor of the rest if there is one.
func rowsEnvelope(rows []rawjson.Value, next string, members ...rawjson.Member) rawjson.Object {
	body := rawjson.Object{rawjson.String("object", "list"), rawjson.Raw("data", rawjson.Array(rows)), rawjson.Bool("has_more", next != "")}
	if next != "" {
		body = append(body, rawjson.String(nextCursorName, next))
	}
	return append(body, members...)
}
