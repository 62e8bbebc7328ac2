package fanout

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/scalar"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// Limit is what a grant allows of a stream. The zero value allows everything.
type Limit struct {
	Fields       []string  // empty: all
	Records      []string  // ids; empty: all
	TimeField    string    // the field that Since and Until bound; may be empty
	Since, Until time.Time // zero: no bound; Until is exclusive
}

// limit returns what the grant allows of a stream, as far as it is known.
func (s *Source) limit(stream string) Limit {
	if limit, isNamed := s.Limits[stream]; isNamed {
		return limit
	}
	return s.Limits[tool.EveryStream]
}

// lacks returns those of the fields that the limit excludes.
func (l Limit) lacks(fields []string) []string {
	return keep(fields, func(name string) bool { return len(l.Fields) > 0 && !slices.Contains(l.Fields, name) })
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

// need is what a request reads of a stream.
type need struct {
	stream     string
	fields     []string // that the request names
	isWhole    bool     // it reads all fields
	conditions rs.Filter
}

func needOf(request rs.Request, stream string) need {
	wanted := need{stream: stream, isWhole: true}
	if one, isOne := request.Sources.(rs.OneSource); isOne {
		wanted.conditions = one.Filter
	}
	for _, each := range wanted.conditions {
		if each.Field != rs.AnyTime {
			wanted.fields = append(wanted.fields, each.Field)
		}
	}
	for _, each := range request.Query.Parameters() {
		switch each.Name {
		case "fields", "field":
			wanted.fields, wanted.isWhole = append(wanted.fields, strings.Split(each.Value, ",")...), false
		case "group_by", "group_by_time":
			wanted.fields = append(wanted.fields, each.Value)
		case "sort":
			wanted.fields = append(wanted.fields, strings.TrimPrefix(each.Value, "-"))
		}
	}
	wanted.isWhole = wanted.isWhole && request.Path.Route().Template != rs.AggregateRoute
	return wanted
}

// span returns the time range that the conditions select.
func (n need) span(field string) (since, until time.Time) {
	for _, each := range n.conditions {
		at, isTime := scalar.Period([]byte(each.Value))
		if !isTime || each.Field != field && each.Field != rs.AnyTime {
			continue
		}
		if each.Operator != "lt" && each.Operator != "lte" && at.After(since) {
			since = at
		}
		if each.Operator == "lte" || each.Operator == "" {
			at = at.Add(1) // the next instant
		}
		if each.Operator != "gt" && each.Operator != "gte" && (until.IsZero() || at.Before(until)) {
			until = at
		}
	}
	return since, until
}

// excess returns whether the need begins before the limit, and whether it ends after it.
func (n need) excess(l Limit) (isBefore, isAfter bool) {
	since, until := n.span(l.TimeField)
	return !l.Since.IsZero() && since.Before(l.Since), !l.Until.IsZero() && (until.IsZero() || until.After(l.Until))
}

// compare orders limits by how much of the need they cover, the best first.
func (n need) compare(a, b Limit) int {
	uncovered := func(l Limit) int {
		if isBefore, isAfter := n.excess(l); isBefore || isAfter || l.Records != nil {
			return 1
		}
		return 0
	}
	width, breadth := cmp.Compare(b.width(), a.width()), cmp.Compare(b.breadth(), a.breadth())
	order := cmp.Or(cmp.Compare(len(a.lacks(n.fields)), len(b.lacks(n.fields))), cmp.Compare(uncovered(a), uncovered(b)))
	if uncovered(a) == 0 {
		return cmp.Or(order, breadth, width)
	}
	return cmp.Or(order, cmp.Compare(min(len(a.Records), 1), min(len(b.Records), 1)), width, breadth)
}

// best returns the source whose grant covers most of a request, and the first of equals.
func best(candidates []*Source, wanted need) *Source {
	return slices.MinFunc(candidates, func(a, b *Source) int { return wanted.compare(a.limit(wanted.stream), b.limit(wanted.stream)) })
}

// leftOut returns what the need asks for that one limit excludes and the other allows.
func (n need) leftOut(used, other Limit) (parts []string) {
	isBefore, isAfter := n.excess(used)
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
	missing := used.lacks(n.fields)
	if n.isWhole {
		missing = used.lacks(other.Fields)
	}
	switch missing = missing[:len(missing)-len(other.lacks(missing))]; {
	case len(missing) > 0:
		parts = append(parts, "the fields "+tool.Shorten(strings.Join(missing, ", "), 4*tool.LabelCharacters))
	case n.isWhole && len(used.Fields) > 0 && len(other.Fields) == 0:
		parts = append(parts, "all fields")
	}
	return parts
}

// overlaps returns a warning for each grant that has more of the need than the grant that was used.
func (r *Reader) overlaps(used *Source, wanted need) (warnings []rawjson.Value) {
	for _, other := range r.shared[used.ConnectionID] {
		if other == used || !other.grants(wanted.stream) {
			continue
		}
		parts := wanted.leftOut(used.limit(wanted.stream), other.limit(wanted.stream))
		if parts == nil {
			continue
		}
		next := "ask for its fields, or within its time range, to read it"
		message := fmt.Sprintf("%s is read with the grant %s of the source %s; the grant %s also has %s; %s",
			rawjson.Quote(wanted.stream), used.GrantID, used.name(), other.GrantID, strings.Join(parts, " and "), next)
		warnings = append(warnings, append(warning(WarnOverlap, message), other.identity()...).Encode())
	}
	return warnings
}
