package operation

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/render"
	"github.com/pdppmcp/pdpp-mcp/runtime/schemadoc"
)

// searchBesideFlags says what the flags of the fields do not: that no field is searched, or that none is known not to be.
func (r *row) searchBesideFlags() string {
	switch isSearched := func(f schemadoc.Field) bool { return f.Has("lex") || f.Has("sem") }; {
	case r.hollow:
		return "lexical, semantic, hybrid"
	case !slices.ContainsFunc(r.fields, isSearched):
		return "no field"
	}
	return ""
}

// aggregatesBesideFlags says what the flags of the fields do not: that aggregate takes none of them, or that it is not known.
func (r *row) aggregatesBesideFlags() string {
	switch isTaken := func(f schemadoc.Field) bool { return f.Values("a") != nil }; {
	case r.hollow:
		return "count; other metrics and groupings as fields allow"
	case !slices.ContainsFunc(r.fields, isTaken):
		return "count"
	}
	return ""
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
