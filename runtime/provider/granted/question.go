package granted

import (
	"slices"
	"strings"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/answer"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
)

// Question is the part of the granted records that a call asks about.
type Question struct {
	Streams      []string // nil: all
	ConnectionID *string
	Conditions   rs.Filter // a time of any name is rs.AnyTime
	GrantIDs     []string  // the grants that answered; nil: all
	IsWhole      bool      // it asks for all fields
	ListsFields  bool      // the answer lists the granted fields
}

// Exceeded returns the limits that the question reaches past, in the order of the grants (R-CLAIM-1). Of several grants
// of a stream, the one that covers most of the question counts, because it is the one that is read.
func (q Question) Exceeded(all []Stream) (limits []answer.Limit) {
	for _, each := range all {
		if !each.ExcludesRecords() && !(q.IsWhole && len(each.Fields) > 0) || !q.isAnsweredBy(each) {
			continue
		}
		for _, stream := range q.streamsOf(each) {
			for _, connection := range each.connections() {
				if limit, isExceeded := q.exceeded(all, each, stream, connection); isExceeded && !slices.Contains(limits, limit) {
					limits = append(limits, limit)
				}
			}
		}
	}
	isOutside := len(limits) > 0 && q.isOutside(all)
	isOfSeveral := slices.ContainsFunc(limits, func(l answer.Limit) bool { return l.Stream != limits[0].Stream })
	for i := range limits {
		limits[i].IsOutside = isOutside
		// authorization servers list all fields of an unlimited stream (220)
		if q.ListsFields || isOfSeveral && limits[i].Lacking == "" {
			limits[i].FieldCount, limits[i].Fields = 0, ""
		}
	}
	return limits
}

// isOutside reports whether no grant covers any of the time range of the question.
func (q Question) isOutside(all []Stream) bool {
	return !slices.ContainsFunc(all, func(each Stream) bool {
		isAsked := q.ConnectionID == nil || len(each.Connections) == 0 || slices.Contains(each.Connections, *q.ConnectionID)
		return isAsked && q.isAnsweredBy(each) && slices.ContainsFunc(q.streamsOf(each), func(stream string) bool {
			return Need{Stream: stream, Conditions: q.Conditions}.isTouchedBy(each.Limit)
		})
	})
}

// Expires returns when the first grant of the question ends, or zero.
func (q Question) Expires(all []Stream) (first time.Time) {
	for _, each := range all {
		if !each.Expires.IsZero() && q.isAnsweredBy(each) && q.streamsOf(each) != nil && (first.IsZero() || each.Expires.Before(first)) {
			first = each.Expires.UTC()
		}
	}
	return first
}

// isAnsweredBy reports whether the grant of a stream answered.
func (q Question) isAnsweredBy(s Stream) bool {
	return q.GrantIDs == nil || slices.Contains(q.GrantIDs, s.GrantID)
}

// streamsOf returns the streams of the question that the grant covers.
func (q Question) streamsOf(s Stream) []string {
	switch {
	case q.Streams == nil || slices.Contains(q.Streams, s.Name):
		return []string{s.Name}
	case s.Name == EveryStream:
		return q.Streams
	}
	return nil
}

// connections returns the connections of the grant, or an empty name for unknown ones.
func (s Stream) connections() []string {
	if len(s.Connections) == 0 {
		return []string{""}
	}
	return s.Connections
}

// fieldsNamed is the maximum number of granted fields that a limit names.
const fieldsNamed = 12

// exceeded returns the limit of one grant of a stream and a connection. It returns false if the question stays within
// the limit, or if another grant covers more of the question.
func (q Question) exceeded(all []Stream, used Stream, stream, connection string) (answer.Limit, bool) {
	if q.ConnectionID != nil && connection != "" && connection != *q.ConnectionID {
		return answer.Limit{}, false
	}
	need := Need{Stream: stream, Conditions: q.Conditions}
	limit := answer.Limit{Stream: stream, Records: len(used.Records), FieldCount: len(used.Fields)}
	if len(used.Fields) <= fieldsNamed {
		limit.Fields = strings.Join(used.Fields, ", ")
	}
	if q.IsWhole {
		limit.Lacking = strings.Join(lackedBy(used, stream, all), ", ")
	}
	isElsewhere := false // another connection of the stream has another limit
	for _, other := range all {
		if !q.isAnsweredBy(other) || other.Name != stream && other.Name != EveryStream {
			continue
		}
		isSame := connection == "" || len(other.Connections) == 0 || slices.Contains(other.Connections, connection)
		if isSame && need.Compare(other.Limit, used.Limit) < 0 {
			return answer.Limit{}, false
		}
		isElsewhere = isElsewhere || !isSame && !other.coversAlike(used.Limit)
	}
	if isElsewhere && q.ConnectionID == nil {
		limit.ConnectionID = connection
	}
	isBefore, isAfter := need.Excess(used.Limit)
	if isBefore || isAfter {
		limit.Since, limit.Until = used.Since.UTC(), used.Until.UTC()
	}
	return limit, isBefore || isAfter || limit.Records > 0 || limit.Lacking != ""
}

// lackedBy returns the fields of a stream that a grant lacks and another one has. The list of one grant alone shows no limit, because
// authorization servers list all fields of an unlimited stream (220).
func lackedBy(used Stream, stream string, all []Stream) (lacking []string) {
	for _, other := range all {
		if other.Name == stream {
			lacking = append(lacking, used.Lacks(other.Fields)...)
		}
	}
	slices.Sort(lacking)
	return slices.Compact(lacking)
}
