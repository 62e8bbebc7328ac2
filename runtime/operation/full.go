package operation

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
)

const capabilitiesName = "field_capabilities"

// shownSchemas are the JSON Schemas of the fields in text, without those that take more than so many bytes.
func (r *row) shownSchemas(most int) map[string]string {
	shown := map[string]string{}
	for _, field := range r.schemas {
		if len(field.Value) > most {
			shown[field.Name] = fmt.Sprintf("(left out: %d bytes)", len(field.Value))
		} else {
			shown[field.Name] = rawjson.Visible(field.Value)
		}
	}
	return shown
}

// schemaLine is what the JSON Schema says beside its properties.
func (r *row) schemaLine() string {
	schema, ok := rawjson.ParseObject(r.members.Get("schema"))
	if !ok || len(r.schemas) == 0 {
		return "not advertised"
	}
	rest := schema.Without("properties").Encode()
	if len(rest) > memberBytes {
		return fmt.Sprintf("of %d fields, below; its other members take %d bytes and are left out", len(r.schemas), len(rest))
	}
	return fmt.Sprintf("of %d fields, below; beside them %s", len(r.schemas), rawjson.Visible(rest))
}

// full writes an exhaustive row, each field's JSON Schema once.
func (r *row) full(shown portion) rawjson.Value {
	members := rawjson.Object{}
	for _, member := range r.members.Without("instance_ids", "granted_connections", "connection_id", "connector_instance_id") {
		isDropped := slices.Contains(shown.dropped, member.Name)
		switch {
		case member.Name == capabilitiesName && isDropped:
			members = append(members, rawjson.Raw(member.Name, encodeFields(r.fields[:min(len(r.fields), shown.fields)])))
		case isDropped:
		case member.Name == capabilitiesName:
			members = append(members, rawjson.Raw(member.Name, capabilitiesOnce(member.Value, r.schemas)))
		case member.Name == "schema":
			members = append(members, rawjson.Raw(member.Name, r.schemaWithin(member.Value, shown)))
		case member.Name == "expand_capabilities" && !shown.whole:
			members = r.appendRelations(members, shown)
		case shown.whole || len(member.Value) <= memberBytes:
			members = append(members, member)
		}
	}
	members = appendLeftOut(members, "fields_left_out", r.leftOut(shown.fields))
	return appendConnections(members, r.stream.Connections, shown.connections, shown.brief).Encode()
}

// capabilitiesOnce takes the JSON Schemas out of the capabilities that stand in properties as well.
func capabilitiesOnce(value rawjson.Value, properties rawjson.Object) rawjson.Value {
	sent, ok := rawjson.ParseObject(value)
	if !ok {
		return value
	}
	schemas := map[string]rawjson.Value{}
	for _, property := range properties {
		schemas[property.Name] = property.Value
	}
	for i, capability := range sent {
		own, isObject := rawjson.ParseObject(capability.Value)
		if schema := own.Get("schema"); isObject && schema != nil && bytes.Equal(schema, schemas[capability.Name]) {
			sent[i].Value = own.Without("schema").Encode()
		}
	}
	return sent.Encode()
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
