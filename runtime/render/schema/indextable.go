package schema

import (
	"cmp"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/answer"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/wire"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/schemadoc"
	"github.com/pdppmcp/pdpp-mcp/runtime/render"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// table is the index with a row for each connection, the streams that it has, and their holdings (R-SCH-9).
type table struct {
	*index
	hasCounts bool   // the holdings of some stream are known
	hasTimes  bool   // records were last added at different times
	lastAdded string // the time if all streams have the same; otherwise empty
}

// tableNameLength is the maximum length of a label in characters, and of a connector key in bytes.
const tableNameLength = 100

// newTable returns the table. It returns nil if there is no stream, or if the table cannot show every stream of every
// connection.
func (x *index) newTable() *table {
	t := &table{index: x}
	cells, times := 0, map[string]bool{}
	for _, c := range x.Document.Connectors {
		if cells += len(c.Connections) * len(c.Streams); cells > indexBytes {
			return nil
		}
		for _, connection := range c.Connections {
			if len(connection.ID) > answer.LongestName {
				return nil
			}
			for _, s := range c.Streams {
				if schemadoc.HasConnection(c.ConnectionsOf(s), connection.ID) {
					held := x.Holdings.Of(c, s, connection)
					t.hasCounts = t.hasCounts || held != answer.Holding{}
					times[held.Added], t.lastAdded = true, held.Added
				}
			}
		}
	}
	if x.Document.StreamCount() == 0 {
		return nil
	}
	if t.hasTimes = len(times) > 1; t.hasTimes {
		t.lastAdded = ""
	}
	return t
}

// streamsOf returns the streams of a connection with their holdings, or with nil if there are no counts.
func (t *table) streamsOf(c *schemadoc.Connector, connection schemadoc.Connection) rawjson.Object {
	streams := rawjson.Object{}
	for _, s := range c.Streams {
		if !schemadoc.HasConnection(c.ConnectionsOf(s), connection.ID) {
			continue
		}
		stream := rawjson.Member{Name: s.Name}
		if held := t.Holdings.Of(c, s, connection); t.hasCounts {
			stream.Value = rawjson.Value(cmp.Or(held.Records, "null"))
			if t.hasTimes {
				stream.Value = rawjson.Array([]rawjson.Value{stream.Value, rawjson.TextOrNull(held.Added)})
			}
		}
		streams = append(streams, stream)
	}
	return streams
}

func (t *table) render() *tool.Result {
	lastAdded := rawjson.Texts("last_added", t.lastAdded)
	columns, meaning := t.legend()
	lines := t.withLimits(append([]string{t.heading(lastAdded...)}, t.warnings(warningBytes)...))
	if len(t.ambiguousStreams) > 0 {
		lines = append(lines, "need a connection_id: "+listedNames(t.ambiguousStreams))
	}
	lines = append(lines, columns)
	rows := make([]rawjson.Value, len(t.Document.Connectors))
	for i, c := range t.Document.Connectors {
		lines = append(lines, t.lines(c)...)
		rows[i] = t.row(c).Encode()
	}
	data := append(t.data(rows, metaBytes), lastAdded...)
	if len(t.ambiguousStreams) > 0 {
		data = append(data, rawjson.Strings("need_connection_id", t.ambiguousStreams))
	}
	members := append(rawjson.Object{rawjson.Raw("data", data.Encode())}, rawjson.Texts("meaning", meaning, "note", limits(t.Schema))...)
	return &tool.Result{Text: strings.Join(lines, "\n"), Structured: render.Structured(answer.Origin{URL: t.URL}, members, nil)}
}

// legend returns the line that names the columns of the text, and the explanation of streams in structured output.
func (t *table) legend() (columns, meaning string) {
	const cells = `columns: ["connector_key","connection_id","display_name"], then `
	switch {
	case t.hasTimes:
		return cells + "stream=[records, when the last was added]", "streams: [records, when the last was added] of each"
	case t.hasCounts:
		return cells + "stream=records", "streams: how many records of each"
	}
	return cells + "its streams", ""
}

func (t *table) lines(c *schemadoc.Connector) []string {
	key := rawjson.Quote(shortKey(c, tableNameLength))
	if len(c.Connections) == 0 {
		return []string{tableLine(listedNames(c.StreamNames()), key, rawjson.TextOrNull(""), rawjson.TextOrNull(""))}
	}
	var lines []string
	for _, connection := range c.Connections {
		var streams []string
		for _, stream := range t.streamsOf(c, connection) {
			if stream.Value == nil {
				streams = append(streams, render.ListedName(stream.Name))
			} else {
				streams = append(streams, render.RawToken(stream.Name, stream.Value))
			}
		}
		label := rawjson.TextOrNull(tool.Clip(connection.Label, tableNameLength))
		lines = append(lines, tableLine(strings.Join(streams, " "), key, rawjson.Quote(connection.ID), label))
		if grant := describeGrant(t.Schema, connection); grant != nil {
			lines = append(lines, " "+render.Tokens(grant))
		}
	}
	return lines
}

func tableLine(streams string, cells ...rawjson.Value) string {
	return strings.TrimSuffix(rawjson.Visible(rawjson.Array(cells))+" "+streams, " ")
}

func (t *table) row(c *schemadoc.Connector) rawjson.Object {
	row := rawjson.Object{}
	if name := c.Members.Get("display_name"); name != nil && len(name) <= displayNameBytes {
		row = append(row, rawjson.Raw("display_name", name))
	}
	row = withKey(row, c, tableNameLength)
	if len(c.Connections) == 0 {
		return append(row, rawjson.Strings(wire.Streams, c.StreamNames()))
	}
	return withConnections(row, c.Connections, len(c.Connections), func(connection schemadoc.Connection) rawjson.Object {
		described, streams := describe(t.Schema, connection, tableNameLength), t.streamsOf(c, connection)
		if !t.hasCounts {
			return append(described, rawjson.Strings(wire.Streams, streams.Names()))
		}
		return append(described, rawjson.Raw(wire.Streams, streams.Encode()))
	})
}
