package operation

import (
	"encoding/json"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/render"
	"github.com/pdppmcp/pdpp-mcp/runtime/schemadoc"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// countsNote says in the structured index what its counts stand for.
const countsNote = "Rows without streams have them counted in stream_count: the names do not fit here, and stand in the text. " +
	"Call " + tool.SchemaTool + " with connection_id for a shorter index, or with stream for one stream."

// indexMeaning says in the structured index how to go on from it (R-BUD-1).
const indexMeaning = "Pass a name of streams as stream, and a connection_id of granted_connections, " +
	"to schema for fields and what they support; a stream alone lists all connections that have it."

// sharesMeaning explains what stands at a connection beside its name.
const sharesMeaning = " has: the streams of a connection, how many records, and when the last was added; lacks: those that it has not."

// structured is the structured index in at most so many bytes, or false.
func (x *index) structured(style indexStyle, bound int) (json.RawMessage, bool) {
	if style.rows != asRoom {
		rows := make([]rawjson.Value, len(x.Connectors))
		for i, c := range x.Connectors {
			rows[i] = x.row(c, style, namesOf(c, style.rows))
		}
		encoded := x.wrap(style, rows, 0, false)
		return encoded, len(encoded) <= bound
	}
	room := bound - len(x.wrap(style, nil, len(x.Connectors), true))
	if room < 0 {
		return nil, false
	}
	return x.wrap(style, x.rowsWithin(style, room), -1, true), true
}

// rowsWithin are the rows of as many connectors as fit, with the stream names of those for which there
// is room after that.
func (x *index) rowsWithin(style indexStyle, room int) []rawjson.Value {
	var rows []rawjson.Value
	for _, c := range x.Connectors {
		row := x.row(c, style, nil)
		if room < len(row)+1 {
			break
		}
		room -= len(row) + 1
		rows = append(rows, row)
	}
	for i := range rows {
		names := namesOf(x.Connectors[i], asNames)
		if cost := len(names) + len(`"streams":,`); cost <= room {
			room -= cost
			rows[i] = x.row(x.Connectors[i], style, names)
		}
	}
	return rows
}

// wrap is the structured output with these connectors. A left of -1 counts those that are missing.
func (x *index) wrap(style indexStyle, rows []rawjson.Value, left int, counts bool) json.RawMessage {
	data := rawjson.Object{}
	for _, member := range x.Members.Without("connector_count", "stream_count") {
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
		rawjson.Int("connector_count", int64(len(x.Connectors))),
		rawjson.Int("stream_count", int64(x.StreamCount())),
		rawjson.Raw("connectors", rawjson.Array(rows)),
	)
	if left < 0 {
		left = len(x.Connectors) - len(rows)
	}
	data = appendLeftOut(data, "connectors_left_out", left)
	meaning := indexMeaning
	if style.shares {
		meaning += sharesMeaning
	}
	members := rawjson.Object{rawjson.Raw("data", data.Encode()), rawjson.String("meaning", meaning)}
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

// row is a connector with these stream names, or with their number alone.
func (x *index) row(c *schemadoc.Connector, style indexStyle, names rawjson.Value) rawjson.Value {
	row := rawjson.Object{}
	for _, name := range indexNames {
		value := c.Members.Get(name)
		if value != nil && len(value) <= style.sent/4 && style.rows != asRoom {
			row = append(row, rawjson.Raw(name, value))
		}
	}
	if c.Key != "" {
		row = append(row, rawjson.String("connector_key", fitted(c.Key, max(style.key, 24))))
	}
	row = append(row, rawjson.Int("stream_count", int64(len(c.Streams))))
	if names != nil {
		row = append(row, rawjson.Raw("streams", names))
	}
	return appendConnections(row, c.Connections, max(1, style.connections), func(connection schemadoc.Connection) rawjson.Object {
		members := portion{label: style.label}.brief(connection)
		if share := x.holdings.share(c, connection); style.shares && share.tells {
			members = append(members, share.members()...)
		}
		return members
	}).Encode()
}

// namesOf are the stream names of a connector, as objects or as strings.
func namesOf(c *schemadoc.Connector, style rowStyle) rawjson.Value {
	names := make([]rawjson.Value, len(c.Streams))
	for i, s := range c.Streams {
		names[i] = rawjson.Quote(s.Name)
		if style == asRows {
			names[i] = rawjson.Object{rawjson.Raw("name", names[i])}.Encode()
		}
	}
	return rawjson.Array(names)
}
