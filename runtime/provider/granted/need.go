package granted

import (
	"cmp"
	"strings"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/scalar"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/wire"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
)

// Need has the parts of a stream that a request reads.
type Need struct {
	Stream     string
	Fields     []string // that the request names
	IsWhole    bool     // it reads all fields
	Conditions rs.Filter
}

// NeedOf returns what a request reads of a stream.
func NeedOf(request rs.Request, stream string) Need {
	wanted := Need{Stream: stream, IsWhole: true}
	if one, isOne := request.Sources.(rs.OneSource); isOne {
		wanted.Conditions = one.Filter
	}
	for _, each := range wanted.Conditions {
		if each.Field != rs.AnyTime {
			wanted.Fields = append(wanted.Fields, each.Field)
		}
	}
	for _, each := range request.Query.Parameters() {
		switch each.Name {
		case wire.Fields, wire.Field:
			wanted.Fields, wanted.IsWhole = append(wanted.Fields, strings.Split(each.Value, ",")...), false
		case wire.GroupBy, wire.GroupByTime:
			wanted.Fields = append(wanted.Fields, each.Value)
		case wire.Sort:
			wanted.Fields = append(wanted.Fields, strings.TrimPrefix(each.Value, "-"))
		}
	}
	wanted.IsWhole = wanted.IsWhole && request.Path.Route().Template != rs.AggregateRoute
	return wanted
}

// span returns the time range that the conditions select.
func (n Need) span(field string) (since, until time.Time) {
	for _, each := range n.Conditions {
		at, isTime := scalar.Period([]byte(each.Value))
		if !isTime || each.Field != field && each.Field != rs.AnyTime {
			continue
		}
		if each.Operator != "lt" && each.Operator != "lte" && at.After(since) {
			since = at
		}
		if each.Operator == "lte" || each.Operator == "" {
			at = at.Add(1) // the next instant
		}
		if each.Operator != "gt" && each.Operator != "gte" && (until.IsZero() || at.Before(until)) {
			until = at
		}
	}
	return since, until
}

// Excess returns whether the need begins before the limit, and whether it ends after it.
func (n Need) Excess(l Limit) (isBefore, isAfter bool) {
	since, until := n.span(l.TimeField)
	return !l.Since.IsZero() && since.Before(l.Since), !l.Until.IsZero() && (until.IsZero() || until.After(l.Until))
}

// isTouchedBy reports whether a limit allows any of the time range of the need.
func (n Need) isTouchedBy(l Limit) bool {
	since, until := n.span(l.TimeField)
	isEarlier := !until.IsZero() && !l.Since.IsZero() && !until.After(l.Since)
	isLater := !since.IsZero() && !l.Until.IsZero() && !since.Before(l.Until)
	return !isEarlier && !isLater
}

// Compare orders limits by how much of the need they cover, the best first.
func (n Need) Compare(a, b Limit) int {
	uncovered := func(l Limit) int {
		if isBefore, isAfter := n.Excess(l); isBefore || isAfter || l.Records != nil {
			return 1
		}
		return 0
	}
	width, breadth := cmp.Compare(b.width(), a.width()), cmp.Compare(b.breadth(), a.breadth())
	order := cmp.Or(cmp.Compare(len(a.Lacks(n.Fields)), len(b.Lacks(n.Fields))), cmp.Compare(uncovered(a), uncovered(b)))
	if uncovered(a) == 0 {
		return cmp.Or(order, breadth, width)
	}
	return cmp.Or(order, cmp.Compare(min(len(a.Records), 1), min(len(b.Records), 1)), width, breadth)
}
