package schema

import (
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

// boundedText is the lines of a text and their length. The caller stops early if the text becomes too long.
type boundedText struct {
	lines  []string
	length int // characters, as render.Length counts them
}

func (t *boundedText) add(line string) {
	t.lines = append(t.lines, line)
	t.length += render.Length(line) + 1
}

func (t *boundedText) isFull() bool { return t.length > render.ChannelCharacters }

// text returns the rows, the number of rows left out, the legend of the flags, the warnings of the server and the next
// calls.
func (d *detail) text(shown portion, calls []answer.Call) *boundedText {
	t := &boundedText{}
	if len(shown.dropped) > 0 {
		t.add(fmt.Sprintf("members_left_out=%s: the full row does not fit into one result", rawjson.Visible(rawjson.Strings("", shown.dropped).Value)))
	}
	for _, r := range d.rows[:shown.rows] {
		if r.addLines(t, shown); t.isFull() {
			return t
		}
	}
	if left := len(d.rows) - shown.rows; left > 0 {
		t.add(fmt.Sprintf("rows_left_out=%d: name a connection_id to read one row.", left))
	}
	if note := limits(d.Schema); note != "" {
		t.add(note)
	}
	if legend := d.flagLegend(shown, textFlags); legend != "" {
		t.add("flags: " + legend)
	}
	for _, line := range render.WarningLines(d.Document.Members) {
		t.add(line)
	}
	for _, call := range calls {
		t.add(render.Line(call))
	}
	return t
}

// addLines adds one row: its source, the queries that the flags do not describe, and its fields.
func (r *row) addLines(t *boundedText, shown portion) {
	r.addSource(t, shown)
	if r.isBare {
		t.add(" " + unadvertised)
	}
	t.add(" projection: any granted field")
	t.add(" sort: " + r.sort())
	if field := r.timeField(); field != "" {
		t.add(" " + render.Token(timeFieldName, field))
	}
	t.add(" count: none, estimated or exact")
	if len(r.relations) > 0 {
		t.add(" expand: " + r.relationsText(shown.relations))
	}
	isSearched := func(f schemadoc.Field) bool { return f.Has("lex") || f.Has("sem") }
	isAggregated := func(f schemadoc.Field) bool { return f.Values("a") != nil }
	if r.isBare {
		t.add(" search: lexical, semantic, hybrid")
		t.add(" aggregate: count; more as fields allow")
	} else {
		if !slices.ContainsFunc(r.Fields, isSearched) {
			t.add(" search: no field")
		}
		if !slices.ContainsFunc(r.Fields, isAggregated) {
			t.add(" aggregate: count")
		}
	}
	if r.schemaLine != "" {
		t.add(" json_schema: " + r.schemaLine)
	}
	if r.like != nil {
		t.add(fmt.Sprintf(" fields=%d, the same with the same flags as of %s above", len(r.Fields),
			render.Token("connector_key", keyOf(r.like.Connector, tool.LabelCharacters))))
		return
	}
	r.addFields(t, shown)
}

// defaultKey is the primary key of most streams, which is not shown.
const defaultKey = `["id"]`

func (r *row) addSource(t *boundedText, shown portion) {
	source := render.Token(wire.Stream, r.Stream.Name) + " " + render.Token("connector_key", keyOf(r.Connector, tool.LabelCharacters))
	connections, leftOut := shownConnections(r.Connections(), shown.connections)
	if len(connections) == 1 && leftOut == 0 {
		source, connections = source+" "+render.Tokens(describe(r.found, connections[0], shown.label)), nil
	}
	if key := r.Stream.Members.Get("primary_key"); len(key) > len("[]") && len(key) <= memberBytes && string(key) != defaultKey {
		source += " " + render.RawToken("primary_key", key)
	}
	if id := r.sourceID(); id != "" {
		source += " " + render.Token("source_id", id)
	}
	t.add(source)
	for _, connection := range connections {
		t.add(" source " + render.Tokens(describe(r.found, connection, shown.label)))
	}
	if leftOut > 0 {
		t.add(fmt.Sprintf(" connections_left_out=%d: records name the connection_id that they come from", leftOut))
	}
}

// sourceID returns the id of the connector that connect takes, or an empty string if it is the key or too long.
func (r *row) sourceID() string {
	source, _ := rawjson.ParseObject(r.Connector.Members.Get("source"))
	if id := source.Text(wire.ID); id != r.Connector.Key && len(id) <= answer.LongestName {
		return id
	}
	return ""
}

func (r *row) addFields(t *boundedText, shown portion) {
	if left := r.leftOut(shown.fields); left > 0 {
		t.add(fmt.Sprintf(" fields_left_out=%d: %s shows them in the records", left, tool.RecordsTool))
	}
	heading := fmt.Sprintf(" fields=%d", len(r.Fields)+r.Unshown)
	switch {
	case r.Sample != nil:
		heading += " granted, " + legendOf(r.Sample)
	case r.isBare:
		heading += " granted, their names alone are advertised"
	}
	if r.Sample == nil && r.HasNamesOnly() && !r.hasSchemas() {
		names := make([]string, 0, len(r.Fields))
		for _, f := range r.shownFields(shown.fields) {
			names = append(names, f.Name)
		}
		t.add(heading + ": " + listedNames(names))
		return
	}
	t.add(heading + ":")
	if r.Sample != nil {
		r.addSample(t, shown)
	}
	if r.Sample == nil || r.hasSchemas() {
		r.addFlags(t, shown)
	}
}

// addFlags adds the first fields. Fields with the same flags share a line.
func (r *row) addFlags(t *boundedText, shown portion) {
	var distinct []string
	names := map[string][]string{} // by flags
	for _, f := range r.shownFields(shown.fields) {
		flags := quotedFlags(tool.Clip(textFlags(f.Flags), flagsCharacters))
		if schema := r.schemaText(f.Name, shown.schema); schema != "" {
			flags += " schema=" + schema
		}
		if names[flags] == nil {
			distinct = append(distinct, flags)
		}
		names[flags] = append(names[flags], f.Name)
	}
	for _, flags := range distinct {
		t.add(" " + listedNames(names[flags]) + ": " + flags)
	}
}

// sort describes the accepted orders. Servers advertise only the cursor_field (R-SCH-3), and the adapter sorts by any
// field (R-AGG-5).
func (r *row) sort() string {
	cursor := tool.Clip(r.Stream.Members.Text("cursor_field"), answer.LongestName)
	switch {
	case cursor == "" && r.sortsAny:
		return "any field, - for descending; order asc or desc"
	case cursor == "":
		return "no field is advertised; order asc or desc"
	}
	text := render.Quoted(cursor) + " or " + render.Quoted("-"+cursor) + ", as cursor_field implies"
	if r.sortsAny {
		text += "; any other field too"
	}
	return text
}

// relationsText lists the first relations with their cardinality and limits.
func (r *row) relationsText(limit int) string {
	var shown []string
	for _, relation := range r.relations[:min(len(r.relations), limit)] {
		name := render.ListedName(tool.Clip(relation.Name, tool.LabelCharacters))
		var details []string
		if cardinality := relation.Members.Text("cardinality"); cardinality != "" {
			details = append(details, render.ListedName(tool.Clip(cardinality, tool.LabelCharacters)))
		}
		for _, name := range []string{"default_limit", "max_limit"} {
			if limit, ok := relation.Members.Int(name); ok {
				details = append(details, fmt.Sprintf("%s %d", name, limit))
			}
		}
		switch {
		case string(relation.Members.Get("granted")) == "false":
			details = append(details, "not granted")
		case !relation.Usable():
			details = append(details, "not usable with this grant")
		}
		if details != nil {
			name += " (" + strings.Join(details, ", ") + ")"
		}
		shown = append(shown, name)
	}
	if left := len(r.relations) - len(shown); left > 0 {
		shown = append(shown, fmt.Sprintf("relations_left_out=%d", left))
	}
	return strings.Join(shown, ", ")
}
