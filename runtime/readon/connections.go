package readon

import (
	"slices"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
)

// share is how many records a connection may ask for before it needs more of those that the call may read.
const share = 3 * rs.MostRows

// sides are the connections of a list whose order does not matter. Two are read side by side where the caller reads nothing else
// (R-SCAN-8), else one after another.
type sides struct {
	*list            // of the first connection, and what all of them have read together
	waiting []string // connections that were not begun
	open    []*list  // of those that were begun and have not ended
	pool    int      // records that none of them was given yet
	rest    []string // connections that were not read to their ends
}

// isFanned reports whether a page is the first of several connections, all of which are to be read.
func (l *list) isFanned(first *page) bool {
	return len(l.connections) > 1 && l.pages == 1 && first.at == place{Connection: l.connections[0]}
}

// take takes the rows of a page, as far as they stand before the edge, and gives the last of them; nil: none was taken.
func (l *list) take(read *page, take func(record)) (last *record) {
	for i := read.from; i < len(read.rows); i++ {
		if l.passes(read.rows[i]) {
			break
		}
		last = &read.rows[i]
		take(*last)
	}
	return last
}

// takeFanned takes the rows of a list of several connections from its first page on. Its error is that of list.page.
func (l *list) takeFanned(first *page, take func(record)) error {
	l.upTo(l.take(first, take))
	s := &sides{list: l, waiting: l.connections[1:], open: []*list{l}, pool: max(0, l.left)}
	l.left = 0
	if l.connection > 0 { // the first page was all of the connection
		l.forget()
		l.connection, l.isDone, l.Complete = 0, true, true
	}
	l.connections = l.connections[:1]
	defer s.forget()
	if leave, begun := l.env.Readings.BeginBeside(l.env.Caller); begun {
		defer leave()
		s.begin()
	}
	for len(s.open) > 0 {
		own := s.open[0]
		s.open = s.open[1:]
		if err := s.page(own, take); err != nil {
			return err
		}
	}
	s.rest = append(s.rest, s.waiting...)
	if l.Complete = len(s.rest) == 0; !l.Complete {
		slices.Sort(s.rest)
		l.Note = strings.TrimSpace(l.Note + " Connections that were not read to their ends: " + strings.Join(s.rest, ", ") + ".")
	}
	return nil
}

// begin begins the next connection, if there is one.
func (s *sides) begin() {
	if len(s.waiting) == 0 {
		return
	}
	connection := s.waiting[0]
	s.waiting = s.waiting[1:]
	own := &list{
		reading: &reading{ctx: s.ctx, caller: s.caller, env: s.env, kind: s.kind, stop: s.stop},
		request: s.request, size: s.size, toEnd: true, edge: s.edge, connections: []string{connection}, next: place{Connection: connection},
	}
	s.give(own)
	if own.left > 0 {
		own.ask()
	}
	s.open = append(s.open, own)
}

// give lets a connection ask for more.
func (s *sides) give(own *list) {
	if own.left < share {
		more := min(share, s.pool)
		own.left, s.pool = own.left+more, s.pool-more
	}
}

// page takes a page of one of the connections. What ends one of them before its end is told of all.
func (s *sides) page(own *list, take func(record)) error {
	if own != s.list {
		s.tell()
	}
	s.give(own)
	read, err := own.page()
	if err != nil {
		if err = s.interrupted(err); err != nil {
			return err
		}
	}
	switch {
	case read != nil:
		s.upTo(own.take(read, take))
		s.open = append(s.open, own)
	case own.Complete:
		s.pool += own.left
		own.left = 0
		s.begin()
	default:
		if own.Note != "" {
			s.Note = own.Note
		}
		s.rest = append(s.rest, own.connections[0])
	}
	return nil
}

// forget ends what is under way, so that nothing of the call outlives it.
func (s *sides) forget() {
	for _, own := range s.open {
		own.forget()
	}
}
