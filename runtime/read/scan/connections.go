package scan

import (
	"slices"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/wire"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
)

// connections are the connections of a list that the resource server pages only for one connection at a time (063,
// 814b).
type connections struct {
	isUnordered bool     // the caller accepts rows in any order, so connections may be read concurrently
	connection  string   // the connection that is read; empty: the resource server pages the list
	following   []string // connections that are read after it in the same list
	concurrent  []string // connections that are each read as a separate list
	count       int      // number of lists, with this one; 0: the list is not split
	sequence    []string // connections that are read one after another; nil: one connection, or another way

	merges   bool              // the caller merges the lists of the connections
	separate []connectionTimes // the connections to merge; nil: the list is not split
}

// splits reports whether the first page shows that the connections must be read separately. If so, it starts the list
// at the beginning of the first connection.
func (l *list) splits(rows []record, hasNoCursor bool) bool {
	if l.pages > 0 || l.next != (position{}) || len(rows) == 0 {
		return false
	}
	all := connectionsOf(rows)
	if _, isNamed := l.request.Query.Get(wire.ConnectionID); isNamed || len(all) < 2 && !(hasNoCursor && len(all) == 1) {
		return false
	}
	if l.merges && 1 < len(all) && len(all) <= min(maxMerged, l.env.Readings.MaxRecords()) {
		l.separate = l.timesOf(rows)
		return true
	}
	l.readSeparately(all)
	return true
}

// readSeparately starts the list at the beginning of the first connection.
func (l *list) readSeparately(all []string) {
	l.connection, l.next = all[0], position{Connection: all[0]}
	if l.isUnordered && len(all) > 1 {
		l.concurrent, l.count = all[1:], len(all)
		return
	}
	l.readInSequence(all)
}

// readInSequence sets the connections after the current one.
func (l *list) readInSequence(all []string) {
	if i := slices.Index(all, l.connection); i >= 0 {
		l.following = all[i+1:]
	}
	if len(all) > 1 {
		l.sequence = all
	}
}

// unreadAfter returns the connections that are not read to their ends after a row, if they are read one after another.
func (l *list) unreadAfter(read *page, row int) []string {
	i := slices.Index(l.sequence, read.start.Connection)
	switch {
	case i < 0:
		return nil
	case row == len(read.rows)-1 && (read.isLast || read.next.Connection != read.start.Connection):
		i++
	}
	return l.sequence[i:]
}

// findConnections finds the connections that follow the connection of the position.
func (l *list) findConnections() error {
	request := l.request
	request.Query = request.Query.With(wire.Limit, "1")
	response, err := l.env.RS.Get(l.ctx, request)
	if err != nil {
		return err
	}
	defer response.Release()
	var envelope rs.List
	if envelope, err = response.List(); err != nil {
		return err
	}
	all := connectionsOf(recordsOf(envelope))
	l.connection = l.next.Connection
	l.readInSequence(all)
	return nil
}

// endConnection moves to the next connection. After the last one it ends the list and returns true.
func (l *list) endConnection() (isLast bool) {
	if len(l.following) == 0 {
		l.isDone, l.isRead, l.Complete = true, true, true
		return true
	}
	l.connection, l.following = l.following[0], l.following[1:]
	l.next = position{Connection: l.connection}
	return false
}

// readAll calls take for each page until the reading ends. It reads two connections concurrently if the caller reads
// nothing else (R-SCAN-8), otherwise one after another. It returns the error of list.page.
func (l *list) readAll(take func(*page)) error {
	lists := []*list{l}
	var unread []string
	defer func() {
		for _, each := range lists {
			each.end()
		}
	}()
	begin := func() {
		if len(l.concurrent) == 0 {
			return
		}
		added := &list{reading: l.reading, request: l.request, pageSize: l.pageSize, readsAhead: true, bound: l.bound}
		added.connection, l.concurrent = l.concurrent[0], l.concurrent[1:]
		added.next.Connection = added.connection
		added.requestNext()
		lists = append(lists, added)
	}
	for isFirst := true; len(lists) > 0; isFirst = false {
		current := lists[0]
		read, err := current.page()
		if err != nil {
			return err
		}
		lists = lists[1:]
		if isFirst && l.count > 0 {
			if release, isFree := l.env.Readings.TryBegin(l.env.Caller); isFree {
				defer release()
				begin()
			}
		}
		if read != nil {
			take(read)
			if rows := read.unread(); len(rows) > 0 {
				l.UpTo = l.markOf(rows[len(rows)-1])
			}
		}
		switch {
		case current.isRead:
			current.end()
			begin()
		case read == nil || current.isDone:
			current.end()
			unread = append(unread, current.connection)
		default:
			lists = append(lists, current)
		}
	}
	if unread = append(unread, l.concurrent...); l.count > 0 {
		l.Complete = len(unread) == 0
	}
	if l.count > 0 && !l.Complete {
		slices.Sort(unread)
		l.UpTo.Unread = unread
	}
	return nil
}
