package readon

import (
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/scalar"
)

// edge is a bound of the filter: no record of a list matches after it, so a reading that has passed it is complete. The list
// has to be ordered by the field, as the resource server says by sorting by it (770).
type edge struct {
	field    string
	bound    time.Time
	isRising bool // the list begins with the earliest time
}

// zoneWidth is by how much the text of a time, by which lists are ordered (770), may stand apart from its instant.
const zoneWidth = 24 * time.Hour

// edgeOf is the edge that a filter sets to a list, if the resource server confirms it; nil: none. The list is in the default
// order when that is empty.
func (l *list) edgeOf(filter rs.Filter, order string) *edge {
	if _, isFeed := l.request.Query.Get(feedName); isFeed { // which is ordered by its changes
		return nil
	}
	for _, each := range filter {
		bound, isTime := scalar.Instant([]byte(each.Value))
		isRising := order == "asc"
		if !isTime || each.Operator == "" || (each.Operator[0] == 'l') != isRising {
			continue
		}
		found := &edge{each.Field, bound, isRising}
		if l.sortsBy(each.Field, isRising) {
			return found
		}
	}
	return nil
}

// sortsBy reports whether the resource server offers the field as the order of the list.
func (l *list) sortsBy(field string, isRising bool) bool {
	by := field
	if !isRising {
		by = "-" + by
	}
	return l.probe(l.request.Query.Without(orderName).With(sortName, by), field) == nil
}

// isBehind reports whether a record, and so every later one, is past the edge.
func (e *edge) isBehind(fields rawjson.Cursor) bool {
	if e == nil {
		return false
	}
	value := fields.Member(e.field)
	if !isTime(value) {
		return false
	}
	at, _ := scalar.Instant(value[1 : len(value)-1])
	if e.isRising {
		return at.Add(-zoneWidth).After(e.bound)
	}
	return at.Add(zoneWidth).Before(e.bound)
}

// passes reports whether a record, and so every later one, is past the edge. The list then continues with the next connection, or
// ends.
func (l *list) passes(row record) bool {
	if !l.edge.isBehind(row.fields) {
		return false
	}
	if l.connections == nil || row.connectionID() == l.connections[l.connection] { // else its page was the last of its connection
		l.forget()
		l.advance()
	}
	return true
}

// advance continues with the next connection, or ends the list. It reports whether that was the last one.
func (l *list) advance() (isLast bool) {
	if l.connection+1 < len(l.connections) {
		l.connection++
		l.next = place{Connection: l.connections[l.connection]}
		return false
	}
	l.isDone, l.Complete = true, true
	return true
}
