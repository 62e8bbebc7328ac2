package operation

import (
	"slices"
	"strings"
	"unicode"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/render"
)

// declared is the flag of a field of which nothing else is known.
const declared = "declared"

// field is one field of a stream and what can be done with it.
type field struct {
	name  string
	flags string // of the compact view's grammar
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

// fieldsOf are a row's fields in the order of the document, from the compact or the full form. A row
// without capabilities has the fields of its JSON Schema.
func fieldsOf(members rawjson.Object) []field {
	var fields []field
	sent, _ := rawjson.ParseObject(members.Get("field_capabilities"))
	for _, capability := range firsts(sent) {
		flags, compact := rawjson.Text(capability.Value)
		if !compact {
			full, _ := rawjson.ParseObject(capability.Value)
			flags = flagsOf(full)
		}
		fields = append(fields, field{capability.Name, firstOf(flags, declared)})
	}
	if len(fields) > 0 {
		return fields
	}
	for _, property := range propertiesOf(members) {
		own, _ := rawjson.ParseObject(property.Value)
		fields = append(fields, field{property.Name, flagsOf(rawjson.Object{rawjson.Raw("schema", own.Encode())})})
	}
	return fields
}

// propertiesOf are the raw JSON Schemas of a full row's fields.
func propertiesOf(members rawjson.Object) rawjson.Object {
	schema, _ := rawjson.ParseObject(members.Get("schema"))
	properties, _ := rawjson.ParseObject(schema.Get("properties"))
	return firsts(properties)
}

// flagsOf writes a full capability as the compact view does.
func flagsOf(capability rawjson.Object) string {
	var flags []string
	schema, _ := rawjson.ParseObject(capability.Get("schema"))
	if types := typesOf(capability, schema); types != "" {
		flags = append(flags, "t="+types)
	}
	if role := firstOf(capability.Text("role"), schema.Text("x_pdpp_role")); role != "" {
		flags = append(flags, "role="+role)
	}
	if usable(capability, "exact_filter") {
		flags = append(flags, "eq")
	}
	if usable(capability, "range_filter") {
		flags = append(flags, "r="+strings.Join(rangeOperators(capability), "|"))
	}
	if usable(capability, "lexical_search") {
		flags = append(flags, "lex")
	}
	if usable(capability, "semantic_search") {
		flags = append(flags, "sem")
	}
	if metrics := metricsOf(capability); len(metrics) > 0 {
		flags = append(flags, "a="+strings.Join(metrics, "|"))
	}
	if string(capability.Get("granted")) == "false" {
		flags = append(flags, "g=false")
	}
	if len(flags) == 0 {
		return declared
	}
	return strings.Join(flags, ",")
}

// typesOf is the PDPP type when there is one, else the JSON types.
func typesOf(capability, schema rawjson.Object) string {
	if own := firstOf(capability.Text("type"), schema.Text("x_pdpp_type"), schema.Text("type")); own != "" {
		return own
	}
	var types []string
	elements, _ := rawjson.Elements(schema.Get("type"))
	for _, element := range elements {
		if name, ok := rawjson.Text(element); ok {
			types = append(types, name)
		}
	}
	return strings.Join(types, "|")
}

func usable(capability rawjson.Object, name string) bool {
	object, _ := rawjson.ParseObject(capability.Get(name))
	return object.True("usable")
}

// rangeOperators are the advertised operators; a server that names none has all of them.
func rangeOperators(capability rawjson.Object) []string {
	object, _ := rawjson.ParseObject(capability.Get("range_filter"))
	elements, _ := rawjson.Elements(object.Get("operators"))
	var operators []string
	for _, element := range elements {
		if operator, ok := rawjson.Text(element); ok {
			operators = append(operators, operator)
		}
	}
	if operators == nil {
		return []string{"gte", "gt", "lte", "lt"}
	}
	return operators
}

func metricsOf(capability rawjson.Object) []string {
	aggregation, _ := rawjson.ParseObject(capability.Get("aggregation"))
	var metrics []string
	for _, metric := range aggregation {
		if usable(aggregation, metric.Name) {
			metrics = append(metrics, metric.Name)
		}
	}
	slices.Sort(metrics)
	return metrics
}

// has tells whether a field carries a flag that has no value.
func (f field) has(flag string) bool { return slices.Contains(strings.Split(f.flags, ","), flag) }

// values are the values of a flag such as a=min|max.
func (f field) values(flag string) []string {
	for _, each := range strings.Split(f.flags, ",") {
		if value, found := strings.CutPrefix(each, flag+"="); found && value != "" {
			return strings.Split(value, "|")
		}
	}
	return nil
}

// advertised tells whether anything can be learnt from the flags of these fields. Some servers give
// client tokens only the names.
func advertised(fields []field) bool {
	return slices.ContainsFunc(fields, func(f field) bool {
		return f.has("eq") || f.has("lex") || f.has("sem") || f.values("r") != nil || f.values("a") != nil
	})
}

func firstOf(values ...string) string {
	for _, value := range values {
		if value != "" {
			return value
		}
	}
	return ""
}
