package operation

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/render"
	"github.com/pdppmcp/pdpp-mcp/runtime/schemadoc"
)

// metrics and groupings are the values of flag a= (rs-contract.md, Schema) in the order in which they are explained.
var (
	metrics   = []string{"min", "max", "sum", "count_distinct"}
	groupings = []string{"group_by", "group_by_time"}
)

// What holds for every stream.
const (
	projectionMeaning = "any of the fields"
	countMeaning      = "none, estimated or exact"
	sortMeaning       = `cursor_field f implies sort "f" or "-f"`
	likeMeaning       = "the fields and flags are those of this connector's row above"
)

// unadvertised stands at rows whose fields have no capabilities. Some servers give client tokens only the
// names: the capabilities are unknown then, not absent.
const unadvertised = "capabilities are not advertised to this token: try filter, sort, search and aggregate all the same; " +
	"what cannot be answered is refused"

// flagLegend explains the flags that occur among the fields that are shown, each once (R-SCH-5, R-SCH-10). It is empty when none
// does but declared, which is explained where the row is shown as hollow.
func (d *detail) flagLegend(shown portion) string {
	occurring := map[string]bool{}
	for _, r := range d.rows[:min(len(d.rows), shown.rows)] {
		for _, f := range r.fields[:min(len(r.fields), shown.fields)] {
			for flag := range strings.SplitSeq(f.Flags, ",") {
				name, _, _ := strings.Cut(flag, "=")
				occurring[name] = true
			}
			for _, use := range f.Values("a") {
				occurring["a="+use] = true
			}
			occurring[schemadoc.Declared] = occurring[schemadoc.Declared] || f.Flags == schemadoc.Declared && !r.hollow
		}
	}
	var parts []string
	explain := func(meaning string, flags ...string) {
		names := slices.DeleteFunc(slices.Clone(flags), func(flag string) bool { return !occurring[flag] })
		if len(names) > 0 {
			parts = append(parts, fmt.Sprintf(meaning, strings.Join(names, ", ")))
		}
	}
	explain("%s=type", "t")
	explain("%s=meaning", "role")
	explain(`%s: filter {"field":value}`, "eq")
	explain(`%s=operators: filter {"field":{"gte":value}}`, "r")
	switch {
	case occurring["lex"] && occurring["sem"]:
		parts = append(parts, "lex, sem: searched in mode lexical, semantic")
	default:
		explain("%s: searched in mode lexical", "lex")
		explain("%s: searched in mode semantic", "sem")
	}
	if occurring["a"] {
		parts = append(parts, "a: aggregate takes it as "+occurringUses(occurring))
	}
	explain("%s=false: not granted", "g")
	if occurring[schemadoc.Declared] && !d.allHollow() {
		parts = append(parts, "declared: the field exists and its capabilities are not advertised")
	}
	return strings.Join(parts, "; ")
}

// occurringUses are the metrics and groupings that occur: field of min, max, as group_by.
func occurringUses(occurring map[string]bool) string {
	only := func(uses []string) []string {
		return slices.DeleteFunc(slices.Clone(uses), func(use string) bool { return !occurring["a="+use] })
	}
	uses := strings.Join(only(groupings), " or ")
	if of := only(metrics); len(of) > 0 && uses != "" {
		return "field of " + strings.Join(of, ", ") + ", as " + uses
	} else if len(of) > 0 {
		return "field of " + strings.Join(of, ", ")
	}
	return uses
}

func (d *detail) allHollow() bool {
	return !slices.ContainsFunc(d.rows, func(r *row) bool { return !r.hollow })
}

// legend explains the structured document (R-BUD-1); flags says whether fields are shown by their flags.
func (d *detail) legend(shown portion, flags bool) rawjson.Value {
	legend := rawjson.Object{}
	explain := func(name, meaning string, occurs bool) {
		if occurs && meaning != "" {
			legend = append(legend, rawjson.String(name, meaning))
		}
	}
	any := func(is func(*row) bool) bool { return slices.ContainsFunc(d.rows, is) }
	explain("field_capabilities", d.flagLegend(shown), flags)
	explain("sort", sortMeaning, any(func(r *row) bool { return r.members.Text("cursor_field") != "" }))
	explain("declared", unadvertised, any(func(r *row) bool { return r.hollow }))
	explain("field_capabilities_like", likeMeaning, flags && any(func(r *row) bool { return r.like != nil }))
	return legend.Encode()
}

// flagsCharacters bounds the flags of one field.
const flagsCharacters = 200

// shownFlags are flags as they are, or as a JSON string when they hold what no flag does.
func shownFlags(flags string) string {
	odd := func(r rune) bool {
		return !(strings.ContainsRune("=,|_-./:", r) || unicode.IsLetter(r) || unicode.IsDigit(r))
	}
	if strings.ContainsFunc(flags, odd) {
		return render.Quoted(flags)
	}
	return flags
}
