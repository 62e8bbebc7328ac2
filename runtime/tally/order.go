package tally

import (
	"cmp"
	"slices"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
)

// ordered is a group with what it is ordered by.
type ordered struct {
	group     rawjson.Value
	members   rawjson.Object
	position  int // in the order of the keys, of groups by time alone
	isOfField bool
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
	if o.isOfField || isNull(a) || isNull(b) {
		return cmp.Or(directed(a, b, isDescending), directed(o.members.Get("time"), other.members.Get("time"), isDescending))
	}
	if isDescending {
		return cmp.Compare(other.position, o.position)
	}
	return cmp.Compare(o.position, other.position)
}

func isNull(value rawjson.Value) bool { return rawjson.Kind(value) == rawjson.Null }

// directed compares two values in a direction, null last in both.
func directed(a, b rawjson.Value, isDescending bool) int {
	if isDescending && !isNull(a) && !isNull(b) {
		return compareKeys(b, a)
	}
	return compareKeys(a, b)
}
