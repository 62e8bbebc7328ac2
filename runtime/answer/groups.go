package answer

import (
	"bytes"
	"slices"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/wire"
)

// Groups is an aggregate: a number, or groups with their numbers.
type Groups struct {
	Origin
	Coverage
	Envelope     // of the aggregate, without its groups
	Call         Given
	Stream       string
	ConnectionID *string // of the call
	Groups       []Group
	IsGrouped    bool   // otherwise Envelope has the number
	IsCycle      bool   // the groups are weekdays or hours of the day, so no group follows the last one
	Known        int    // groups, including those that the answer leaves out; 0: unknown
	IsTied       bool   // the group after the last one has an equal value (R-CLAIM-7)
	Skipped      int    // groups before the first one, which earlier pages showed
	Places       Places // makes cursors after groups of the answer; nil if no cursor leads to the others

	RecordCalls []Call // that return the record with a minimum or maximum, if it is not named

	Connections int  // connections that are counted together; 0: one connection, or unknown
	IsRough     bool // of several connections: a count may be too low, and a group may be missing
}

// Group is one group of an aggregate.
type Group struct {
	Value   rawjson.Value  // as it was sent; nil: the adapter put the group together
	Members rawjson.Object // the key first
}

// MaxGroups is the maximum number of groups that a resource server returns.
const MaxGroups = 100

// GroupsByTime reports whether the groups are by time, alone or below another key.
func (g *Groups) GroupsByTime() bool { return g.Members.Text(wire.GroupByTime) != "" }

// IsTimeline reports whether the groups are by time alone, with the earliest first.
func (g *Groups) IsTimeline() bool {
	return g.GroupsByTime() && g.Members.Text(wire.GroupBy) == "" && !g.IsSorted() && !g.IsCycle
}

// IsByValue reports whether the groups are in the order of their values.
func (g *Groups) IsByValue() bool {
	if sort := g.Members.Text(wire.Sort); sort != "" {
		return strings.TrimPrefix(sort, "-") == "value"
	}
	return g.IsGrouped && !g.GroupsByTime()
}

// IsLast reports whether no groups are known to follow those of the answer.
func (g *Groups) IsLast() bool {
	if g.Known > 0 {
		return g.Known <= g.Skipped+len(g.Groups)
	}
	return g.Others() <= 0
}

// Keep keeps the first groups, and notes whether the next one has an equal value.
func (g *Groups) Keep(first int) {
	if first < len(g.Groups) {
		g.IsTied = first > 0 && g.IsByValue() && g.Groups[first-1].equals(g.Groups[first])
		g.Groups = g.Groups[:first]
	}
}

// IsSorted reports whether all groups were ordered as the call asks.
func (g *Groups) IsSorted() bool { return g.Members.Text(wire.Sort) != "" }

// Others returns the number of records in groups that the resource server did not return.
func (g *Groups) Others() int64 {
	others, _ := g.Members.Int("other_count")
	return others
}

// Limit returns the resource server's limit of groups, or 0 if it does not say.
func (g *Groups) Limit() int {
	limit, _ := g.Members.Int(wire.Limit)
	return int(max(0, min(limit, MaxGroups)))
}

// IsCut reports whether there may be more groups than the resource server sent.
func (g *Groups) IsCut() bool {
	isFull := g.Limit() > 0 && len(g.Groups) >= g.Limit()
	return g.Others() > 0 || isFull && g.Members.Get("other_count") == nil
}

// IsJoined reports whether the figures may be of several connections. The resource server then sends no other_count
// (787c).
func (g *Groups) IsJoined() bool {
	return g.ConnectionID == nil && !slices.Contains(g.Members.Names(), "other_count")
}

// Key returns the key of the group as JSON.
func (g Group) Key() rawjson.Value {
	if key := g.Members.Get("key"); key != nil {
		return key
	}
	return rawjson.Value("null")
}

// equals reports whether two groups have the same value, which is their count if they have no other.
func (g Group) equals(other Group) bool {
	value := g.Members.Get("value")
	return bytes.Equal(value, other.Members.Get("value")) && (value != nil || g.Count() == other.Count())
}

// Count returns the number of records in the group, or 0 if it is unknown.
func (g Group) Count() int64 {
	count, _ := g.Members.Int(wire.Count)
	return count
}
