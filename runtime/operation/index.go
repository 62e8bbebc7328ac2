package operation

import (
	"fmt"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/render"
	"github.com/pdppmcp/pdpp-mcp/runtime/render/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// Bounds of the index (R-SCH-2).
const (
	indexBytes       = 40_000 // text and structured output together
	connectionsShown = 20     // of one connector
	labelCharacters  = 100
	memberBytes      = 2_000 // of one member of the envelope
)

// rowStyle is how the structured index lists streams: as rows, as names, or as counts when the names in
// text leave no room.
type rowStyle int

const (
	asRows rowStyle = iota
	asNames
	asCounts
)

// renderIndex lists every granted stream by connector, without its fields.
func renderIndex(response *rs.Response, s *schema, input SchemaInput) (*tool.Result, error) {
	calls := s.indexCalls(input)
	text := s.indexText(calls)
	for _, style := range []rowStyle{asRows, asNames, asCounts} {
		members := rawjson.Object{rawjson.Raw("data", s.encodeIndex(style))}
		if style == asCounts {
			members = append(members, rawjson.String("note",
				"The stream names stand in the text; they do not fit here. Call schema with connection_id, or with stream."))
		}
		structured := render.Structured(response, members, calls)
		if len(text)+len(structured) <= indexBytes {
			return &tool.Result{Text: text, Structured: structured}, nil
		}
	}
	return nil, render.Unusable(response, fmt.Sprintf(
		"the index of all streams is larger than %d bytes; call schema with connection_id or with stream", indexBytes), nil)
}

// indexCalls read one stream of each of the first connectors.
func (s *schema) indexCalls(input SchemaInput) []render.Call {
	var calls []render.Call
	for _, connector := range s.connectors {
		if len(connector.streams) == 0 || len(calls) == 3 {
			continue
		}
		first := connector.streams[0]
		arguments := rawjson.Object{rawjson.String("stream", first.name)}
		if connections := connector.connectionsOf(first); len(connections) > 0 {
			arguments = append(arguments, rawjson.String("connection_id", connections[0].id))
		} else if input.ConnectionID != nil {
			arguments = append(arguments, rawjson.String("connection_id", *input.ConnectionID))
		}
		calls = append(calls, render.Call{Tool: "schema", Arguments: arguments})
	}
	return calls
}

func (s *schema) indexText(calls []render.Call) string {
	streams := 0
	for _, connector := range s.connectors {
		streams += len(connector.streams)
	}
	lines := []string{fmt.Sprintf("schema connectors=%d streams=%d", len(s.connectors), streams)}
	if streams == 0 {
		lines = append(lines, "No stream is granted, or none of this connection. Call schema without arguments for what is.")
	}
	lines = append(lines, render.WarningLines(s.body)...)
	for _, connector := range s.connectors {
		lines = append(lines, connector.indexLines()...)
	}
	if len(calls) > 0 {
		lines = append(lines, "For fields, filters, sort and relations call schema with a stream, and with its connection_id when there are several:")
	}
	for _, call := range calls {
		lines = append(lines, call.Line())
	}
	return strings.Join(lines, "\n")
}

// indexLines show a connector, its connections and every stream name.
func (c *connector) indexLines() []string {
	key := c.key
	if key == "" {
		key = "unknown"
	}
	lines := []string{"connector " + render.Token("connector_key", clip(key)) + fmt.Sprintf(" streams=%d", len(c.streams))}
	for i, connection := range c.connections {
		if i == connectionsShown {
			lines = append(lines, fmt.Sprintf("  more_connections=%d", len(c.connections)-i))
			break
		}
		lines = append(lines, "  "+connection.tokens())
	}
	names := make([]string, len(c.streams))
	for i, stream := range c.streams {
		names[i] = plainName(stream.name)
	}
	return append(lines, "  streams: "+strings.Join(names, " "))
}

func (c connection) tokens() string {
	tokens := render.Token("connection_id", c.id)
	if c.label != "" {
		tokens += " " + render.Token("display_name", clip(c.label))
	}
	return tokens
}

// plainName is a name as it is, or as a JSON string when it could be taken for several.
func plainName(name string) string {
	if strings.ContainsFunc(name, func(r rune) bool { return r <= ' ' || r == '"' || r == 0x7f || r == 0x2028 || r == 0x2029 }) {
		return string(rawjson.Quote(name))
	}
	return name
}

func clip(text string) string {
	clipped, _ := render.Clip(text, labelCharacters)
	return clipped
}

// indexNames are the members of a connector that the index keeps. Everything else, capabilities above
// all, belongs to schema(stream).
var indexNames = []string{"object", "source", "connector_key", "connector_id", "display_name"}

func (s *schema) encodeIndex(style rowStyle) rawjson.Value {
	connectors := []rawjson.Value{}
	streams := 0
	for _, connector := range s.connectors {
		streams += len(connector.streams)
		connectors = append(connectors, connector.encodeIndex(style))
	}
	index := rawjson.Object{}
	for _, member := range s.body.Without("connectors", "streams", "connector_count", "stream_count") {
		if len(member.Value) <= memberBytes {
			index = append(index, member)
		}
	}
	return append(index,
		rawjson.Int("connector_count", int64(len(s.connectors))),
		rawjson.Int("stream_count", int64(streams)),
		rawjson.Raw("connectors", rawjson.Array(connectors)),
	).Encode()
}

func (c *connector) encodeIndex(style rowStyle) rawjson.Value {
	row := rawjson.Object{}
	for _, name := range indexNames {
		if value := c.members.Get(name); value != nil && len(value) <= memberBytes {
			row = append(row, rawjson.Raw(name, value))
		}
	}
	row = append(row, rawjson.Int("stream_count", int64(len(c.streams))))
	switch style {
	case asRows:
		rows := make([]rawjson.Value, len(c.streams))
		for i, stream := range c.streams {
			rows[i] = rawjson.Object{rawjson.String("name", stream.name)}.Encode()
		}
		row = append(row, rawjson.Raw("streams", rawjson.Array(rows)))
	case asNames:
		names := make([]string, len(c.streams))
		for i, stream := range c.streams {
			names[i] = stream.name
		}
		row = append(row, rawjson.Strings("streams", names))
	}
	if shown := c.connections[:min(len(c.connections), connectionsShown)]; len(shown) > 0 {
		row = append(row, rawjson.Raw("granted_connections", encodeIndexConnections(shown)))
	}
	return row.Encode()
}

func encodeIndexConnections(connections []connection) rawjson.Value {
	rows := make([]rawjson.Value, len(connections))
	for i, connection := range connections {
		row := rawjson.Object{rawjson.String("connection_id", connection.id)}
		if connection.label != "" {
			row = append(row, rawjson.String("display_name", clip(connection.label)))
		}
		rows[i] = row.Encode()
	}
	return rawjson.Array(rows)
}
