package scan

import (
	"slices"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/scalar"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/wire"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
)

// timeBound is a bound of the filter on the field that orders a list. No record past it matches.
type timeBound struct {
	field    string
	at       time.Time
	isRising bool // the earliest time is first
}

// boundOrderTolerance is the largest distance of a record from the order of instants. Servers order times by their text
// (770).
const boundOrderTolerance = 24 * time.Hour

// boundOf returns the bound that a filter sets on the field that orders the list, or nil. It asks the resource server
// whether the list has that order. An empty order is the default one.
func (l *list) boundOf(filter rs.Filter, order string) *timeBound {
	if _, isFeed := l.request.Query.Get(wire.ChangesSince); isFeed { // a feed is in the order of changes
		return nil
	}
	isRising := order == "asc"
	for _, each := range filter {
		at, isTime := scalar.Instant([]byte(each.Value))
		if isTime && each.Operator != "" && (each.Operator[0] == 'l') == isRising && l.sortsBy(each.Field, isRising) {
			l.isBounded = true
			return &timeBound{each.Field, at, isRising}
		}
	}
	return nil
}

// sortsBy reports whether the resource server offers the field as the order of the list.
func (l *list) sortsBy(field string, isRising bool) bool {
	sort := field
	if !isRising {
		sort = "-" + sort
	}
	return l.probe(l.request.Query.Without(wire.Order).With(wire.Sort, sort), field) == nil
}

// index returns the number of rows before the bound.
func (b *timeBound) index(rows []record) int {
	if b != nil {
		if i := slices.IndexFunc(rows, b.isPast); i >= 0 {
			return i
		}
	}
	return len(rows)
}

// isPast reports whether a record, and so every later one, is past the bound.
func (b *timeBound) isPast(row record) bool {
	value := row.fields.Member(b.field)
	if !isTime(value) {
		return false
	}
	at, _ := scalar.Instant(value[1 : len(value)-1])
	if b.isRising {
		return at.Add(-boundOrderTolerance).After(b.at)
	}
	return at.Add(boundOrderTolerance).Before(b.at)
}
