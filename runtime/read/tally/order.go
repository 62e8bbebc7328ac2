package tally

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/answer"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/scalar"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/wire"
)

// SortJoined orders groups that were counted in several sources as Sort does. By default the largest group is first;
// groups by time begin with the earliest. others is the number of records in all other groups.
func SortJoined(query Query, found *answer.Groups, others int64) {
	slices.SortFunc(found.Groups, func(a, b answer.Group) int {
		if query.GroupBy == "" {
			return compareTimes(query.Granularity, a.Members.Get("key"), b.Members.Get("key"))
		}
		return cmp.Or(compareKeys(a.Members.Get("key"), b.Members.Get("key")), compareTimes(query.Granularity, a.Members.Get("time"), b.Members.Get("time")))
	})
	order := query.Sort
	if order == "" && query.GroupByTime == "" {
		order = "-value"
	}
	query.sort(found, order, others)
}

// Sort keeps the first groups in the order of the query (R-AGG-5). It counts the records in the other groups. found
// must have all groups that were kept.
func (t *Tally) Sort(found *answer.Groups) { t.query.sort(found, t.query.Sort, t.groups.others) }

// sort keeps the groups of the page in an order: key, -key, value or -value. An empty order keeps the groups in the
// given order. Groups by time alone must be given in the order of time. Ties are in the order of keys. Null is last in
// either direction (R-AGG-5).
func (q Query) sort(found *answer.Groups, order string, others int64) {
	type ordered struct {
		answer.Group
		position int
	}
	all := make([]ordered, len(found.Groups))
	for i, group := range found.Groups {
		all[i] = ordered{group, i}
	}
	byKey := func(a, b ordered, isDescending bool) int {
		x, y, position := a.Members.Get("key"), b.Members.Get("key"), cmp.Compare(a.position, b.position)
		if isDescending {
			position = -position
		}
		if q.GroupBy == "" && !isNull(x) && !isNull(y) {
			return position
		}
		return cmp.Or(directed(x, y, isDescending), position)
	}
	by, isDescending := strings.CutPrefix(order, "-")
	switch by {
	case "value":
		slices.SortStableFunc(all, func(a, b ordered) int {
			return cmp.Or(directed(valueOf(a.Members), valueOf(b.Members), isDescending), byKey(a, b, false))
		})
	case "key":
		slices.SortStableFunc(all, func(a, b ordered) int { return byKey(a, b, isDescending) })
	}
	for i, each := range all {
		if found.Groups[i] = each.Group; i < q.Skip || i-q.Skip >= q.Limit {
			others += each.Count()
		}
	}
	found.Members = append(found.Members.Without(wire.Limit, "other_count"), rawjson.Int(wire.Limit, int64(q.Limit)), rawjson.Int("other_count", others))
	if q.Sort != "" {
		found.Members = append(found.Members, rawjson.String(wire.Sort, q.Sort))
	}
	found.Skipped = min(q.Skip, len(found.Groups))
	found.Groups = found.Groups[found.Skipped:]
	found.Keep(q.Limit)
}

// valueOf returns the value of a group, or its count.
func valueOf(group rawjson.Object) rawjson.Value {
	if value := group.Get("value"); value != nil {
		return value
	}
	return group.Get(wire.Count)
}

// compareTimes compares two keys of time groups. Weekdays begin with Monday.
func compareTimes(granularity string, a, b rawjson.Value) int {
	if granularity != weekday {
		return compareKeys(a, b)
	}
	number := func(key rawjson.Value) int {
		day := 0
		for day < 7 && rawjson.TextOf(key) != time.Weekday((day+1)%7).String() {
			day++
		}
		return day // 7 for records without a time
	}
	return cmp.Compare(number(a), number(b))
}

func isNull(value rawjson.Value) bool { return rawjson.Kind(value) == rawjson.Null }

// directed compares two values in a direction, null last in both.
func directed(a, b rawjson.Value, isDescending bool) int {
	if isDescending && !isNull(a) && !isNull(b) {
		a, b = b, a
	}
	return compareKeys(a, b)
}

// compareKeys compares values of one field, null last.
func compareKeys(a, b rawjson.Value) int {
	if isNull(a) != isNull(b) {
		if isNull(a) {
			return 1
		}
		return -1
	}
	return cmp.Or(scalar.Of(a).Compare(scalar.Of(b)), bytes.Compare(a, b))
}
