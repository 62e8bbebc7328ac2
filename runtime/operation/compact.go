package operation

import (
	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/render"
	"github.com/pdppmcp/pdpp-mcp/runtime/schemadoc"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// memberBytes bounds one member of an envelope, a connector or a row.
const memberBytes = 2_000

// envelope is the document's members with the rows that are shown, the same whatever view the server sent (R-SCH-1): without routes,
// and without members that say nothing. Connectors hold the streams, so there is no second list of them (R-SCH-8). It is nil when a row is.
func (d *detail) envelope(shown portion) rawjson.Object {
	body := rawjson.Object{}
	if len(render.WarningLines(d.Members)) > 0 && len(d.Members.Get("meta")) <= memberBytes {
		body = append(body, rawjson.Raw("meta", d.Members.Get("meta")))
	}
	var connectors, streams []rawjson.Value
	for i, r := range d.rows[:shown.rows] {
		write := r.compact
		if d.input.full() {
			write = r.full
		}
		row := write(shown)
		if row == nil {
			return nil
		}
		streams = append(streams, row)
		if i+1 == shown.rows || d.rows[i+1].connector != r.connector {
			connectors = append(connectors, encodeConnector(r.connector, streams, shown))
			streams = nil
		}
	}
	body = append(body,
		rawjson.Int("connector_count", int64(len(d.Connectors))),
		rawjson.Int("stream_count", int64(len(d.rows))),
		rawjson.Raw("connectors", rawjson.Array(connectors)),
	)
	return appendLeftOut(body, "streams_left_out", len(d.rows)-shown.rows)
}

// appendLeftOut adds how many are left out, unless none are.
func appendLeftOut(members rawjson.Object, name string, left int) rawjson.Object {
	if left > 0 {
		members = append(members, rawjson.Int(name, int64(left)))
	}
	return members
}

// encodeConnector writes a connector with these streams and its connections, each once.
func encodeConnector(c *schemadoc.Connector, streams []rawjson.Value, shown portion) rawjson.Value {
	members := rawjson.Object{}
	if c.Key != "" && len(c.Key) <= memberBytes {
		members = append(members, rawjson.String("connector_key", c.Key))
	}
	if name := c.Members.Get("display_name"); name != nil && len(name) <= memberBytes {
		members = append(members, rawjson.Raw("display_name", name))
	}
	members = append(members, rawjson.Raw("streams", rawjson.Array(streams)))
	return appendConnections(members, c.Connections, shown.connections, shown.brief).Encode()
}

// appendConnections adds the leading connections, at most so many, and counts the others.
func appendConnections(members rawjson.Object, connections []schemadoc.Connection, most int, write func(schemadoc.Connection) rawjson.Object) rawjson.Object {
	kept, left := usableConnections(connections, most)
	rows := make([]rawjson.Value, len(kept))
	for i, connection := range kept {
		rows[i] = write(connection).Encode()
	}
	if len(rows) > 0 {
		members = append(members, rawjson.Raw("granted_connections", rawjson.Array(rows)))
	}
	return appendLeftOut(members, "connections_left_out", left)
}

// compactNames are the members of a row in the compact view, and relationNames those of a relation.
var (
	compactNames  = []string{"name", "primary_key", "cursor_field", "field_capabilities", "expand_capabilities"}
	relationNames = []string{
		"name", "target_stream", "cardinality", "granted", "usable", "foreign_key", "max_limit", "default_limit",
	}
)

// compact writes a row in the compact form.
func (r *row) compact(shown portion) rawjson.Value {
	members := rawjson.Object{}
	for _, name := range compactNames {
		value := r.members.Get(name)
		switch {
		case name == "name":
			members = append(members, rawjson.String(name, r.stream.Name))
		case name == capabilitiesName && r.like != nil:
			members = append(members, rawjson.String("field_capabilities_like", tool.Clip(shownKey(r.like.connector), tool.LabelCharacters)))
		case name == capabilitiesName:
			members = append(members, r.fieldsMember(shown))
		case name == "expand_capabilities":
			members = r.appendRelations(members, shown)
		case len(value) > len("[]") && len(value) <= memberBytes:
			members = append(members, rawjson.Raw(name, value))
		}
	}
	if r.like == nil {
		members = appendLeftOut(members, "fields_left_out", r.leftOut(shown.fields))
	}
	return appendConnections(members, r.stream.Connections, shown.connections, shown.brief).Encode()
}

// appendRelations adds expand_capabilities as far as they are shown.
func (r *row) appendRelations(members rawjson.Object, shown portion) rawjson.Object {
	relations := r.relations
	if len(relations) == 0 {
		return members
	}
	kept := []rawjson.Value{}
	for _, relation := range relations[:min(len(relations), shown.relations)] {
		object := rawjson.Object{}
		for _, name := range relationNames {
			if value := relation.Members.Get(name); saysMore(relation, name) && len(value) <= handleMaximum {
				object = append(object, rawjson.Raw(name, value))
			}
		}
		kept = append(kept, object.Encode())
	}
	members = append(members, rawjson.Raw("expand_capabilities", rawjson.Array(kept)))
	return appendLeftOut(members, "relations_left_out", len(relations)-shown.relations)
}

// saysMore reports whether a member of a relation says what its name and its presence do not: it is usable unless it says otherwise.
func saysMore(relation schemadoc.Relation, name string) bool {
	switch value := relation.Members.Get(name); name {
	case "granted", "usable":
		return string(value) == "false"
	case "target_stream":
		return value != nil && rawjson.TextOf(value) != relation.Name
	default:
		return value != nil
	}
}

// fieldsMember is the flags of the fields that are shown, or what recent records show of them where nothing is advertised.
func (r *row) fieldsMember(shown portion) rawjson.Member {
	fields := r.fields[:min(len(r.fields), shown.fields)]
	if r.sample == nil {
		return rawjson.Raw(capabilitiesName, encodeFields(fields))
	}
	return rawjson.Raw(seenName, r.sample.byKind(fields).Encode())
}

func encodeFields(fields []schemadoc.Field) rawjson.Value {
	encoded := make(rawjson.Object, len(fields))
	for i, f := range fields {
		encoded[i] = rawjson.String(f.Name, tool.Clip(f.Flags, flagsCharacters))
	}
	return encoded.Encode()
}
