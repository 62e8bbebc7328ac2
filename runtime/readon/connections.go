package readon

import (
	"slices"
	"strings"
)

// sides are the connections of a list whose order does not matter. Two are read side by side where the caller reads nothing else
// (R-SCAN-8), otherwise one after another.
type sides struct {
	*list            // of the first connection
	waiting []string // connections that were not begun
	open    []*list  // of those that were begun and have not ended
	rest    []string // connections that were not read to their ends
}

// isFanned reports whether a page is the first of several connections that are all read.
func (l *list) isFanned(first *page) bool {
	return len(l.connections) > 1 && l.pages == 1 && first.at == place{Connection: l.connections[0]}
}

// take takes the rows of a page up to the bound of the filter. It returns the last one, or nil.
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

// takeFanned takes the rows of a list of several connections from its first page on. It returns the error of list.page.
func (l *list) takeFanned(first *page, take func(record)) error {
	s := &sides{list: l, waiting: l.connections[1:]}
	defer s.forget()
	s.take(l, first, take)
	l.connections = l.connections[:1]
	if leave, begun := l.env.Readings.TryBegin(l.env.Caller); begun {
		defer leave()
		s.begin()
	}
	for len(s.open) > 0 {
		own := s.open[0]
		s.open = s.open[1:]
		l.Complete = false
		switch read, err := own.page(); {
		case err != nil:
			return err
		case read != nil:
			s.take(own, read, take)
		default:
			own.forget() // another connection may have read what was left
			s.rest = append(s.rest, own.connections[0])
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
		reading: s.reading, request: s.request, size: s.size, toEnd: true, edge: s.edge,
		connections: []string{connection}, next: place{Connection: connection},
	}
	if s.left > 0 {
		own.ask()
	}
	s.open = append(s.open, own)
}

// take takes the rows of a page of one of the connections. At its end the next one begins.
func (s *sides) take(own *list, read *page, take func(record)) {
	s.upTo(own.take(read, take))
	switch {
	case s.Complete || own.connection > 0: // the first page of the first connection may be all of it
		own.forget()
		s.begin()
	case own.isDone:
		s.rest = append(s.rest, own.connections[0])
	default:
		s.open = append(s.open, own)
	}
}

// forget ends what is under way, so that nothing of the call outlives it.
func (s *sides) forget() {
	for _, own := range s.open {
		own.forget()
	}
}
