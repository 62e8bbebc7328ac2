package fanout

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/granted"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// limit returns what the grant allows of a stream, as far as it is known.
func (s *Source) limit(stream string) granted.Limit {
	if limit, isNamed := s.Limits[stream]; isNamed {
		return limit
	}
	return s.Limits[tool.EveryStream]
}

// best returns the source whose grant covers most of a request, and the first of equals.
func best(candidates []*Source, wanted granted.Need) *Source {
	return slices.MinFunc(candidates, func(a, b *Source) int { return wanted.Compare(a.limit(wanted.Stream), b.limit(wanted.Stream)) })
}

// leftOut returns what a need asks for that one limit excludes and the other allows.
func leftOut(n granted.Need, used, other granted.Limit) (parts []string) {
	isBefore, isAfter := n.Excess(used)
	switch {
	case used.Records != nil && other.Records == nil:
		parts = append(parts, "other records")
	case other.Records != nil:
		isBefore, isAfter = false, false
	}
	if isBefore && (other.Since.IsZero() || other.Since.Before(used.Since)) {
		parts = append(parts, "records before "+used.Since.UTC().Format(time.RFC3339))
	}
	if isAfter && (other.Until.IsZero() || other.Until.After(used.Until)) {
		parts = append(parts, "records from "+used.Until.UTC().Format(time.RFC3339)+" on")
	}
	missing := used.Lacks(n.Fields)
	if n.IsWhole {
		missing = used.Lacks(other.Fields)
	}
	switch missing = missing[:len(missing)-len(other.Lacks(missing))]; {
	case len(missing) > 0:
		parts = append(parts, "the fields "+tool.Shorten(strings.Join(missing, ", "), 4*tool.LabelCharacters))
	case n.IsWhole && len(used.Fields) > 0 && len(other.Fields) == 0:
		parts = append(parts, "all fields")
	}
	return parts
}

// overlaps returns a warning for each grant that has more of the need than the grant that was used.
func (r *Reader) overlaps(used *Source, wanted granted.Need) (warnings []rawjson.Value) {
	for _, other := range r.shared[used.ConnectionID] {
		if other == used || !other.grants(wanted.Stream) {
			continue
		}
		parts := leftOut(wanted, used.limit(wanted.Stream), other.limit(wanted.Stream))
		if parts == nil {
			continue
		}
		next := "ask for its fields, or within its time range, to read it"
		message := fmt.Sprintf("%s is read with the grant %s of the source %s; the grant %s also has %s; %s",
			rawjson.Quote(wanted.Stream), used.GrantID, used.name(), other.GrantID, strings.Join(parts, " and "), next)
		warnings = append(warnings, append(warning(WarnOverlap, message), other.identity()...).Encode())
	}
	return warnings
}
