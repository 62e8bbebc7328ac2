package operation

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/render"
	"github.com/pdppmcp/pdpp-mcp/runtime/schemadoc"
)

// describeSearch names the modes that look at some field; the flags say at which.
func (r *row) describeSearch() string {
	looks := func(f schemadoc.Field, mode string) bool { return f.Has(mode[:len("lex")]) } // or sem
	modes := r.occurring(looks, "lexical", "semantic")
	switch {
	case r.hollow:
		return "lexical, semantic, hybrid"
	case len(modes) == 0:
		return "no field"
	}
	return strings.Join(append(modes, "hybrid"), ", ")
}

// describeAggregates names the metrics and groupings that take some field; the flags say which.
func (r *row) describeAggregates() string {
	if r.hollow {
		return "count; other metrics and groupings as fields allow"
	}
	takes := func(f schemadoc.Field, metric string) bool { return slices.Contains(f.Values("a"), metric) }
	return strings.Join(append([]string{"count"}, r.occurring(takes, "sum", "min", "max", "count_distinct", "group_by", "group_by_time")...), ", ")
}

// occurring are those words that hold for some field.
func (r *row) occurring(holds func(schemadoc.Field, string) bool, words ...string) []string {
	return slices.DeleteFunc(words, func(word string) bool {
		return !slices.ContainsFunc(r.fields, func(f schemadoc.Field) bool { return holds(f, word) })
	})
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
