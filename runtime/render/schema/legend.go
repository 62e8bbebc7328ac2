package schema

import (
	"slices"
	"strings"
	"unicode"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/wire"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/schemadoc"
	"github.com/pdppmcp/pdpp-mcp/runtime/render"
)

// Flags without a value, and the operators of a range (docs/provider-contract.md, Schema).
var (
	bareFlags = []string{"eq", "lex", "sem", "r", schemadoc.Declared}
	operators = []string{"gte", "gt", "lte", "lt"}
)

// flagsCharacters is the maximum length of the flags of one field.
const flagsCharacters = 200

// unadvertised explains fields without capabilities. Some servers show client tokens only the names, so the
// capabilities are unknown.
const unadvertised = "capabilities are not advertised: try filter, sort, search and aggregate; " +
	"what cannot be answered is refused"

// flagLegend explains each flag of the shown fields once (R-SCH-5, R-SCH-10). write returns the flags of a field as the
// channel shows them. It does not explain rows without capabilities.
func (d *detail) flagLegend(shown portion, write func(flags string) string) string {
	occurs := map[string]bool{} // by the name of the flag, or by name= if it has a value
	for _, r := range d.rows[:shown.rows] {
		for _, f := range r.shownFields(shown.fields) {
			for flag := range strings.SplitSeq(write(f.Flags), ",") {
				if name, _, hasValue := strings.Cut(flag, "="); hasValue {
					occurs[name+"="] = true
				} else if name != schemadoc.Declared || !r.isBare {
					occurs[name] = true
				}
			}
		}
	}
	var parts []string
	explain := func(flag, meaning string) {
		if occurs[flag] || occurs[flag+"="] {
			parts = append(parts, flag+meaning)
		}
	}
	explain("t", "=type")
	explain("eq", `: filter {"field":value}`)
	const template = `filter {"field":{"gte":value}}`
	switch {
	case !occurs["r"]:
		explain("r", "=operators: "+template)
	case occurs["r="]:
		explain("r", ": "+template+", also gt, lte, lt, or what r= lists")
	default:
		explain("r", ": "+template+", also gt, lte, lt")
	}
	if occurs["lex"] && occurs["sem"] {
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

// textFlags returns flags in the form of the text. The type is first and has no name. The flag r lists no operators if
// it has all of them.
func textFlags(flags string) string {
	written := strings.Split(flags, ",")
	for i, flag := range written {
		switch name, value, _ := strings.Cut(flag, "="); {
		case i == 0 && name == "t" && (strings.Contains(value, "=") || slices.Contains(bareFlags, value)):
			written[i] = render.Quoted(value) // otherwise it reads like a flag
		case i == 0 && name == "t":
			written[i] = value
		case name == "r" && slices.Equal(slices.Sorted(strings.SplitSeq(value, "|")), slices.Sorted(slices.Values(operators))):
			written[i] = "r"
		}
	}
	return strings.Join(written, ",")
}

// quotedFlags returns flags as a JSON string if they hold characters that no flag has.
func quotedFlags(flags string) string {
	isOdd := func(r rune) bool {
		return !(strings.ContainsRune("=,|_-./:", r) || unicode.IsLetter(r) || unicode.IsDigit(r))
	}
	if strings.ContainsFunc(flags, isOdd) {
		return render.Quoted(flags)
	}
	return flags
}

// legend explains the structured document (R-BUD-1).
func (d *detail) legend(shown portion) rawjson.Value {
	legend := rawjson.Object{}
	explain := func(name, meaning string, applies func(*row) bool) {
		if meaning != "" && slices.ContainsFunc(d.rows, applies) {
			legend = append(legend, rawjson.String(name, meaning))
		}
	}
	if d.IsFull && len(shown.dropped) == 0 {
		explain(capabilitiesName, "what is advertised; others may work too, and what cannot be answered is refused",
			func(r *row) bool { return !r.isBare })
	} else {
		structuredFlags := func(flags string) string { return flags }
		explain(capabilitiesName, d.flagLegend(shown, structuredFlags), func(*row) bool { return true })
	}
	hasCursor := func(r *row) bool { return r.Stream.Members.Text("cursor_field") != "" }
	sortsAny := func(r *row) bool { return r.sortsAny }
	switch implied := `cursor_field f implies sort "f" or "-f"`; {
	case slices.ContainsFunc(d.rows, hasCursor) && slices.ContainsFunc(d.rows, sortsAny):
		explain(wire.Sort, implied+"; any other field can sort, too", hasCursor)
	default:
		explain(wire.Sort, implied, hasCursor)
		explain(wire.Sort, "any field, - for descending", sortsAny)
	}
	explain("declared", unadvertised, func(r *row) bool { return r.isBare && r.Sample == nil })
	if i := slices.IndexFunc(d.rows, func(r *row) bool { return r.Sample != nil }); i >= 0 {
		legend = append(legend, rawjson.String(sampleName, legendOf(d.rows[i].Sample)+", not advertised; "+unadvertised))
	}
	explain("field_capabilities_like", "the fields and flags are those of this connector's row above", func(r *row) bool { return r.like != nil })
	return legend.Encode()
}
