package schema

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/pdppmcp/pdpp-mcp/runtime/answer"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/wire"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/schemadoc"
	"github.com/pdppmcp/pdpp-mcp/runtime/render"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// memberBytes is the maximum size of one member of the document, a connector or a row.
const memberBytes = 2_000

// data returns the shown rows in one form for every view that a server may send (R-SCH-1). The connectors hold the
// streams (R-SCH-8).
func (d *detail) data(shown portion) rawjson.Object {
	var connectors, streams []rawjson.Value
	for i, r := range d.rows[:shown.rows] {
		row := r.compact(shown)
		if d.IsFull {
			row = r.full(shown)
		}
		streams = append(streams, d.withRowConnections(row, r.Stream.Connections, shown).Encode())
		if i+1 == shown.rows || d.rows[i+1].Connector != r.Connector {
			connectors = append(connectors, d.encodeConnector(r.Connector, streams, shown))
			streams = nil
		}
	}
	return withLeftOut(documentData(d.Document, memberBytes, nil, connectors), "streams_left_out", len(d.rows)-shown.rows)
}

// documentData returns a document with these connectors and further members (R-SCH-8). It has the server's meta only if
// meta has warnings.
func documentData(d *schemadoc.Document, metaBytes int, further rawjson.Object, connectors []rawjson.Value) rawjson.Object {
	data := rawjson.Object{}
	if meta := d.Members.Get("meta"); len(meta) <= metaBytes && len(render.WarningLines(d.Members)) > 0 {
		data = append(data, rawjson.Raw("meta", meta))
	}
	return append(append(data, further...),
		rawjson.Int("connector_count", int64(len(d.Connectors))),
		rawjson.Int("stream_count", int64(d.StreamCount())),
		rawjson.Raw("connectors", rawjson.Array(connectors)),
	)
}

func (d *detail) withRowConnections(members rawjson.Object, connections []schemadoc.Connection, shown portion) rawjson.Object {
	return withConnections(members, connections, shown.connections, func(c schemadoc.Connection) rawjson.Object { return describe(d.Schema, c, shown.label) })
}

func (d *detail) encodeConnector(c *schemadoc.Connector, streams []rawjson.Value, shown portion) rawjson.Value {
	members := rawjson.Object{}
	if c.Key != "" && len(c.Key) <= memberBytes {
		members = append(members, rawjson.String("connector_key", c.Key))
	}
	if name := c.Members.Get("display_name"); name != nil && len(name) <= memberBytes {
		members = append(members, rawjson.Raw("display_name", name))
	}
	for _, name := range []string{"object", "source"} { // connect takes the id of the source
		if value := c.Members.Get(name); value != nil && len(value) <= memberBytes {
			members = append(members, rawjson.Raw(name, value))
		}
	}
	members = append(members, rawjson.Raw(wire.Streams, rawjson.Array(streams)))
	return d.withRowConnections(members, c.Connections, shown).Encode()
}

func (r *row) compact(shown portion) rawjson.Object {
	members := rawjson.Object{rawjson.String("name", r.Stream.Name)}
	for _, name := range []string{"primary_key", "cursor_field"} {
		if value := r.Stream.Members.Get(name); len(value) > len("[]") && len(value) <= memberBytes {
			members = append(members, rawjson.Raw(name, value))
		}
	}
	members = append(members, rawjson.Texts(timeFieldName, r.timeField())...)
	if r.like != nil {
		members = append(members, rawjson.String("field_capabilities_like", keyOf(r.like.Connector, tool.LabelCharacters)))
		return r.withRelations(members, shown)
	}
	capabilities := rawjson.Raw(capabilitiesName, encodeFields(r.shownFields(shown.fields)))
	if r.Sample != nil {
		capabilities = rawjson.Raw(sampleName, byKind(r.Sample, r.shownFields(shown.fields)).Encode())
	}
	return withLeftOut(r.withRelations(append(members, capabilities), shown), "fields_left_out", r.leftOut(shown.fields))
}

// timeFieldName is the member of a row with the field that orders it in a timeline.
const timeFieldName = "time_field"

func encodeFields(fields []schemadoc.Field) rawjson.Value {
	encoded := make(rawjson.Object, len(fields))
	for i, f := range fields {
		encoded[i] = rawjson.String(f.Name, tool.Clip(f.Flags, flagsCharacters))
	}
	return encoded.Encode()
}

