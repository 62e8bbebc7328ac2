package schemadoc

import (
	"cmp"
	"slices"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/wire"
)

// FileField is the field that refers to the file of a record (docs/provider-contract.md, Blobs).
const FileField = "blob_ref"

// Declared is the flag of a field without other flags.
const Declared = "declared"

// Field is one field of a stream and what can be done with it.
type Field struct {
	Name  string
	Flags string // in the grammar of the compact view (docs/provider-contract.md, Schema)
}

// Fields returns the fields of a compact or a full row, from its JSON Schema if it has no capabilities.
func (s *Stream) Fields() []Field {
	var fields []Field
	sent, _ := rawjson.ParseObject(s.Members.Get("field_capabilities"))
	for _, capability := range sent {
		flags, isCompact := rawjson.Text(capability.Value)
		if !isCompact {
			full, _ := rawjson.ParseObject(capability.Value)
			flags = flagsOf(full)
		}
		fields = append(fields, Field{capability.Name, cmp.Or(flags, Declared)})
	}
	if len(fields) > 0 {
		return fields
	}
	for _, property := range s.Properties() {
		fields = append(fields, Field{property.Name, flagsOf(rawjson.Object{rawjson.Raw(wire.Schema, property.Value)})})
	}
	return fields
}

// Properties returns the JSON Schemas of the fields of a full row.
func (s *Stream) Properties() rawjson.Object {
	schema, _ := rawjson.ParseObject(s.Members.Get(wire.Schema))
	properties, _ := rawjson.ParseObject(schema.Get("properties"))
	return properties
}

// CapabilitySchemas returns the JSON Schemas that the capabilities of the fields have.
func (s *Stream) CapabilitySchemas() (schemas rawjson.Object) {
	sent, _ := rawjson.ParseObject(s.Members.Get("field_capabilities"))
	for _, capability := range sent {
		own, _ := rawjson.ParseObject(capability.Value)
		if schema := own.Get(wire.Schema); schema != nil {
			schemas = append(schemas, rawjson.Raw(capability.Name, schema))
		}
	}
	return schemas
}

// flagsOf returns a capability of the full view as the compact view writes it.
func flagsOf(capability rawjson.Object) string {
	var flags []string
	schema, _ := rawjson.ParseObject(capability.Get(wire.Schema))
	pdppType := cmp.Or(capability.Text("type"), schema.Text("x_pdpp_type"), schema.Text("type"))
	if types := cmp.Or(pdppType, strings.Join(textsOf(schema.Get("type")), "|")); types != "" {
		flags = append(flags, "t="+types)
	}
	if role := cmp.Or(capability.Text("role"), schema.Text("x_pdpp_role")); role != "" {
		flags = append(flags, "role="+role)
	}
	advertised, _ := rawjson.ParseObject(capability.Get("range_filter"))
	operators := strings.Join(textsOf(advertised.Get("operators")), "|")
	for _, use := range []struct{ name, flag string }{
		{"exact_filter", "eq"},
		{"range_filter", "r=" + cmp.Or(operators, "gte|gt|lte|lt")}, // a server that names none supports all of them
		{"lexical_search", "lex"},
		{"semantic_search", "sem"},
	} {
		if own, _ := rawjson.ParseObject(capability.Get(use.name)); own.True("usable") {
			flags = append(flags, use.flag)
		}
	}
	if metrics := metricsOf(capability); len(metrics) > 0 {
		flags = append(flags, "a="+strings.Join(metrics, "|"))
	}
	if string(capability.Get("granted")) == "false" {
		flags = append(flags, "g=false")
	}
	return cmp.Or(strings.Join(flags, ","), Declared)
}

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

// Has reports whether a field has a flag without a value, such as eq.
func (f Field) Has(flag string) bool {
	for each := range strings.SplitSeq(f.Flags, ",") { // without a list: a search asks for flags of all fields
		if each == flag {
			return true
		}
	}
	return false
}

// Values returns the values of a flag such as a=min|max.
func (f Field) Values(flag string) []string {
	for each := range strings.SplitSeq(f.Flags, ",") {
		name, value, _ := strings.Cut(each, "=")
		if name == flag && value != "" {
			return strings.Split(value, "|")
		}
	}
	return nil
}

// Advertised reports whether any of the fields has a capability. Some servers show client tokens only the names of
// fields.
func Advertised(fields []Field) bool {
	return slices.ContainsFunc(fields, func(f Field) bool {
		return f.Has("eq") || f.Has("lex") || f.Has("sem") || f.Values("r") != nil || f.Values("a") != nil
	})
}

// Relation is one relation that expand accepts.
type Relation struct {
	Name    string         // not empty
	Members rawjson.Object // as the server sent them; only the name if the server sent a name
}

// Relations returns the row's expand_capabilities, or nil if the server sent no list of them.
func (s *Stream) Relations() []Relation {
	elements, ok := rawjson.Elements(s.Members.Get("expand_capabilities"))
	if !ok {
		return nil
	}
	relations := []Relation{}
	for _, element := range elements {
		members, _ := rawjson.ParseObject(element)
		if name, isName := rawjson.Text(element); isName {
			members = rawjson.Object{rawjson.String("name", name)}
		}
		if name := members.Text("name"); name != "" {
			relations = append(relations, Relation{name, members})
		}
	}
	return relations
}

// Views returns the names of the row's views. Only the full form of the schema has them.
func (s *Stream) Views() []string {
	elements, _ := rawjson.Elements(s.Members.Get("views"))
	var names []string
	for _, element := range elements {
		view, _ := rawjson.ParseObject(element)
		if name := cmp.Or(view.Text(wire.ID), view.Text("name")); name != "" {
			names = append(names, name)
		}
	}
	return names
}

// Usable reports whether the relation can be expanded with this grant. It is false only if the server says so.
func (r Relation) Usable() bool {
	return string(r.Members.Get("usable")) != "false" && string(r.Members.Get("granted")) != "false"
}
