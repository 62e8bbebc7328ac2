package operation

import (
	"bytes"
	"slices"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/render"
	"github.com/pdppmcp/pdpp-mcp/runtime/schemadoc"
)

// memberMaximum bounds one member that is shown as it was sent, in bytes. A longer one fits into no channel.
const memberMaximum = 4 * render.ChannelCharacters

// memberBytes bounds one member of an envelope, a connector or a row that is not shown verbatim.
const memberBytes = 2_000

// compact writes the document as the server's compact view does, with the same meaning whatever view
// the server sent (R-SCH-1). Connectors hold the streams, so there is no second list of them (R-SCH-8).
func (d *detail) compact(shown extent) rawjson.Value {
	if sent := d.asSent(shown); sent != nil {
		return sent
	}
	body := d.envelope(shown, func(r *row) rawjson.Value { return r.compact(shown) })
	if body == nil {
		return nil
	}
	if body.Get("detail") == nil {
		body = append(body, rawjson.String("detail", "compact"))
	}
	return body.Encode()
}

// asSent is the server's own compact document, when it is whole and nothing of it was changed here.
func (d *detail) asSent(shown extent) rawjson.Value {
	if !shown.verbatim || shown.fields < d.widest || len(d.Sent) == 0 || len(d.Sent) > memberMaximum {
		return nil
	}
	for _, c := range d.Connectors {
		_, long := usableConnections(c.Connections, len(c.Connections))
		if c.Changed || long > 0 {
			return nil
		}
	}
	for _, r := range d.rows {
		if !r.compacted || r.long > 0 {
			return nil
		}
	}
	if bytes.Contains(d.Sent, []byte(`"connector_instance_id"`)) || bytes.Contains(d.Sent, []byte(`"instance_ids"`)) {
		return nil // the deprecated twins of connection_id
	}
	return d.Sent
}

// envelope is the document's members with the rows that are shown, or nil as soon as it is certain that
// they do not fit: a character takes three bytes at most.
func (d *detail) envelope(shown extent, encode func(*row) rawjson.Value) rawjson.Object {
	body := rawjson.Object{}
	for _, member := range d.Members.Without("connector_count", "stream_count") {
		if len(member.Value) <= memberMaximum && shown.verbatim || isKnown(member.Name) && len(member.Value) <= memberBytes {
			body = append(body, member)
		}
	}
	var connectors, streams []rawjson.Value
	size := 0
	for i, r := range d.rows[:min(len(d.rows), shown.rows)] {
		encoded := encode(r)
		if size += len(encoded); encoded == nil || size > 3*render.ChannelCharacters {
			return nil
		}
		streams = append(streams, encoded)
		if i+1 == min(len(d.rows), shown.rows) || d.rows[i+1].connector != r.connector {
			connectors = append(connectors, encodeConnector(r.connector, streams, shown))
			streams = nil
		}
	}
	body = append(body,
		rawjson.Int("connector_count", int64(len(d.Connectors))),
		rawjson.Int("stream_count", int64(len(d.rows))),
		rawjson.Raw("connectors", rawjson.Array(connectors)),
	)
	if left := len(d.rows) - shown.rows; left > 0 {
		body = append(body, rawjson.Int("streams_left_out", int64(left)))
	}
	return body
}

// encode writes a connector with these streams and its connections, each once.
func encodeConnector(c *schemadoc.Connector, streams []rawjson.Value, shown extent) rawjson.Value {
	members := rawjson.Object{}
	for _, member := range c.Members.Without("stream_count") {
		if len(member.Value) <= memberMaximum && shown.verbatim || (member.Name == "connector_key" || slices.Contains(indexNames, member.Name)) && len(member.Value) <= memberBytes {
			members = append(members, member)
		}
	}
	members = append(members, rawjson.Int("stream_count", int64(len(c.Streams))), rawjson.Raw("streams", rawjson.Array(streams)))
	return appendConnections(members, c.Connections, shown).Encode()
}

