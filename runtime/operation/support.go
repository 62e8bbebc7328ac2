package operation

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/render"
	"github.com/pdppmcp/pdpp-mcp/runtime/schemadoc"
)

// countFields gives how many fields there are of a kind.
func (r *row) countFields(wanted func(schemadoc.Field) bool) string {
	count := 0
	for _, f := range r.fields {
		if wanted(f) {
			count++
		}
	}
	if count == 1 {
		return "1 field"
	}
	return fmt.Sprintf("%d fields", count)
}

// describeSearch counts the fields of each mode; the flags name them.
func (r *row) describeSearch() string {
	if r.hollow {
		return "modes lexical, semantic and hybrid; the fields that they look at are not advertised"
	}
	return fmt.Sprintf("mode lexical looks at %s flagged lex, semantic at %s flagged sem, hybrid at both",
		r.countFields(func(f schemadoc.Field) bool { return f.Has("lex") }), r.countFields(func(f schemadoc.Field) bool { return f.Has("sem") }))
}

// describeAggregates counts the fields of each metric and grouping.
func (r *row) describeAggregates() string {
	if r.hollow {
		return "; the fields that other metrics and groupings take are not advertised"
	}
	out := ""
	for _, metric := range []string{"sum", "min", "max", "count_distinct", "group_by", "group_by_time"} {
		takes := func(f schemadoc.Field) bool {
			return slices.Contains(f.Values("a"), metric)
		}
		if shown := r.countFields(takes); shown != "0 fields" {
			out += "; " + metric + " of " + shown
		}
	}
	if out == "" {
		return ""
	}
	return out + " (flag a=)"
}

// relationText is a relation in text, with what is known of it.
func relationText(relation schemadoc.Relation) string {
	var details []string
	if cardinality := relation.Members.Text("cardinality"); cardinality != "" {
		details = append(details, render.ListedName(render.Clip(cardinality, labelCharacters)))
	}
	for _, name := range []string{"default_limit", "max_limit"} {
		if limit, ok := relation.Members.Int(name); ok {
			details = append(details, fmt.Sprintf("%s %d", name, limit))
		}
	}
	if !relation.Usable() {
		details = append(details, "not usable with this grant")
	}
	name := render.ListedName(render.Clip(relation.Name, labelCharacters))
	if len(details) == 0 {
		return name
	}
	return name + " (" + strings.Join(details, ", ") + ")"
}
