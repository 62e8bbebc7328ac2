package scan

import (
	"bytes"
	"slices"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/answer"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/scalar"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/wire"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/read/tally"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

const (
	maxSortFields = 3     // fields that are tried as the sort of the resource server
	maxHeld       = 1_000 // records of one time
)

// tallying adds the matching records of a list to a tally. If the reading is interrupted, a range of time selects the
// records that were not added (R-SCAN-6). A page with all fields shows which field may hold that time. The resource
// server confirms it, because it sorts only by that field (770, 804b). From then on, the records of the last time are
// held until a record of another time follows.
type tallying struct {
	*list
	aggregate rs.Request
	wanted    rs.Filter // the caller's filter
	tally     *tally.Tally
	fields    []string // fields of the pages, except the page with all fields

	extreme   record      // with the minimum or maximum; it has its id and its connection only
	orderedBy *orderField // nil: unknown
	held      []record
	heldFrom  position // of the first held record
	last      record   // the last record that was added or did not match
}

// wholePageOf returns the number of the page that is read with all fields. It is the second one, so that a short stream
// costs no such page, unless the records that a call may read end on or soon after the first one.
func wholePageOf(most int, from position) int {
	first := min(most, rs.MaxRows) - from.Skip
	if second := most - first; second < min(first, rs.MaxRows/2) {
		return 1
	}
	return 2
}

func (t *tallying) add(read *page) {
	if t.pages == t.wholePage {
		t.order = listOrder{}
	}
	t.noteRead(read.unread()...)
	if t.pages == t.wholePage && !t.isDone && t.count == 0 && len(t.following) == 0 {
		t.learnOrder()
	}
	if !slices.Contains(t.order.fields, t.orderedBy) {
		t.orderedBy = nil
	}
	earlier := len(t.held)
	rows := append(t.held, read.unread()...)
	end := t.settled(rows)
	t.tallyRows(rows[:end])
	if t.held = slices.Clone(rows[end:]); end >= earlier && len(t.held) > 0 {
		t.heldFrom = read.positionBefore(read.first + end - earlier)
	}
}

// settled returns the number of rows before those of the last time. It returns the number of all rows if rows of that
// time were already added, or if there are too many to hold.
func (t *tallying) settled(rows []record) int {
	if t.orderedBy == nil || len(rows) == 0 {
		return len(rows)
	}
	timeOf := func(row record) string { return string(row.fields.Member(t.orderedBy.name)) }
	last := timeOf(rows[len(rows)-1])
	end := len(rows) - 1
	for end > 0 && timeOf(rows[end-1]) == last {
		end--
	}
	if len(rows)-end > maxHeld || end == 0 && (t.last.row == nil || timeOf(t.last) == last) {
		return len(rows)
	}
	return end
}

func (t *tallying) tallyRows(rows []record) {
	for _, row := range rows {
		if t.filter.Match(row.fields) {
			t.Matched++
			if t.tally.Add(row.fields) {
				t.extreme = record{id: bytes.Clone(row.id), connection: bytes.Clone(row.connection)}
			}
		}
		t.last = row
	}
}

// learnOrder finds the field by which the list is ordered while the next page is read.
func (t *tallying) learnOrder() {
	var candidates []*orderField
	var names []string
	for _, field := range t.order.fields {
		isExact := slices.ContainsFunc(t.wanted, func(c rs.Condition) bool { return c.Field == field.name && c.Operator == "" })
		if field.direction != 0 && !isExact && len(candidates) < maxSortFields && !strings.Contains(field.name, ",") {
			candidates, names = append(candidates, field), append(names, field.name)
		}
	}
	if read := joinNames(t.fields, names); read != nil {
		t.request.Query = t.request.Query.With(wire.Fields, strings.Join(read, ","))
	}
	t.requestNext()
	t.order.fields = nil
	if i := slices.IndexFunc(candidates, func(f *orderField) bool { return t.sortsBy(f.name, f.direction > 0) }); i >= 0 {
		t.orderedBy = candidates[i]
		t.order.fields = candidates[i : i+1]
	}
}

// finish ends the tally. It adds the held records of a complete reading. Otherwise it sets the range that selects the
// held records and those after them.
func (t *tallying) finish() {
	if t.Complete || len(t.held) == 0 {
		t.tallyRows(t.held)
		return
	}
	if t.Read -= int64(len(t.held)); t.Read > 0 {
		t.UpTo = t.markOf(t.last)
	}
	rest := rs.Condition{Field: t.orderedBy.name, Operator: "lte", Value: string(t.orderedBy.last[1 : len(t.orderedBy.last)-1])}
	if t.orderedBy.direction > 0 {
		rest.Operator = "gte"
	}
	if filter := narrowed(t.wanted, rest); filter != nil {
		t.Rest = &answer.Bound{Field: rest.Field, Operator: rest.Operator, Value: rest.Value}
		next := t.aggregate
		next.Query = next.Query.WithoutMembers(wire.Filter)
		next.Query.BracketFilter(wire.Filter, filter)
		t.env.Readings.NoteStop(t.env.Caller, tool.QuestionOf(next), t.heldFrom.encode(next))
	}
}

// narrowed returns a filter with an additional bound of a field. It returns nil if the filter already excludes as much,
// because the same call would read no further.
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
