package operation

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/render"
	"github.com/pdppmcp/pdpp-mcp/runtime/schemadoc"
)

const capabilitiesName = "field_capabilities"

// shownSchema is the JSON Schema of a field in text, unless it takes more than so many bytes. It is empty when there is none.
func (r *row) shownSchema(field string, most int) string {
	schema := r.schemaOf[field]
	if string(schema) == "{}" {
		return ""
	}
	if len(schema) > most {
		return fmt.Sprintf("(left out: %d bytes)", len(schema))
	}
	return rawjson.Visible(schema)
}

// hasSchemas reports whether the JSON Schema of some field says anything.
func (r *row) hasSchemas() bool {
	return slices.ContainsFunc(r.schemas, func(schema rawjson.Member) bool { return string(schema.Value) != "{}" })
}

// readSchemas reads the JSON Schemas of the fields, and what the schema of the row says beside them.
func (r *row) readSchemas() {
	r.schemas, r.schemaOf, r.schemaLine = schemadoc.Properties(r.members), map[string]rawjson.Value{}, "not advertised"
	if len(r.schemas) == 0 {
		return
	}
	for _, property := range r.schemas {
		r.schemaOf[property.Name] = property.Value
	}
	schema, _ := rawjson.ParseObject(r.members.Get("schema"))
	if rest := schema.Without("properties").Encode(); len(rest) > memberBytes {
		r.schemaLine = fmt.Sprintf("of %d fields, below; its other members take %d bytes and are left out", len(r.schemas), len(rest))
	} else {
		r.schemaLine = fmt.Sprintf("of %d fields, below; beside them %s", len(r.schemas), rawjson.Visible(rest))
	}
}

// full writes an exhaustive row, each field's JSON Schema once. It is nil when it is longer than any channel.
func (r *row) full(shown portion) rawjson.Value {
	members := rawjson.Object{}
	for _, member := range r.members.Without("instance_ids", "granted_connections", "connection_id", "connector_instance_id") {
		isDropped := slices.Contains(shown.dropped, member.Name)
		switch {
		case member.Name == capabilitiesName && isDropped && r.sample == nil:
			members = append(members, rawjson.Raw(member.Name, encodeFields(r.fields[:min(len(r.fields), shown.fields)])))
		case isDropped:
		case member.Name == capabilitiesName:
			if advertised := r.advertised(member.Value); len(advertised) > 0 {
				members = append(members, rawjson.Raw(member.Name, advertised.Encode()))
			}
		case member.Name == "schema":
			members = append(members, rawjson.Raw(member.Name, r.schemaWithin(member.Value, shown)))
		case member.Name == "expand_capabilities" && !shown.whole:
			members = r.appendRelations(members, shown)
		case shown.whole || len(member.Value) <= memberBytes:
			members = append(members, member)
		}
	}
	if r.sample != nil {
		members = append(members, rawjson.Raw(seenName, r.sample.byKind(r.fields[:min(len(r.fields), shown.fields)]).Encode()))
	}
	members = appendLeftOut(members, "fields_left_out", r.leftOut(shown.fields))
	if members.Size() > 3*render.ChannelCharacters { // no character takes more than three bytes
		return nil
	}
	return appendConnections(members, r.stream.Connections, shown.connections, shown.brief).Encode()
}

// advertised is the capabilities without what the properties repeat and without what the server does not advertise. That the
// server leaves a capability undeclared does not make it unusable (R-AGG-5). Fields without any capability are left out.
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
		if string(own.Get("granted")) == "true" {
			own = own.Without("granted")
		}
		if own = declaredOnly(own); len(own) > 0 {
			shown = append(shown, rawjson.Raw(capability.Name, own.Encode()))
		}
	}
	return shown
}

// declaredOnly leaves out the capabilities that are not declared, at any depth. It keeps those that are declared and not usable.
func declaredOnly(members rawjson.Object) rawjson.Object {
	var kept rawjson.Object
	for _, member := range members {
		inner, isObject := rawjson.ParseObject(member.Value)
		switch {
		case !isObject || member.Name == "schema":
			kept = append(kept, member)
		case string(inner.Get("usable")) == "false" && !inner.True("declared"):
		case member.Name == "aggregation":
			if metrics := declaredOnly(inner); len(metrics) > 0 {
				kept = append(kept, rawjson.Raw(member.Name, metrics.Encode()))
			}
		default:
			kept = append(kept, member)
		}
	}
	return kept
}

// schemaWithin keeps the first properties, without those that are too large, and counts the rest.
func (r *row) schemaWithin(value rawjson.Value, shown portion) rawjson.Value {
	schema, ok := rawjson.ParseObject(value)
	if !ok {
		return value
	}
	kept := slices.DeleteFunc(slices.Clone(r.schemas[:min(len(r.schemas), shown.fields)]), func(m rawjson.Member) bool {
		return len(m.Value) > shown.schema
	})
	within := rawjson.Object{}
	for _, member := range schema {
		switch {
		case member.Name == "properties":
			within = append(within, rawjson.Raw(member.Name, kept.Encode()))
		case shown.whole || len(member.Value) <= memberBytes:
			within = append(within, member)
		}
	}
	return appendLeftOut(within, "properties_left_out", len(r.schemas)-len(kept)).Encode()
}
