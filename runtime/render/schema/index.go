package schema

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/answer"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/wire"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/schemadoc"
	"github.com/pdppmcp/pdpp-mcp/runtime/render"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// indexBytes is the maximum size of text and structured output of the index together (R-SCH-2).
const indexBytes = 40_000

// Bounds of what the index repeats of the server's document, in bytes.
const (
	displayNameBytes = 500
	metaBytes        = 8_000
	warningBytes     = 4_000 // of the text
)

// index is the list of every granted stream by connector, without capabilities.
type index struct {
	*answer.Schema
	ambiguousStreams []string // streams that several connections have, so that a read needs a connection_id
}

// render returns a table of the connections. If the table does not fit, it returns as many names of streams as fit, and
// the number of the others.
func (x *index) render() (*tool.Result, error) {
	forms := []func() *tool.Result{x.counts}
	if table := x.newTable(); table != nil {
		forms = slices.Insert(forms, 0, table.render)
	}
	for _, form := range forms {
		if result := form(); len(result.Text)+len(result.Structured) <= indexBytes {
			return result, nil
		}
	}
	return nil, &answer.TooLargeError{
		Origin: x.Origin, Message: fmt.Sprintf("the index of all streams is larger than %d bytes", indexBytes),
		NextStep: "call " + tool.SchemaTool + " with connection_id or with stream",
	}
}

func (x *index) heading(tokens ...rawjson.Member) string {
	return strings.TrimSuffix(tool.SchemaTool+" "+render.Tokens(append(tokens, x.now()...)), " ")
}

func (x *index) data(rows []rawjson.Value, metaBytes int) rawjson.Object {
	data := documentData(x.Document, metaBytes, x.now(), rows)
	return withLeftOut(data, "connectors_left_out", len(x.Document.Connectors)-len(rows))
}

// now returns the time and the time zone of the caller (R-TIME-8).
func (x *index) now() rawjson.Object { return rawjson.Texts("now", x.Now, wire.TimeZone, x.TimeZone) }

func withKey(row rawjson.Object, c *schemadoc.Connector, keyBytes int) rawjson.Object {
	if c.Key == "" {
		return row
	}
	return append(row, rawjson.String("connector_key", shortKey(c, keyBytes)))
}

// warnings returns the server's warnings up to a number of bytes, and the number of the others.
func (x *index) warnings(bytes int) []string {
	lines := render.WarningLines(x.Document.Members)
	for i, line := range lines {
		if bytes -= len(line); bytes < 0 {
			return append(lines[:i:i], fmt.Sprintf("more_warnings=%d", len(lines)-i))
		}
	}
	return lines
}

// withLimits appends the line of the limits, if there are any.
func (x *index) withLimits(lines []string) []string {
	if note := limits(x.Schema); note != "" {
		lines = append(lines, note)
	}
	return lines
}

// sharedStreams returns the streams that several connections have, so that a read must name one. It returns nil for a
// document of a single grant.
func sharedStreams(d *schemadoc.Document) []string {
	if !d.HasSeveralGrants() {
		return nil
	}
	var names []string
	first, isShared := map[string]string{}, map[string]bool{} // by stream
	for c, s := range d.Rows() {
		for _, connection := range c.ConnectionsOf(s) {
			if id, known := first[s.Name]; !known {
				first[s.Name] = connection.ID
			} else if id != connection.ID && !isShared[s.Name] {
				names, isShared[s.Name] = append(names, s.Name), true
			}
		}
	}
	return names
}

// Bounds of an index with counts, in bytes except for countsCalls. The connector keys share 4,000 bytes, so that the
// names of the streams have room.
const (
	countsKey        = 24
	countsAllKeys    = 4_000
	countsStreamName = 1_000 // a longer one is left out
	countsMeta       = 1_600
	countsWarnings   = 800 // of the text
	countsCalls      = 3
)

