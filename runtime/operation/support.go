package operation

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/render"
)

// countFields tells how many fields there are of a kind.
func (r *row) countFields(wanted func(field) bool) string {
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
		r.countFields(func(f field) bool { return f.has("lex") }), r.countFields(func(f field) bool { return f.has("sem") }))
}

// describeAggregates counts the fields of each metric and grouping.
func (r *row) describeAggregates() string {
	out := ""
	for _, metric := range []string{"sum", "min", "max", "count_distinct", "group_by", "group_by_time"} {
		takes := func(f field) bool {
			return slices.Contains(f.values("a"), metric)
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

// relation is one relation that expand takes.
type relation struct {
	members rawjson.Object
	text    string
}

// relationsOf are a row's expand_capabilities, or nil when the server sent no list of them. A relation
// that is a bare string has only a name.
func relationsOf(members rawjson.Object) []relation {
	elements, ok := rawjson.Elements(members.Get("expand_capabilities"))
	if !ok {
		return nil
	}
	relations := []relation{}
	for _, element := range elements {
		object, _ := rawjson.ParseObject(element)
		if name, bare := rawjson.Text(element); bare {
			object = rawjson.Object{rawjson.String("name", name)}
		}
		if name := object.Text("name"); name != "" {
			relations = append(relations, relation{object, render.ListedName(clip(name, labelCharacters)) + relationDetails(object)})
		}
	}
	return relations
}

func relationDetails(relation rawjson.Object) string {
	var details []string
	if cardinality := relation.Text("cardinality"); cardinality != "" {
		details = append(details, render.ListedName(clip(cardinality, labelCharacters)))
	}
	for _, name := range []string{"default_limit", "max_limit"} {
		if limit, ok := relation.Int(name); ok {
			details = append(details, fmt.Sprintf("%s %d", name, limit))
		}
	}
	if string(relation.Get("usable")) == "false" || string(relation.Get("granted")) == "false" {
		details = append(details, "not usable with this grant")
	}
	if len(details) == 0 {
		return ""
	}
	return " (" + strings.Join(details, ", ") + ")"
}
