package operation

import (
	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/render"
	"github.com/pdppmcp/pdpp-mcp/runtime/schemadoc"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// memberBytes is the maximum size of one member of the document, a connector or a row.
const memberBytes = 2_000

// data returns the shown rows in one form for every view that a server may send (R-SCH-1). The connectors hold the streams (R-SCH-8).
func (d *detail) data(shown portion) rawjson.Object {
	data := rawjson.Object{}
	if len(render.WarningLines(d.Members)) > 0 && len(d.Members.Get("meta")) <= memberBytes {
		data = append(data, rawjson.Raw("meta", d.Members.Get("meta")))
	}
	var connectors, streams []rawjson.Value
	for i, r := range d.rows[:shown.rows] {
		row := r.compact(shown)
		if d.input.isFull() {
			row = r.full(shown)
		}
		streams = append(streams, d.withRowConnections(row, r.stream.Connections, shown).Encode())
		if i+1 == shown.rows || d.rows[i+1].connector != r.connector {
			connectors = append(connectors, d.encodeConnector(r.connector, streams, shown))
			streams = nil
		}
	}
	data = append(data,
		rawjson.Int("connector_count", int64(len(d.Connectors))),
		rawjson.Int("stream_count", int64(len(d.rows))),
		rawjson.Raw("connectors", rawjson.Array(connectors)),
	)
	return withLeftOut(data, "streams_left_out", len(d.rows)-shown.rows)
}

func (d *detail) withRowConnections(members rawjson.Object, connections []schemadoc.Connection, shown portion) rawjson.Object {
	return withConnections(members, connections, shown.connections, func(c schemadoc.Connection) rawjson.Object { return describe(c, shown.label) })
}

func (d *detail) encodeConnector(c *schemadoc.Connector, streams []rawjson.Value, shown portion) rawjson.Value {
	members := rawjson.Object{}
	if c.Key != "" && len(c.Key) <= memberBytes {
		members = append(members, rawjson.String("connector_key", c.Key))
	}
	if name := c.Members.Get("display_name"); name != nil && len(name) <= memberBytes {
		members = append(members, rawjson.Raw("display_name", name))
	}
	members = append(members, rawjson.Raw("streams", rawjson.Array(streams)))
	return d.withRowConnections(members, c.Connections, shown).Encode()
}

func (r *row) compact(shown portion) rawjson.Object {
	members := rawjson.Object{rawjson.String("name", r.stream.Name)}
	for _, name := range []string{"primary_key", "cursor_field"} {
		if value := r.stream.Members.Get(name); len(value) > len("[]") && len(value) <= memberBytes {
			members = append(members, rawjson.Raw(name, value))
		}
	}
	if field := r.timeField(); field != "" {
		members = append(members, rawjson.String(timeFieldName, field))
	}
	if r.like != nil {
		members = append(members, rawjson.String("field_capabilities_like", keyOf(r.like.connector, tool.LabelCharacters)))
		return r.withRelations(members, shown)
	}
	capabilities := rawjson.Raw(capabilitiesName, encodeFields(r.shownFields(shown.fields)))
	if r.sample != nil {
		capabilities = rawjson.Raw(sampleName, r.sample.byKind(r.shownFields(shown.fields)).Encode())
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
			if value := relation.Members.Get(name); isInformative(relation, name) && len(value) <= nameBytes {
				object = append(object, rawjson.Raw(name, value))
			}
		}
		kept = append(kept, object.Encode())
	}
	members = append(members, rawjson.Raw("expand_capabilities", rawjson.Array(kept)))
	return withLeftOut(members, "relations_left_out", len(r.relations)-shown.relations)
}

// isInformative reports whether a member of a relation differs from its default. By default a relation is granted and usable, and has the
// name of its target stream.
func isInformative(relation schemadoc.Relation, name string) bool {
	switch value := relation.Members.Get(name); name {
	case "granted", "usable":
		return string(value) == "false"
	case "target_stream":
		return value != nil && rawjson.TextOf(value) != relation.Name
	default:
		return value != nil
	}
}
