package tally

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/scalar"
)

// Joined returns an aggregation of groups that were counted in several sources, in the order of the query. By default the largest group
// is first; groups by time begin with the earliest. others is the number of records in all other groups.
func Joined(query Query, body rawjson.Object, groups []rawjson.Value, others int64) rawjson.Object {
	slices.SortFunc(groups, func(x, y rawjson.Value) int {
		a, _ := rawjson.ParseObject(x)
		b, _ := rawjson.ParseObject(y)
		if query.GroupBy == "" {
			return compareTimes(query.Granularity, a.Get("key"), b.Get("key"))
		}
		return cmp.Or(compareKeys(a.Get("key"), b.Get("key")), compareTimes(query.Granularity, a.Get("time"), b.Get("time")))
	})
	order := query.Sort
	if order == "" && query.GroupByTime == "" {
		order = "-value"
	}
	return query.withGroups(body, groups, order, others)
}

// Sorted returns an aggregation with the first groups in the order of the query (R-AGG-5). It counts the records in the other groups.
// groups must hold all groups that were kept.
func (t *Tally) Sorted(body rawjson.Object, groups []rawjson.Value) rawjson.Object {
	return t.query.withGroups(body, groups, t.query.Sort, t.groups.others)
}

// withGroups adds the first groups in an order: key, -key, value or -value. An empty order keeps the groups in the given order. Groups by
// time alone must be given in the order of time. Ties are in the order of keys. Null is last in either direction (R-AGG-5).
func (q Query) withGroups(body rawjson.Object, groups []rawjson.Value, order string, others int64) rawjson.Object {
	type ordered struct {
		rawjson.Object
		group    rawjson.Value
		position int
	}
	all := make([]ordered, len(groups))
	for i, group := range groups {
		members, _ := rawjson.ParseObject(group)
		all[i] = ordered{members, group, i}
	}
	byKey := func(a, b ordered, isDescending bool) int {
		x, y, position := a.Get("key"), b.Get("key"), cmp.Compare(a.position, b.position)
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
			return cmp.Or(directed(valueOf(a.Object), valueOf(b.Object), isDescending), byKey(a, b, false))
		})
	case "key":
		slices.SortStableFunc(all, func(a, b ordered) int { return byKey(a, b, isDescending) })
	}
	kept := []rawjson.Value{}
	for i, each := range all {
		if i < q.Limit {
			kept = append(kept, each.group)
			continue
		}
		count, _ := each.Int("count")
		others += count
	}
	body = append(body.Without("groups", "limit", "other_count"),
		rawjson.Raw("groups", rawjson.Array(kept)), rawjson.Int("limit", int64(q.Limit)), rawjson.Int("other_count", others))
	if q.Sort != "" {
		body = append(body, rawjson.String("sort", q.Sort))
	}
	return body
}

// valueOf returns the value of a group, or its count.
func valueOf(group rawjson.Object) rawjson.Value {
	if value := group.Get("value"); value != nil {
		return value
	}
	return group.Get("count")
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