// counts returns the index with as many names as fit. Structured output has the names that fit after the text,
// otherwise their number.
func (x *index) counts() *tool.Result {
	keyBytes := min(countsKey, max(4, countsAllKeys/max(1, len(x.Document.Connectors))))
	notes := x.withLimits(x.warnings(countsWarnings))
	if len(x.ambiguousStreams) > 0 {
		notes = append(notes, fmt.Sprintf("%d streams need a connection_id: several connections have them", len(x.ambiguousStreams)))
	}
	lines := []string{x.heading(rawjson.Int("connectors", int64(len(x.Document.Connectors))), rawjson.Int(wire.Streams, int64(x.Document.StreamCount())))}
	if x.Document.StreamCount() == 0 {
		lines = append(lines, nothingGranted)
	}
	text := strings.Join(append(lines, notes...), "\n")
	room := indexBytes - len(text) - len(x.leftOut(x.Document.StreamCount())) - len(x.countsDocument(nil))
	var names strings.Builder
	leftOut := 0
	for _, c := range x.Document.Connectors {
		heading := "\n" + render.HeadingName(shortKey(c, keyBytes)) + ":"
		for _, s := range c.Streams {
			name := heading + " " + render.ListedName(s.Name)
			if len(s.Name) > countsStreamName || names.Len()+len(name) > room {
				leftOut++
				continue
			}
			names.WriteString(name)
			heading = ""
		}
	}
	return &tool.Result{Text: text + names.String() + x.leftOut(leftOut), Structured: x.countsDocument(x.rowsWithin(room - names.Len()))}
}

// leftOut returns the lines that count the names and the connections that are not shown.
func (x *index) leftOut(names int) string {
	lines := ""
	if names > 0 {
		lines = fmt.Sprintf("\nnames_left_out=%d: they do not fit into one result. schema with a connection_id lists fewer; "+
			"schema with a stream reads any granted stream by its name.", names)
	}
	connections := 0
	for _, c := range x.Document.Connectors {
		connections += len(c.Connections)
	}
	if connections > 0 {
		lines += fmt.Sprintf("\nconnections_left_out=%d: schema with a stream lists those that have it.", connections)
	}
	return lines
}

// rowsWithin returns the rows that fit into a number of bytes. A row has the names of its streams if they fit too.
func (x *index) rowsWithin(room int) []rawjson.Value {
	var rows []rawjson.Value
	for _, c := range x.Document.Connectors {
		row := x.countsRow(c, nil)
		if len(row)+1 > room {
			break
		}
		room -= len(row) + 1
		rows = append(rows, row)
	}
	for i := range rows {
		row := x.countsRow(x.Document.Connectors[i], x.Document.Connectors[i].StreamNames())
		if more := len(row) - len(rows[i]); more <= room {
			room -= more
			rows[i] = row
		}
	}
	return rows
}

func (x *index) countsRow(c *schemadoc.Connector, names []string) rawjson.Value {
	row := append(withKey(rawjson.Object{}, c, countsKey), rawjson.Int("stream_count", int64(len(c.Streams))))
	if names != nil {
		row = append(row, rawjson.Strings(wire.Streams, names))
	}
	return withConnections(row, c.Connections, 1, func(connection schemadoc.Connection) rawjson.Object {
		return describe(x.Schema, connection, 0)
	}).Encode()
}

// nothingGranted explains an index without rows.
const nothingGranted = "No stream is granted, or none of this connection. Call " + tool.SchemaTool + " without arguments for what is."

// countsNote explains the counts in structured output.
const countsNote = "Rows without streams have them counted in stream_count: the names do not fit here; the text has them. " +
	"Call " + tool.SchemaTool + " with connection_id for a shorter index, or with stream for one stream."

// countsDocument returns structured output with these rows, and calls for the indexes of single connections (R-BUD-1).
func (x *index) countsDocument(rows []rawjson.Value) json.RawMessage {
	note := countsNote
	if x.Document.StreamCount() == 0 {
		note = nothingGranted
	}
	members := rawjson.Object{
		rawjson.Raw("data", x.data(rows, countsMeta).Encode()),
		rawjson.String("note", strings.TrimSpace(note+" "+limits(x.Schema))),
	}
	var calls []answer.Call
	for _, c := range x.Document.Connectors {
		shown, _ := shownConnections(c.Connections, 1)
		if x.ConnectionID == nil && len(shown) > 0 && len(calls) < countsCalls {
			calls = append(calls, schemaCall(rawjson.String(tool.SchemaConnectionID, shown[0].ID)))
		}
	}
	return render.Structured(answer.Origin{URL: x.URL}, members, calls)
}

func listedNames(names []string) string {
	listed := make([]string, len(names))
	for i, name := range names {
		listed[i] = render.ListedName(name)
	}
	return strings.Join(listed, " ")
}
