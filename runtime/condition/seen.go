package condition

import (
	"sync"

	"github.com/pdppmcp/pdpp-mcp/runtime/nearname"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
)

// Bounds of the values that are kept for a condition without a match.
const (
	maxSeen   = 1_000 // values that are searched for a near miss
	maxShown  = 10
	maxLength = 80 // bytes of a value
)

// seenValues keeps distinct values that an exact condition did not match. It is safe for concurrent use.
type seenValues struct {
	mu     sync.Mutex
	values map[string]struct{}
	order  []string
}

func (s *seenValues) add(text []byte) {
	if len(text) > maxLength {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, known := s.values[string(text)]; known || len(s.values) == maxSeen {
		return
	}
	if s.values == nil {
		s.values = map[string]struct{}{}
	}
	value := string(text)
	s.values[value] = struct{}{}
	s.order = append(s.order, value)
}

// Unmatched returns the exact conditions of the filter with the values that their fields have instead (R-SCAN-9). It is meant for a
// filter that matched no record.
func (f *Filter) Unmatched() []rs.Unmatched {
	var all []rs.Unmatched
	for _, field := range f.fields {
		for _, compared := range field.comparisons {
			if seen := compared.seen.order; compared.Operator == "" && len(seen) > 0 {
				all = append(all, rs.Unmatched{
					Field: field.name, Value: compared.Value, Seen: seen[:min(len(seen), maxShown)], Near: nearname.Nearest(compared.Value, seen),
				})
			}
		}
	}
	return all
}

// NotATime returns a condition that compares a field of times with something else, and so matches nothing, or nil.
func (f *Filter) NotATime() *rs.Condition {
	for _, field := range f.fields {
		for _, compared := range field.comparisons {
			if !compared.isMoment && !compared.isPeriod && compared.times.Load() && !compared.others.Load() {
				return &compared.Condition
			}
		}
	}
	return nil
}
