package readon

import (
	"slices"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/scalar"
	"github.com/pdppmcp/pdpp-mcp/runtime/tally"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// Bounds of what a remainder costs.
const (
	triedFields = 3     // that the resource server is asked to sort by
	heldMost    = 1_000 // records of one time
)

// remainder adds records to a tally so that a range of time finds those that it does not tell of (R-SCAN-6). It learns the
// field that the list is ordered by from a page with all fields, and from the resource server, which sorts by that field alone
// (770, 804b). From then on it holds the records of one time back until the next time comes: an interrupted reading leaves
// them to the range.
type remainder struct {
	*list
	request rs.Request // of the aggregate
	filter  rs.Filter  // of the caller
	tally   *tally.Tally
	narrow  []string // fields of the other pages

	asking  chan *timeField // gives the field by which the list is ordered, or nil; nil: not asked
	by      *timeField      // nil: not known, or not to be relied on
	isHeld  bool            // records are held from the first of their time on
	held    []heldRecord
	from    place      // of the first one that is held
	counted heldRecord // the last one that is not held
}

type heldRecord struct {
	record
	matches bool
	page    *page // nil: the record was kept from a page before
	at      int   // in the page
}

// before prepares for the records of a page.
func (r *remainder) before() {
	if r.pages == r.whole {
		r.order = listOrder{} // of records with all their fields
	}
	if r.asking != nil && r.pages == r.whole+1 {
		if r.by = <-r.asking; r.by == nil {
			r.order.fields = nil
		} else {
			r.order.fields = []*timeField{r.by}
		}
	}
}

// keep copies what is needed of a page when that is no more.
func (r *remainder) keep() {
	for i := range r.held {
		each := &r.held[i]
		if each.page == nil {
			continue
		}
		if i == 0 {
			r.from = each.page.before(each.at)
		}
		each.record, each.page = each.kept(), nil
	}
	if r.counted.page != nil {
		r.counted.record, r.counted.page = r.counted.kept(), nil
	}
}

// behind looks at what the records of a page showed.
func (r *remainder) behind() {
	r.keep()
	if r.pages != r.whole || r.isDone || len(r.connections) > 1 {
		return
	}
	var tried []*timeField
	var fields []string
	for _, field := range r.order.fields {
		isExact := slices.ContainsFunc(r.filter, func(c rs.Condition) bool { return c.Field == field.name && c.Operator == "" })
		if field.direction != 0 && !isExact && len(tried) < triedFields && !strings.Contains(field.name, ",") {
			tried, fields = append(tried, field), append(fields, field.name)
		}
	}
	r.order.fields = tried
	if read := names(r.narrow, fields); read != nil {
		r.list.request.Query = r.list.request.Query.With(fieldsName, strings.Join(read, ","))
	}
	r.asking = make(chan *timeField, 1)
	go func() {
		for _, field := range tried {
			if r.sortsBy(field.name, field.direction > 0) {
				r.asking <- field
				break
			}
		}
		close(r.asking)
	}()
}

// add looks at a record, and tallies it if it matches.
func (r *remainder) add(row heldRecord) {
	var before string
	if r.by != nil {
		before = string(r.by.last)
	}
	r.look(row.record)
	switch {
	case r.by == nil:
	case len(r.order.fields) == 0: // the order is another one
		r.release()
		r.by, r.isHeld = nil, false
	case string(r.by.last) != before || len(r.held) >= heldMost:
		r.release()
		r.isHeld = string(r.by.last) != before
	}
	if r.isHeld {
		r.held = append(r.held, row)
		return
	}
	r.count(row)
}

func (r *remainder) count(row heldRecord) {
	r.counted = row
	if row.matches {
		r.Matched++
		r.tally.Add(row.fields)
	}
}

// release tallies what is held.
func (r *remainder) release() {
	for _, each := range r.held {
		r.count(each)
	}
	r.held = r.held[:0]
}

// settle ends the tally: with all records, or with those before a time and the range that finds the others.
func (r *remainder) settle() {
	if r.Complete || !r.isHeld {
		r.release()
	}
	if r.Read -= int64(len(r.held)); r.Read > 0 {
		r.UpTo = r.mark(r.counted.record)
	}
	if len(r.held) == 0 {
		return
	}
	rest := rs.Condition{Field: r.by.name, Operator: "lte", Value: string(r.by.last[1 : len(r.by.last)-1])}
	if r.by.direction > 0 {
		rest.Operator = "gte"
	}
	if filter := narrowed(r.filter, rest); filter != nil {
		r.Rest = &rest
		next := r.request
		next.Query = next.Query.WithoutMembers(filterName)
		next.Query.BracketFilter(filterName, filter)
		r.env.Readings.NoteStop(r.env.Caller, tool.QuestionOf(next), r.from.encode(next))
	}
}

// narrowed is a filter with another bound of a field; nil when the field's bound in that direction leaves out as much already,
// so that asking again would get no further.
func narrowed(filter rs.Filter, bound rs.Condition) rs.Filter {
	var kept rs.Filter
	limit, _ := scalar.Instant([]byte(bound.Value))
	for _, each := range filter {
		if each.Field != bound.Field || each.Operator[0] != bound.Operator[0] {
			kept = append(kept, each)
			continue
		}
		own, isTime := scalar.Period([]byte(each.Value))
		if order := own.Compare(limit); !isTime || order == 0 || (order < 0) == (bound.Operator == "lte") {
			return nil
		}
	}
	return append(kept, bound)
}

// drop waits for the question that is under way.
func (r *remainder) drop() {
	if r.asking != nil {
		r.stop()
		for range r.asking {
		}
	}
}