var relationNames = []string{"name", "target_stream", "cardinality", "granted", "usable", "foreign_key", "max_limit", "default_limit"}

func (r *row) withRelations(members rawjson.Object, shown portion) rawjson.Object {
	if len(r.relations) == 0 {
		return members
	}
	kept := []rawjson.Value{}
	for _, relation := range r.relations[:min(len(r.relations), shown.relations)] {
		object := rawjson.Object{}
		for _, name := range relationNames {
			value := relation.Members.Get(name)
			isDefault := name == "target_stream" && rawjson.TextOf(value) == relation.Name
			if value != nil && !isDefault && len(value) <= answer.LongestName {
				object = append(object, rawjson.Raw(name, value))
			}
		}
		kept = append(kept, object.Encode())
	}
	members = append(members, rawjson.Raw("expand_capabilities", rawjson.Array(kept)))
	return withLeftOut(members, "relations_left_out", len(r.relations)-shown.relations)
}

const capabilitiesName = "field_capabilities"

// readSchemas reads the JSON Schemas of the fields, and describes the other members of the row's schema.
func (r *row) readSchemas() {
	r.schemas, r.schemaOf, r.schemaLine = r.Stream.Properties(), map[string]rawjson.Value{}, "not advertised"
	if r.isByField = len(r.schemas) == 0; r.isByField { // some servers send each schema with the capabilities of its field
		r.schemas = r.Stream.CapabilitySchemas()
	}
	if len(r.schemas) == 0 {
		return
	}
	for _, property := range r.schemas {
		r.schemaOf[property.Name] = property.Value
	}
	schema, _ := rawjson.ParseObject(r.Stream.Members.Get(wire.Schema))
	r.schemaLine = fmt.Sprintf("of %d fields, below", len(r.schemas))
	if !r.hasSchemas() {
		r.schemaLine = fmt.Sprintf("{} for each of %d fields, as the resource server sent it", len(r.schemas))
	}
	if r.isByField {
		return
	}
	r.schemaLine += "; "
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
	members := rawjson.Texts(timeFieldName, r.timeField())
	for _, member := range r.Stream.Members.Without("instance_ids", "granted_connections", wire.ConnectionID, "connector_instance_id") {
		isDropped := slices.Contains(shown.dropped, member.Name)
		switch {
		case member.Name == capabilitiesName && isDropped && r.Sample == nil:
			members = append(members, rawjson.Raw(member.Name, encodeFields(r.shownFields(shown.fields))))
		case isDropped:
		case member.Name == capabilitiesName:
			if advertised := r.advertised(member.Value); len(advertised) > 0 {
				members = append(members, rawjson.Raw(member.Name, advertised.Encode()))
			}
		case member.Name == wire.Schema:
			members = append(members, rawjson.Raw(member.Name, r.shownSchema(member.Value, shown)))
		case member.Name == "expand_capabilities" && len(shown.dropped) > 0:
			members = r.withRelations(members, shown)
		case len(shown.dropped) == 0 || len(member.Value) <= memberBytes:
			members = append(members, member)
		}
	}
	if r.Sample != nil {
		members = append(members, rawjson.Raw(sampleName, byKind(r.Sample, r.shownFields(shown.fields)).Encode()))
	}
	return withLeftOut(members, "fields_left_out", r.leftOut(shown.fields))
}

// advertised returns the capabilities of the fields without their JSON Schemas. It leaves out undeclared capabilities,
// because they may work anyway (R-AGG-5).
func (r *row) advertised(value rawjson.Value) rawjson.Object {
	sent, _ := rawjson.ParseObject(value)
	var shown rawjson.Object
	for _, capability := range sent {
		own, isObject := rawjson.ParseObject(capability.Value)
		if !isObject {
			shown = append(shown, capability)
			continue
		}
		if !r.isByField && bytes.Equal(own.Get(wire.Schema), r.schemaOf[capability.Name]) {
			own = own.Without(wire.Schema)
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

// declaredOnly removes undeclared capabilities, also among the metrics of an aggregation. It keeps capabilities that
// are declared but not usable.
func declaredOnly(members rawjson.Object) rawjson.Object {
	var kept rawjson.Object
	for _, member := range members {
		inner, isObject := rawjson.ParseObject(member.Value)
		isUndeclared := string(inner.Get("usable")) == "false" && !inner.True("declared")
		switch {
		case !isObject || member.Name == wire.Schema:
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
