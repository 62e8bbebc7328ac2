package tally

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
)

// ordered is a group with what it is ordered by.
type ordered struct {
	group     rawjson.Value
	members   rawjson.Object
	position  int // in the order of time
	isOfField bool
}

// Joined returns an aggregation with groups that were counted in several sources, in the order of a query. By default the largest group
// is first, and the earliest of groups by time. Others are records in groups that are not among them.
func Joined(query Query, body rawjson.Object, groups []rawjson.Value, others int64) rawjson.Object {
	order, byTime := query.Sort, query.GroupBy == ""
	if order == "" && query.GroupByTime == "" {
		order = "-value"
	}
	slices.SortFunc(groups, func(x, y rawjson.Value) int {
		a, _ := rawjson.ParseObject(x)
		b, _ := rawjson.ParseObject(y)
		if byTime {
			return compareTimes(query.Granularity, a.Get("key"), b.Get("key"))
		}
		return cmp.Or(compareKeys(a.Get("key"), b.Get("key")), compareTimes(query.Granularity, a.Get("time"), b.Get("time")))
	})
	kept, left := first(groups, order, query.Limit, byTime)
	body = append(body, rawjson.Raw("groups", rawjson.Array(kept)), rawjson.Int("limit", int64(query.Limit)), rawjson.Int("other_count", others+left))
	if query.Sort != "" {
		body = append(body, rawjson.String("sort", query.Sort))
	}
	return body
}

// compareTimes compares two keys of time groups. Weekdays begin with Monday.
func compareTimes(granularity string, a, b rawjson.Value) int {
	if granularity != weekday {
		return compareKeys(a, b)
	}
	number := func(key rawjson.Value) int {
		for day := range 7 {
			if rawjson.TextOf(key) == time.Weekday((day+1)%7).String() {
				return day
			}
		}
		return 7 // records without a time
	}
	return cmp.Compare(number(a), number(b))
}

// first returns the first groups of an aggregation in an order (key, -key, value or -value), and the number of records in the other
// groups. An empty order leaves the groups as they are. Groups by time alone must be in the order of time. Ties are in the order of
// keys, and null is last in either direction (R-AGG-5).
func first(groups []rawjson.Value, order string, limit int, byTime bool) (kept []rawjson.Value, others int64) {
	kept = []rawjson.Value{}
	all := make([]ordered, len(groups))
	for i, group := range groups {
		members, _ := rawjson.ParseObject(group)
		all[i] = ordered{group, members, i, !byTime}
	}
	if by, isDescending := strings.CutPrefix(order, "-"); by != "" {
		slices.SortStableFunc(all, func(a, b ordered) int {
			if by == "value" {
				return cmp.Or(directed(a.figure(), b.figure(), isDescending), a.compareKey(b, false))
			}
			return a.compareKey(b, isDescending)
		})
	}
	for i, each := range all {
		if i < limit {
			kept = append(kept, each.group)
		} else {
			count, _ := each.members.Int("count")
			others += count
		}
	}
	return kept, others
}

// figure returns the value of a group, or its count.
func (o ordered) figure() rawjson.Value {
	if value := o.members.Get("value"); value != nil {
		return value
	}
	return o.members.Get("count")
}

func (o ordered) compareKey(other ordered, isDescending bool) int {
	a, b := o.members.Get("key"), other.members.Get("key")
	byPosition := cmp.Compare(o.position, other.position)
	if isDescending {
		byPosition = -byPosition
	}
	if o.isOfField || isNull(a) || isNull(b) {
		return cmp.Or(directed(a, b, isDescending), byPosition)
	}
	return byPosition
}

func isNull(value rawjson.Value) bool { return rawjson.Kind(value) == rawjson.Null }

// directed compares two values in a direction, null last in both.
func directed(a, b rawjson.Value, isDescending bool) int {
	if isDescending && !isNull(a) && !isNull(b) {
		return compareKeys(b, a)
	}
	return compareKeys(a, b)
}
