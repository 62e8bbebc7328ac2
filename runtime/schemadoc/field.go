package schemadoc

import (
	"cmp"
	"slices"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
)

// Declared is the flag of a field of which nothing else is known.
const Declared = "declared"

// Field is one field of a stream and what can be done with it.
type Field struct {
	Name  string
	Flags string // of the compact view's grammar (rs-contract.md, Schema), whichever view was sent
}

// Fields are a row's fields in the order of the document, from the compact or the full form. A row without capabilities
// has the fields of its JSON Schema.
func Fields(row rawjson.Object) []Field {
	var fields []Field
	sent, _ := rawjson.ParseObject(row.Get("field_capabilities"))
	for _, capability := range sent {
		flags, compact := rawjson.Text(capability.Value)
		if !compact {
			full, _ := rawjson.ParseObject(capability.Value)
			flags = flagsOf(full)
		}
		fields = append(fields, Field{capability.Name, cmp.Or(flags, Declared)})
	}
	if len(fields) > 0 {
		return fields
	}
	for _, property := range Properties(row) {
		own, _ := rawjson.ParseObject(property.Value)
		fields = append(fields, Field{property.Name, flagsOf(rawjson.Object{rawjson.Raw("schema", own.Encode())})})
	}
	return fields
}

// Properties are the JSON Schemas of a full row's fields.
func Properties(row rawjson.Object) rawjson.Object {
	schema, _ := rawjson.ParseObject(row.Get("schema"))
	properties, _ := rawjson.ParseObject(schema.Get("properties"))
	return properties
}

// flagsOf writes a full capability as the compact view does.
func flagsOf(capability rawjson.Object) string {
	var flags []string
	schema, _ := rawjson.ParseObject(capability.Get("schema"))
	if types := typesOf(capability, schema); types != "" {
		flags = append(flags, "t="+types)
	}
	if role := cmp.Or(capability.Text("role"), schema.Text("x_pdpp_role")); role != "" {
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
		return Declared
	}
	return strings.Join(flags, ",")
}

// typesOf is the PDPP type when there is one, else the JSON types.
func typesOf(capability, schema rawjson.Object) string {
	if own := cmp.Or(capability.Text("type"), schema.Text("x_pdpp_type"), schema.Text("type")); own != "" {
		return own
	}
	return strings.Join(textsOf(schema.Get("type")), "|")
}

func usable(capability rawjson.Object, name string) bool {
	object, _ := rawjson.ParseObject(capability.Get(name))
	return object.True("usable")
}

// rangeOperators are the advertised operators; a server that names none has all of them.
func rangeOperators(capability rawjson.Object) []string {
	object, _ := rawjson.ParseObject(capability.Get("range_filter"))
	if operators := textsOf(object.Get("operators")); operators != nil {
		return operators
	}
	return []string{"gte", "gt", "lte", "lt"}
}

// textsOf are the strings of an array.
func textsOf(array rawjson.Value) []string {
	var texts []string
	elements, _ := rawjson.Elements(array)
	for _, element := range elements {
		if text, ok := rawjson.Text(element); ok {
			texts = append(texts, text)
		}
	}
	return texts
}

func metricsOf(capability rawjson.Object) []string {
	aggregation, _ := rawjson.ParseObject(capability.Get("aggregation"))
	var metrics []string
	for _, metric := range aggregation {
		if own, _ := rawjson.ParseObject(metric.Value); own.True("usable") {
			metrics = append(metrics, metric.Name)
		}
	}
	slices.Sort(metrics)
	return metrics
}

// Has reports whether a field carries a flag that has no value, such as eq.
func (f Field) Has(flag string) bool { return slices.Contains(strings.Split(f.Flags, ","), flag) }

// Values are the values of a flag such as a=min|max.
func (f Field) Values(flag string) []string {
	for _, each := range strings.Split(f.Flags, ",") {
		if value, found := strings.CutPrefix(each, flag+"="); found && value != "" {
			return strings.Split(value, "|")
		}
	}
	return nil
}

// Advertised reports whether anything can be learnt from the flags of these fields. Some servers give client tokens only
// the names.
func Advertised(fields []Field) bool {
	return slices.ContainsFunc(fields, func(f Field) bool {
		return f.Has("eq") || f.Has("lex") || f.Has("sem") || f.Values("r") != nil || f.Values("a") != nil
	})
}

// Relation is one relation that expand takes.
type Relation struct {
	Name    string         // not empty
	Members rawjson.Object // as the server sent them; of a bare name the name alone
}

// Relations are a row's expand_capabilities, or nil when the server sent no list of them.
func Relations(row rawjson.Object) []Relation {
	elements, ok := rawjson.Elements(row.Get("expand_capabilities"))
	if !ok {
		return nil
	}
	relations := []Relation{}
	for _, element := range elements {
		members, _ := rawjson.ParseObject(element)
		if name, bare := rawjson.Text(element); bare {
			members = rawjson.Object{rawjson.String("name", name)}
		}
		if name := members.Text("name"); name != "" {
			relations = append(relations, Relation{name, members})
		}
	}
	return relations
}

// Usable reports whether the relation can be expanded with this grant. One that does not say whether it is granted and
// usable is.
func (r Relation) Usable() bool {
	return string(r.Members.Get("usable")) != "false" && string(r.Members.Get("granted")) != "false"
}