func appendConnections(members rawjson.Object, connections []schemadoc.Connection, shown extent) rawjson.Object {
	if len(connections) == 0 {
		return members
	}
	kept, left := usableConnections(connections, shown.connections)
	rows := make([]rawjson.Value, len(kept))
	for i, connection := range kept {
		if rows[i] = brief(connection, shown.label); shown.verbatim {
			rows[i] = verbatim(connection)
		}
	}
	members = append(members, rawjson.Raw("granted_connections", rawjson.Array(rows)))
	if left > 0 {
		members = append(members, rawjson.Int("connections_left_out", int64(left)))
	}
	return members
}

// compactNames are the members of a row in the compact view, and relationNames those of a relation.
var (
	compactNames  = []string{"name", "primary_key", "cursor_field", "field_capabilities", "expand_capabilities"}
	relationNames = []string{
		"name", "stream", "target_stream", "cardinality", "granted", "usable", "foreign_key", "max_limit", "default_limit",
	}
)

// compact writes a row in the compact form. A row that the server sent in that form stays as it is.
func (r *row) compact(shown extent) rawjson.Value {
	if shown.verbatim && r.compacted && r.leftOut(shown.fields) == 0 {
		sent := r.members.Without("instance_ids", "granted_connections", "connection_id", "connector_instance_id", "display_name")
		return appendConnections(sent, r.stream.Connections, shown).Encode()
	}
	members := rawjson.Object{}
	for _, name := range compactNames {
		value := r.members.Get(name)
		switch {
		case name == "name":
			members = append(members, rawjson.String(name, r.stream.Name))
		case name == capabilitiesName && r.like != nil && !shown.verbatim:
			members = append(members, rawjson.String("field_capabilities_like", render.Clip(shownKey(r.like.connector), labelCharacters)))
		case name == capabilitiesName:
			members = append(members, rawjson.Raw(name, encodeFields(r.fields[:min(len(r.fields), shown.fields)])))
		case name == "expand_capabilities":
			members = r.appendRelations(members, shown)
		case value != nil && len(value) <= memberBytes:
			members = append(members, rawjson.Raw(name, value))
		}
	}
	if left := r.leftOut(shown.fields); left > 0 && (r.like == nil || shown.verbatim) {
		members = append(members, rawjson.Int("fields_left_out", int64(left)))
	}
	return appendConnections(members, r.stream.Connections, shown).Encode()
}

// appendRelations adds expand_capabilities as far as they are shown.
func (r *row) appendRelations(members rawjson.Object, shown extent) rawjson.Object {
	relations := r.relations
	if relations == nil {
		return members
	}
	kept := []rawjson.Value{}
	for _, relation := range relations[:min(len(relations), shown.relations)] {
		object := rawjson.Object{}
		for _, name := range relationNames {
			if value := relation.Members.Get(name); value != nil && len(value) <= handleMaximum {
				object = append(object, rawjson.Raw(name, value))
			}
		}
		kept = append(kept, object.Encode())
	}
	members = append(members, rawjson.Raw("expand_capabilities", rawjson.Array(kept)))
	if left := len(relations) - shown.relations; left > 0 {
		members = append(members, rawjson.Int("relations_left_out", int64(left)))
	}
	return members
}

func encodeFields(fields []schemadoc.Field) rawjson.Value {
	out := []byte{'{'}
	for i, f := range fields {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(rawjson.AppendQuote(out, f.Name), ':')
		out = rawjson.AppendQuote(out, render.Clip(f.Flags, flagsCharacters))
	}
	return append(out, '}')
}

// isCompact tells whether the server sent the row in the compact form.
func isCompact(members rawjson.Object) bool {
	if members.Get("schema") != nil || members.Get("query") != nil {
		return false
	}
	capabilities, _ := rawjson.ParseObject(members.Get("field_capabilities"))
	return !slices.ContainsFunc(capabilities, func(capability rawjson.Member) bool {
		return rawjson.Kind(capability.Value) != rawjson.StringValue
	})
}
