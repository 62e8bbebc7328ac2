package operation

import (
	"encoding/json"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/render"
)

// countsNote says in the structured index what its counts stand for.
const countsNote = "Rows without streams have them counted in stream_count: the names do not fit here, and stand in the text. " +
	"Call schema with connection_id for a shorter index, or with stream for one stream."

// indexMeaning says in the structured index how to go on from it (R-BUD-1).
const indexMeaning = "Pass a name of streams as stream, and a connection_id of granted_connections, " +
	"to schema for fields and what they support; a stream alone lists all connections that have it."

// structured is the structured index in at most so many bytes, or false.
func (x *index) structured(style indexStyle, bound int) (json.RawMessage, bool) {
	if style.rows != asRoom {
		rows := make([]rawjson.Value, len(x.connectors))
		for i, c := range x.connectors {
			rows[i] = c.indexRow(style, c.names(style.rows))
		}
		encoded := x.wrap(style, rows, 0, false)
		return encoded, len(encoded) <= bound
	}
	room := bound - len(x.wrap(style, nil, len(x.connectors), true))
	if room < 0 {
		return nil, false
	}
	return x.wrap(style, x.rowsWithin(style, room), -1, true), true
}

// rowsWithin are the rows of as many connectors as fit, with the stream names of those for which there
// is room after that.
func (x *index) rowsWithin(style indexStyle, room int) []rawjson.Value {
	var rows []rawjson.Value
	for _, c := range x.connectors {
		row := c.indexRow(style, nil)
		if room < len(row)+1 {
			break
		}
		room -= len(row) + 1
		rows = append(rows, row)
	}
	for i := range rows {
		names := x.connectors[i].names(asNames)
		if cost := len(names) + len(`"streams":,`); cost <= room {
			room -= cost
			rows[i] = x.connectors[i].indexRow(style, names)
		}
	}
	return rows
}

// wrap is the structured output with these connectors. A left of -1 counts those that are missing.
func (x *index) wrap(style indexStyle, rows []rawjson.Value, left int, counts bool) json.RawMessage {
	data := rawjson.Object{}
	for _, member := range x.members.Without("connector_count", "stream_count") {
		bound := style.sent
		if member.Name == "meta" { // it names the sources of a package that did not answer
			bound *= 4
		}
		if len(member.Value) <= bound && (style.rows != asRoom || isKnown(member.Name)) {
			data = append(data, member)
		}
	}
	if data.Get("detail") == nil {
		data = append(data, rawjson.String("detail", "compact"))
	}
	data = append(data,
		rawjson.Int("connector_count", int64(len(x.connectors))),
		rawjson.Int("stream_count", int64(x.streamCount())),
		rawjson.Raw("connectors", rawjson.Array(rows)),
	)
	if left < 0 {
		left = len(x.connectors) - len(rows)
	}
	if left > 0 {
		data = append(data, rawjson.Int("connectors_left_out", int64(left)))
	}
	members := rawjson.Object{rawjson.Raw("data", data.Encode()), rawjson.String("meaning", indexMeaning)}
	if counts {
		members = append(members, rawjson.String("note", countsNote))
	}
	return render.Structured(x.response, members, x.calls(counts))
}

// isKnown tells the members of the envelope that stay when room is short (rs-contract.md).
func isKnown(name string) bool {
	return name == "object" || name == "bearer" || name == "detail" || name == "meta"
}

// indexNames are the members of a connector that the index keeps. Everything else, capabilities above
// all, belongs to schema(stream).
var indexNames = []string{"object", "source", "connector_id", "display_name"}

// indexRow is a connector with these stream names, or with their number alone.
func (c *connector) indexRow(style indexStyle, names rawjson.Value) rawjson.Value {
	row := rawjson.Object{}
	for _, name := range indexNames {
		value := c.members.Get(name)
		if value != nil && len(value) <= style.sent/4 && style.rows != asRoom {
			row = append(row, rawjson.Raw(name, value))
		}
	}
	if c.key != "" {
		row = append(row, rawjson.String("connector_key", fitted(c.key, max(style.key, 24))))
	}
	row = append(row, rawjson.Int("stream_count", int64(len(c.streams))))
	if names != nil {
		row = append(row, rawjson.Raw("streams", names))
	}
	shown, left := usableConnections(c.connections, max(1, style.connections))
	if len(shown) > 0 {
		rows := make([]rawjson.Value, len(shown))
		for i, connection := range shown {
			rows[i] = connection.brief(style.label)
		}
		row = append(row, rawjson.Raw("granted_connections", rawjson.Array(rows)))
	}
	if left > 0 {
		row = append(row, rawjson.Int("connections_left_out", int64(left)))
	}
	return row.Encode()
}

// names are the stream names of a connector, as objects or as strings.
func (c *connector) names(style rowStyle) rawjson.Value {
	size := 2
	for _, s := range c.streams {
		size += len(s.name) + len(`{"name":""},`)
	}
	out := append(make([]byte, 0, size), '[')
	for i, s := range c.streams {
		if i > 0 {
			out = append(out, ',')
		}
		if style == asRows {
			out = append(out, `{"name":`...)
		}
		out = appendQuoted(out, s.name)
		if style == asRows {
			out = append(out, '}')
		}
	}
	return append(out, ']')
}

// appendQuoted appends a JSON string; most names need no escape.
func appendQuoted(out []byte, text string) []byte {
	for i := range len(text) {
		if c := text[i]; c < ' ' || c == '"' || c == '\\' || c >= 0x7f {
			return append(out, rawjson.Quote(text)...)
		}
	}
	return append(append(append(out, '"'), text...), '"')
}
