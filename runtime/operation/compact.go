package operation

import "github.com/pdppmcp/pdpp-mcp/runtime/render/rawjson"

// extent bounds how much of a scoped document is shown.
type extent struct {
	rows   int // stream rows
	fields int // of each row
}

// extents are tried in turn until the result fits. The last one fits always.
var extents = []extent{
	{1000, 10_000}, {200, 1000}, {100, 500}, {100, 200}, {50, 200}, {50, 100}, {20, 100}, {20, 50}, {10, 50}, {5, 20}, {1, 20},
}

// encode writes the document with its streams in the compact form. Rows that are compact already stay
// as they are. Connectors hold the streams, so there is no second list of them (R-SCH-8).
func (s *schema) encode(shown extent, full bool) rawjson.Value {
	connectors, rows, total := []rawjson.Value{}, 0, 0
	for _, connector := range s.connectors {
		streams := []rawjson.Value{}
		for _, stream := range connector.streams {
			total++
			if rows < shown.rows {
				rows++
				streams = append(streams, stream.encode(shown.fields, full))
			}
		}
		if len(streams) > 0 || len(connector.streams) == 0 {
			connectors = append(connectors, connector.encode(streams))
		}
	}
	body := s.body.Without("streams").With("connectors", rawjson.Array(connectors))
	if s.scoped {
		body = body.With("connector_count", rawjson.Int("", int64(len(s.connectors))).Value)
		body = body.With("stream_count", rawjson.Int("", int64(total)).Value)
	}
	if rows < total {
		body = append(body, rawjson.Int("streams_left_out", int64(total-rows)))
	}
	return body.Encode()
}

// encode writes a connector with these streams and its connections, each once.
func (c *connector) encode(streams []rawjson.Value) rawjson.Value {
	members := c.members.With("streams", rawjson.Array(streams))
	if members.Get("stream_count") != nil {
		members = members.With("stream_count", rawjson.Int("", int64(len(c.streams))).Value)
	}
	if len(c.connections) > 0 {
		members = members.With("granted_connections", encodeConnections(c.connections))
	}
	return members.Encode()
}

func encodeConnections(connections []connection) rawjson.Value {
	rows := make([]rawjson.Value, len(connections))
	for i, connection := range connections {
		rows[i] = connection.members.Encode()
	}
	return rawjson.Array(rows)
}

// compactNames are the members of a compact row.
var compactNames = []string{"name", "primary_key", "cursor_field", "consent_time_field", "field_capabilities", "expand_capabilities"}

func (s *stream) encode(fields int, full bool) rawjson.Value {
	all := s.fields()
	if full || s.compact() && len(all) <= fields {
		return s.members.Without("instance_ids").Encode()
	}
	row := rawjson.Object{}
	for _, name := range compactNames {
		switch value := s.members.Get(name); {
		case name == "field_capabilities":
			row = append(row, rawjson.Raw(name, encodeFields(all[:min(len(all), fields)])))
		case value != nil:
			row = append(row, rawjson.Raw(name, value))
		}
	}
	if left := len(all) - fields; left > 0 {
		row = append(row, rawjson.Int("fields_left_out", int64(left)))
	}
	if len(s.connections) > 0 {
		row = append(row, rawjson.Raw("granted_connections", encodeConnections(s.connections)))
	}
	return row.Encode()
}

func encodeFields(fields []field) rawjson.Value {
	flags := rawjson.Object{}
	for _, field := range fields {
		flags = append(flags, rawjson.String(field.name, field.flags))
	}
	return flags.Encode()
}

// compact tells whether the server sent the row in the compact form.
func (s *stream) compact() bool {
	if s.members.Get("schema") != nil {
		return false
	}
	capabilities, _ := rawjson.ParseObject(s.members.Get("field_capabilities"))
	for _, capability := range capabilities {
		if rawjson.Kind(capability.Value) != rawjson.StringValue {
			return false
		}
	}
	return true
}
