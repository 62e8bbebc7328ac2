package operation

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/answer"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
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

// newTable returns the table. It returns nil if there is no stream, or if the table cannot show every stream of every connection.
func (x *index) newTable() *table {
	t := &table{index: x}
	cells, times := 0, map[string]bool{}
	for _, c := range x.Connectors {
		if cells += len(c.Connections) * len(c.Streams); cells > indexBytes {
			return nil
		}
		for _, connection := range c.Connections {
			if len(connection.ID) > nameBytes {
				return nil
			}
			for _, s := range c.Streams {
				if schemadoc.HasConnection(c.ConnectionsOf(s), connection.ID) {
					held := x.holdings.find(c, s, connection.ID)
					t.hasCounts = t.hasCounts || held != holding{}
					times[held.added], t.lastAdded = true, held.added
				}
			}
		}
	}
	if x.StreamCount() == 0 {
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
		if held := t.holdings.find(c, s, connection.ID); t.hasCounts {
			stream.Value = rawjson.Value(cmp.Or(held.records, "null"))
			if t.hasTimes {
				stream.Value = rawjson.Array([]rawjson.Value{stream.Value, rawjson.TextOrNull(held.added)})
			}
		}
		streams = append(streams, stream)
	}
	return streams
}

func (t *table) render() *tool.Result {
	lastAdded := rawjson.Texts("last_added", t.lastAdded)
	columns, meaning := t.legend()
	lines := append([]string{t.heading(lastAdded...)}, t.warnings(warningBytes)...)
	if len(t.ambiguousStreams) > 0 {
		lines = append(lines, "need a connection_id: "+listedNames(t.ambiguousStreams))
	}
	lines = append(lines, columns)
	rows := make([]rawjson.Value, len(t.Connectors))
	for i, c := range t.Connectors {
		lines = append(lines, t.lines(c)...)
		rows[i] = t.row(c).Encode()
	}
	data := append(t.data(rows, metaBytes), lastAdded...)
	if len(t.ambiguousStreams) > 0 {
		data = append(data, rawjson.Strings("need_connection_id", t.ambiguousStreams))
	}
	members := append(rawjson.Object{rawjson.Raw("data", data.Encode())}, rawjson.Texts("meaning", meaning)...)
	return &tool.Result{Text: strings.Join(lines, "\n"), Structured: render.Structured(answer.Origin{URL: t.response.URL}, members, nil)}
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
		return append(row, rawjson.Strings("streams", c.StreamNames()))
	}
	return withConnections(row, c.Connections, len(c.Connections), func(connection schemadoc.Connection) rawjson.Object {
		described, streams := describe(connection, tableNameLength), t.streamsOf(c, connection)
		if !t.hasCounts {
			return append(described, rawjson.Strings("streams", streams.Names()))
		}
		return append(described, rawjson.Raw("streams", streams.Encode()))
	})
}

const (
	listingTime    = 2 * time.Second // afterwards the index is shown without holdings
	timeCharacters = 35
)

type source struct{ connectionID, stream string }

// holding is the number of records of a source, and the time when the last one was added. Either is empty if the server does not say.
type holding struct{ records, added string }

// holdings maps each granted source to its holding (R-SCH-9).
type holdings map[source]holding

// readHoldings reads the list of streams. It returns nil if the server has none, or does not answer in time.
func readHoldings(ctx context.Context, env tool.Env) holdings {
	ctx, cancel := context.WithTimeout(ctx, listingTime)
	defer cancel()
	response, err := env.RS.Get(ctx, rs.Request{Path: rs.JoinPath("v1", "streams"), Sources: rs.StreamsOfSources{}})
	if err != nil {
		return nil
	}
	list, err := response.List()
	if err != nil {
		return nil
	}
	found := holdings{}
	for _, value := range list.Rows {
		row, _ := rawjson.ParseObject(value)
		held := holding{added: tool.Clip(strings.TrimSuffix(row.Text("last_updated"), "T00:00:00Z"), timeCharacters)}
		if count, ok := row.Int("record_count"); ok {
			held.records = fmt.Sprint(count)
		}
		found[source{row.Text("connection_id"), row.Text("name")}] = held
	}
	return found
}

// find returns the holding of a connection in a stream. A row without a connection_id is about the only connection of the stream.
func (h holdings) find(c *schemadoc.Connector, s *schemadoc.Stream, connectionID string) holding {
	if held, ok := h[source{connectionID, s.Name}]; ok || len(c.ConnectionsOf(s)) > 1 {
		return held
	}
	return h[source{"", s.Name}]
}
