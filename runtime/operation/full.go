package operation

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
)

const capabilitiesName = "field_capabilities"

// readSchemas reads the JSON Schemas of the fields, and describes the other members of the row's schema.
func (r *row) readSchemas() {
	r.schemas, r.schemaOf, r.schemaLine = r.stream.Properties(), map[string]rawjson.Value{}, "not advertised"
	if len(r.schemas) == 0 {
		return
	}
	for _, property := range r.schemas {
		r.schemaOf[property.Name] = property.Value
	}
	schema, _ := rawjson.ParseObject(r.stream.Members.Get("schema"))
	r.schemaLine = fmt.Sprintf("of %d fields, below; ", len(r.schemas))
	if rest := schema.Without("properties").Encode(); len(rest) > memberBytes {
		r.schemaLine += fmt.Sprintf("its other members take %d bytes and are left out", len(rest))
	} else {
		r.schemaLine += "its other members: " + rawjson.Visible(rest)
	}
}

func (r *row) hasSchemas() bool {
	return slices.ContainsFunc(r.schemas, func(schema rawjson.Member) bool { return string(schema.Value) != "{}" })
}

// schemaText returns the JSON Schema of a field in text, or its size if it has more than a number of bytes.
func (r *row) schemaText(field string, bytes int) string {
	schema := r.schemaOf[field]
	switch {
	case string(schema) == "{}":
		return ""
	case len(schema) > bytes:
		return fmt.Sprintf("(left out: %d bytes)", len(schema))
	}
	return rawjson.Visible(schema)
}

// full returns the row in the full form, without its connections. It has the JSON Schema of each field once.
func (r *row) full(shown portion) rawjson.Object {
	members := rawjson.Object{}
	if field := r.timeField(); field != "" {
		members = append(members, rawjson.String(timeFieldName, field))
	}
	for _, member := range r.stream.Members.Without("instance_ids", "granted_connections", "connection_id", "connector_instance_id") {
		isDropped := slices.Contains(shown.dropped, member.Name)
		switch {
		case member.Name == capabilitiesName && isDropped && r.sample == nil:
			members = append(members, rawjson.Raw(member.Name, encodeFields(r.shownFields(shown.fields))))
		case isDropped:
		case member.Name == capabilitiesName:
			if advertised := r.advertised(member.Value); len(advertised) > 0 {
				members = append(members, rawjson.Raw(member.Name, advertised.Encode()))
			}
		case member.Name == "schema":
			members = append(members, rawjson.Raw(member.Name, r.shownSchema(member.Value, shown)))
		case member.Name == "expand_capabilities" && len(shown.dropped) > 0:
			members = r.withRelations(members, shown)
		case len(shown.dropped) == 0 || len(member.Value) <= memberBytes:
			members = append(members, member)
		}
	}
	if r.sample != nil {
		members = append(members, rawjson.Raw(sampleName, r.sample.byKind(r.shownFields(shown.fields)).Encode()))
	}
	return withLeftOut(members, "fields_left_out", r.leftOut(shown.fields))
}

// advertised returns the capabilities of the fields without their JSON Schemas. It leaves out undeclared capabilities, because they may
// work anyway (R-AGG-5).
func (r *row) advertised(value rawjson.Value) rawjson.Object {
	sent, _ := rawjson.ParseObject(value)
	var shown rawjson.Object
	for _, capability := range sent {
		own, isObject := rawjson.ParseObject(capability.Value)
		if !isObject {
			shown = append(shown, capability)
			continue
		}
		if bytes.Equal(own.Get("schema"), r.schemaOf[capability.Name]) {
			own = own.Without("schema")
		}
		if own.True("granted") {
			own = own.Without("granted")
		}
		if own = declaredOnly(own); len(own) > 0 {
			shown = append(shown, rawjson.Raw(capability.Name, own.Encode()))
		}
	}
	return shown
}

// declaredOnly removes undeclared capabilities, also among the metrics of an aggregation. It keeps capabilities that are declared but not
// usable.
func declaredOnly(members rawjson.Object) rawjson.Object {
	var kept rawjson.Object
	for _, member := range members {
		inner, isObject := rawjson.ParseObject(member.Value)
		isUndeclared := string(inner.Get("usable")) == "false" && !inner.True("declared")
		switch {
		case !isObject || member.Name == "schema":
		case isUndeclared:
			continue
		case member.Name == "aggregation":
			metrics := declaredOnly(inner)
			if len(metrics) == 0 {
				continue
			}
			member.Value = metrics.Encode()
		}
		kept = append(kept, member)
	}
	return kept
}

// shownSchema returns the row's JSON Schema with the first properties, without those that are too large.
func (r *row) shownSchema(value rawjson.Value, shown portion) rawjson.Value {
	schema, ok := rawjson.ParseObject(value)
	if !ok {
		return value
	}
	properties := slices.DeleteFunc(slices.Clone(r.schemas[:min(len(r.schemas), shown.fields)]), func(m rawjson.Member) bool {
		return len(m.Value) > shown.schema
	})
	kept := rawjson.Object{}
	for _, member := range schema {
		if member.Name == "properties" {
			member.Value = properties.Encode()
		} else if len(shown.dropped) > 0 && len(member.Value) > memberBytes {
			continue
		}
		kept = append(kept, member)
	}
	return withLeftOut(kept, "properties_left_out", len(r.schemas)-len(properties)).Encode()
}
