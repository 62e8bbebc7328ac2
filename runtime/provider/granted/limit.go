// Package granted compares what a call asks for with what its grants allow, as far as that is known: from the owner's
// approval, or from introspection (R-CLAIM-1, R-CLAIM-2).
package granted

import (
	"math"
	"slices"
	"time"
)

// EveryStream is the name for all streams of a source.
const EveryStream = "*"

// Stream is a stream with the limit of its grant.
type Stream struct {
	GrantID     string    // empty: unknown
	Name        string    // EveryStream: all
	Connections []string  // ids; empty: unknown
	Expires     time.Time // of the grant; zero: never, or unknown
	Limit
}

// Limit restricts the access to a stream. The zero value allows everything.
type Limit struct {
	Fields       []string  // empty: all
	Records      []string  // ids; empty: all
	TimeField    string    // the field that Since and Until bound; may be empty
	Since, Until time.Time // zero: no bound; Until is exclusive
}

// Lacks returns those of the fields that the limit excludes.
func (l Limit) Lacks(fields []string) (lacking []string) {
	for _, name := range fields {
		if len(l.Fields) > 0 && !slices.Contains(l.Fields, name) {
			lacking = append(lacking, name)
		}
	}
	return lacking
}

// ExcludesRecords reports whether the limit allows only some records of the stream.
func (l Limit) ExcludesRecords() bool {
	return !l.Since.IsZero() || !l.Until.IsZero() || l.Records != nil
}

// Differing returns the streams with fields only where the grants of a stream differ or limit its records, since fields
// take the most memory. It returns nil if there is no limit.
func Differing(streams []Stream) []Stream {
	kept, isLimited := slices.Clone(streams), false
	for i, each := range streams {
		differs := slices.ContainsFunc(streams, func(other Stream) bool {
			return other.Name == each.Name && (each.Lacks(other.Fields) != nil || other.Lacks(each.Fields) != nil)
		})
		if !differs && !each.ExcludesRecords() {
			kept[i].Fields = nil
		}
		isLimited = isLimited || differs || each.ExcludesRecords()
	}
	if !isLimited {
		return nil
	}
	return kept
}

// coversAlike reports whether two limits allow the same fields and records of different connections.
func (l Limit) coversAlike(other Limit) bool {
	hasSameFields := len(l.Fields) == len(other.Fields) && l.Lacks(other.Fields) == nil
	return hasSameFields && l.Since.Equal(other.Since) && l.Until.Equal(other.Until) && l.Records == nil && other.Records == nil
}

// width returns a number that is larger for a longer time range.
func (l Limit) width() int64 {
	since, until := int64(math.MinInt64/2), int64(math.MaxInt64/2)
	if !l.Since.IsZero() {
		since = l.Since.Unix()
	}
	if !l.Until.IsZero() {
		until = l.Until.Unix()
	}
	return until - since
}

// breadth returns a number that is larger for more fields.
func (l Limit) breadth() int {
	if len(l.Fields) == 0 {
		return math.MaxInt
	}
	return len(l.Fields)
}
