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

// structured is the structured index; of connectors that are listed as there is room, it has as many as take so many bytes.
func (x *index) structured(style indexStyle, room int) json.RawMessage {
	if style.counts {
		return x.wrap(style, x.rowsWithin(style, room))
	}
	rows := make([]rawjson.Value, len(x.Connectors))
	for i, c := range x.Connectors {
		rows[i] = x.row(c, style, namesOf(c))
	}
	return x.wrap(style, rows)
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
		names := namesOf(x.Connectors[i])
		if cost := len(names) + len(`"streams":,`); cost <= room {
			room -= cost
			rows[i] = x.row(x.Connectors[i], style, names)
		}
	}
	return rows
}

// wrap is the structured output with these connectors.
func (x *index) wrap(style indexStyle, rows []rawjson.Value) json.RawMessage {
	data := rawjson.Object{}
	warns := len(render.WarningLines(x.Members)) > 0
	for _, member := range x.Members.Without(untold...) {
		isMeta := member.Name == "meta" // it names the sources of a package that did not answer
		if isMeta && warns && len(member.Value) <= 4*style.sent || !isMeta && !style.counts && len(member.Value) <= style.sent {
			data = append(data, member)
		}
	}
	data = append(data,
		rawjson.Int("connector_count", int64(len(x.Connectors))),
		rawjson.Int("stream_count", int64(x.StreamCount())),
		rawjson.Raw("connectors", rawjson.Array(rows)),
	)
	data = appendLeftOut(data, "connectors_left_out", len(x.Connectors)-len(rows))
	if style.perSource && x.common.added != "" {
		data = append(data, rawjson.String("last_added", x.common.added))
	}
	if len(x.sharedNames) > 0 && !style.counts {
		data = append(data, rawjson.Strings("need_connection_id", x.sharedNames))
	}
	members := rawjson.Object{rawjson.Raw("data", data.Encode())}
	if meaning := x.common.meaning(); style.perSource && meaning != "" {
		members = append(members, rawjson.String("meaning", meaning))
	}
	var calls []render.Call
	if style.counts {
		members, calls = append(members, rawjson.String("note", countsNote)), x.narrower()
	}
	return render.Structured(x.response, members, calls)
}

// untold are the members of the server's envelope that the index says itself, or that tell a model nothing.
var untold = []string{"connector_count", "stream_count", "object", "detail", "links", "bearer"}

// row is a connector with these stream names, or with their number alone. Capabilities above all belong to schema(stream).
func (x *index) row(c *schemadoc.Connector, style indexStyle, names rawjson.Value) rawjson.Value {
	row := rawjson.Object{}
	if name := c.Members.Get("display_name"); name != nil && len(name) <= style.sent/4 && !style.counts {
		row = append(row, rawjson.Raw("display_name", name))
	}
	if c.Key != "" {
		row = append(row, rawjson.String("connector_key", fitted(c.Key, max(style.key, 24))))
	}
	if style.perSource {
		return x.shared(row, c, style)
	}
	row = append(row, rawjson.Int("stream_count", int64(len(c.Streams))))
	if names != nil {
		row = append(row, rawjson.Raw("streams", names))
	}
	return appendConnections(row, c.Connections, max(1, style.connections), portion{label: style.label}.brief).Encode()
}

// shared is a connector with the streams at the connections that have them (R-SCH-9), or its own when it names no connection.
func (x *index) shared(row rawjson.Object, c *schemadoc.Connector, style indexStyle) rawjson.Value {
	if len(c.Connections) == 0 {
		return append(row, rawjson.Raw("streams", namesOf(c))).Encode()
	}
	return appendConnections(row, c.Connections, len(c.Connections), func(connection schemadoc.Connection) rawjson.Object {
		return append(portion{label: style.label}.brief(connection), rawjson.Raw("streams", x.holdings.share(c, connection).value(x.common)))
	}).Encode()
}

// namesOf are the stream names of a connector.
func namesOf(c *schemadoc.Connector) rawjson.Value {
	names := make([]rawjson.Value, len(c.Streams))
	for i, s := range c.Streams {
		names[i] = rawjson.Quote(s.Name)
	}
	return rawjson.Array(names)
}
