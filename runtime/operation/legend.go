package operation

import (
	"slices"
	"strings"
	"unicode"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/render"
	"github.com/pdppmcp/pdpp-mcp/runtime/schemadoc"
)

// Flags that stand by themselves, and the values of r= that are all there are (rs-contract.md, Schema).
var (
	bareFlags = []string{"eq", "lex", "sem", "r", schemadoc.Declared}
	operators = []string{"gte", "gt", "lte", "lt"}
)

// What holds for every stream.
const (
	projectionMeaning = "any fields"
	countMeaning      = "none, estimated or exact"
	sortMeaning       = `cursor_field f implies sort "f" or "-f"`
	fullMeaning       = "what is advertised; others may work too, and what cannot be answered is refused"
	likeMeaning       = "the fields and flags are those of this connector's row above"
)

// unadvertised stands at rows whose fields have no capabilities. Some servers give client tokens only the
// names: the capabilities are unknown then, not absent.
const unadvertised = "capabilities are not advertised to this token: try filter, sort, search and aggregate anyway; " +
	"what cannot be answered is refused"

// flagLegend explains the flags that occur among the fields that are shown, each once (R-SCH-5, R-SCH-10), as written gives them. It is
// empty when none does but role, which is a word, and declared, which is explained where the row is shown as hollow.
func (d *detail) flagLegend(shown portion, written func(flags string) string) string {
	occurring := map[string]bool{}
	var ranges struct{ alone, listed bool } // whether r stands without operators, and with them
	for _, r := range d.rows[:shown.rows] {
		for _, f := range r.fields[:min(len(r.fields), shown.fields)] {
			for flag := range strings.SplitSeq(written(f.Flags), ",") {
				name, _, _ := strings.Cut(flag, "=")
				occurring[name] = occurring[name] || name != schemadoc.Declared || !r.hollow
				ranges.alone, ranges.listed = ranges.alone || flag == "r", ranges.listed || name == "r" && flag != name
			}
		}
	}
	var parts []string
	explain := func(flag, meaning string) {
		if occurring[flag] {
			parts = append(parts, flag+meaning)
		}
	}
	explain("t", "=type")
	explain("eq", `: filter {"field":value}`)
	explain("r", rangeMeaning(ranges.alone, ranges.listed))
	if occurring["lex"] && occurring["sem"] {
		parts = append(parts, "lex, sem: in search modes lexical, semantic, hybrid")
	} else {
		explain("lex", ": in search modes lexical, hybrid")
		explain("sem", ": in search modes semantic, hybrid")
	}
	explain("a", ": uses in aggregate")
	explain("g", "=false: not granted")
	explain(schemadoc.Declared, ": the field exists and its capabilities are not advertised")
	return strings.Join(parts, "; ")
}

// rangeMeaning explains r that stands alone, for all operators, or lists some.
func rangeMeaning(alone, listed bool) string {
	const template = `filter {"field":{"gte":value}}`
	switch {
	case !alone:
		return "=operators: " + template
	case listed:
		return ": " + template + ", also " + strings.Join(operators[1:], ", ") + ", or what r= lists"
	}
	return ": " + template + ", also " + strings.Join(operators[1:], ", ")
}

// textFlags are flags as a text writes them: the type first and without its name, and the range operators by their flag alone when
// they are all that there are.
func textFlags(flags string) string {
	written := strings.Split(flags, ",")
	for i, flag := range written {
		switch name, value, _ := strings.Cut(flag, "="); {
		case i == 0 && name == "t" && (strings.Contains(value, "=") || slices.Contains(bareFlags, value)):
			written[i] = render.Quoted(value) // or it would be read as a flag
		case i == 0 && name == "t":
			written[i] = value
		case name == "r" && sameWords(strings.Split(value, "|"), operators):
			written[i] = "r"
		}
	}
	return strings.Join(written, ",")
}

// asSent are flags as structured output has them.
func asSent(flags string) string { return flags }

func sameWords(a, b []string) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}

// legend explains the structured document (R-BUD-1). Exhaustive rows have flags in place of capabilities that were dropped.
func (d *detail) legend(shown portion) rawjson.Value {
	legend := rawjson.Object{}
	flags := !d.input.full() || slices.Contains(shown.dropped, capabilitiesName)
	explain := func(name, meaning string, occurs bool) {
		if occurs && meaning != "" {
			legend = append(legend, rawjson.String(name, meaning))
		}
	}
	any := func(is func(*row) bool) bool { return slices.ContainsFunc(d.rows, is) }
	explain(capabilitiesName, d.flagLegend(shown, asSent), flags)
	explain(capabilitiesName, fullMeaning, !flags && any(func(r *row) bool { return !r.hollow }))
	explain("sort", sortMeaning, any(func(r *row) bool { return r.members.Text("cursor_field") != "" }))
	explain("declared", unadvertised, any(func(r *row) bool { return r.hollow && r.sample == nil }))
	if i := slices.IndexFunc(d.rows, func(r *row) bool { return r.sample != nil }); i >= 0 {
		explain(seenName, d.rows[i].sample.legend()+", not advertised; "+unadvertised, true)
	}
	explain("field_capabilities_like", likeMeaning, any(func(r *row) bool { return r.like != nil }))
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
