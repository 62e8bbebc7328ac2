package operation

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/render"
	"github.com/pdppmcp/pdpp-mcp/runtime/schemadoc"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// Bounds of an index with counts. The connector keys have 4,000 bytes together, so that the names of the streams have room.
const (
	countsKey        = 24
	countsAllKeys    = 4_000
	countsStreamName = 1_000 // a longer one is left out
	countsMeta       = 1_600
	countsWarnings   = 800 // of the text
	countsCalls      = 3
)

// counts returns the index with as many names as fit. Structured output has names if the text leaves room, otherwise their number.
func (x *index) counts() (string, json.RawMessage) {
	keyBytes := min(countsKey, max(4, countsAllKeys/max(1, len(x.Connectors))))
	notes := x.warnings(countsWarnings)
	if len(x.ambiguousStreams) > 0 {
		notes = append(notes, fmt.Sprintf("%d streams need a connection_id: several connections have them", len(x.ambiguousStreams)))
	}
	lines := []string{fmt.Sprintf("schema connectors=%d streams=%d", len(x.Connectors), x.StreamCount())}
	if x.StreamCount() == 0 {
		lines = append(lines, "No stream is granted, or none of this connection. Call "+tool.SchemaTool+" without arguments for what is.")
	}
	text := strings.Join(append(lines, notes...), "\n")
	room := indexBytes - len(text) - len(x.leftOut(x.StreamCount())) - len(x.countsDocument(nil))
	names, leftOut := x.namesWithin(room, keyBytes)
	return text + names + x.leftOut(leftOut), x.countsDocument(x.rowsWithin(room - len(names)))
}

// namesWithin returns the lines of the names that fit into a number of bytes, and the number of the others.
func (x *index) namesWithin(room, keyBytes int) (lines string, leftOut int) {
	var out strings.Builder
	for _, c := range x.Connectors {
		heading := "\n" + render.HeadingName(shortKey(c, keyBytes)) + ":"
		for _, s := range c.Streams {
			if len(s.Name) > countsStreamName {
				leftOut++
				continue
			}
			name := heading + " " + render.ListedName(s.Name)
			if out.Len()+len(name) > room {
				leftOut++
				continue
			}
			out.WriteString(name)
			heading = ""
		}
	}
	return out.String(), leftOut
}

// leftOut returns the lines that count the names and the connections that are not shown.
func (x *index) leftOut(names int) string {
	lines := ""
	if names > 0 {
		lines = fmt.Sprintf("\nnames_left_out=%d: they do not fit into one result. schema with a connection_id lists fewer; "+
			"schema with a stream reads any granted stream by its name.", names)
	}
	connections := 0
	for _, c := range x.Connectors {
		connections += len(c.Connections)
	}
	if connections == 0 {
		return lines
	}
	return lines + fmt.Sprintf("\nconnections_left_out=%d: schema with a stream lists those that have it.", connections)
}

// rowsWithin returns the rows that fit into a number of bytes, and then the names of their streams as far as they fit.
func (x *index) rowsWithin(room int) []rawjson.Value {
	var rows []rawjson.Value
	for _, c := range x.Connectors {
		row := countsRow(c, nil)
		if len(row)+1 > room {
			break
		}
		room -= len(row) + 1
		rows = append(rows, row)
	}
	for i := range rows {
		row := countsRow(x.Connectors[i], x.Connectors[i].StreamNames())
		if more := len(row) - len(rows[i]); more <= room {
			room -= more
			rows[i] = row
		}
	}
	return rows
}

func countsRow(c *schemadoc.Connector, names []string) rawjson.Value {
	row := append(withKey(rawjson.Object{}, c, countsKey), rawjson.Int("stream_count", int64(len(c.Streams))))
	if names != nil {
		row = append(row, rawjson.Strings("streams", names))
	}
	return withConnections(row, c.Connections, 1, func(connection schemadoc.Connection) rawjson.Object { return describe(connection, 0) }).Encode()
}

// countsNote explains the counts in structured output.
const countsNote = "Rows without streams have them counted in stream_count: the names do not fit here; the text has them. " +
	"Call " + tool.SchemaTool + " with connection_id for a shorter index, or with stream for one stream."

// countsDocument returns structured output with these rows, and calls for the indexes of single connections (R-BUD-1).
func (x *index) countsDocument(rows []rawjson.Value) json.RawMessage {
	members := rawjson.Object{rawjson.Raw("data", x.data(rows, 0, countsMeta).Encode()), rawjson.String("note", countsNote)}
	var calls []render.Call
	for _, c := range x.Connectors {
		shown, _ := shownConnections(c.Connections, 1)
		if x.input.ConnectionID == nil && len(shown) > 0 && len(calls) < countsCalls {
			calls = append(calls, schemaCall(rawjson.String(tool.SchemaConnectionID, shown[0].ID)))
		}
	}
	return render.Structured(x.response, members, calls)
}

func listedNames(names []string) string {
	listed := make([]string, len(names))
	for i, name := range names {
		listed[i] = render.ListedName(name)
	}
	return strings.Join(listed, " ")
}
