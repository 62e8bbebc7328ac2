package operation

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/render"
	"github.com/pdppmcp/pdpp-mcp/runtime/schemadoc"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// text is the rows in text with the legend of their flags, as far as it keeps the bound.
func (d *detail) text(shown portion, calls []render.Call) *boundedText {
	t := &boundedText{}
	if len(shown.dropped) > 0 {
		t.add(fmt.Sprintf("members_left_out=%s: the full row does not fit into one result", rawjson.Visible(rawjson.Strings("", shown.dropped).Value)))
	}
	for _, r := range d.rows[:shown.rows] {
		if r.addLines(t, shown); t.full() {
			return t
		}
	}
	d.addTail(t, shown, calls)
	return t
}

// addTail adds what follows the rows: how many are left out, the legend, the server's warnings and the next calls.
func (d *detail) addTail(t *boundedText, shown portion, calls []render.Call) {
	if left := len(d.rows) - shown.rows; left > 0 {
		t.add(fmt.Sprintf("rows_left_out=%d: name a connection_id to read one row.", left))
	}
	if legend := d.flagLegend(shown, textFlags); legend != "" {
		t.add("flags: " + legend)
	}
	for _, line := range render.WarningLines(d.Members) {
		t.add(line)
	}
	for _, call := range calls {
		t.add(call.Line())
	}
}

// boundedText is lines, counted as they come, so that a text that grows too long is noticed early.
type boundedText struct {
	strings.Builder
	length int // as render.Length counts
}

func (t *boundedText) add(line string) {
	if t.Len() > 0 {
		t.WriteByte('\n')
		t.length++
	}
	t.WriteString(line)
	t.length += render.Length(line)
}

func (t *boundedText) full() bool { return t.length > render.ChannelCharacters }

// addLines show one row: where it comes from, what can be asked of it, and its fields, of which the flags say what can be asked.
func (r *row) addLines(t *boundedText, shown portion) {
	r.addHead(t, shown)
	if r.hollow {
		t.add(" " + unadvertised)
	}
	t.add(" projection: " + projectionMeaning)
	t.add(" sort: " + r.sort())
	t.add(" count: " + countMeaning)
	if len(r.relations) > 0 {
		t.add(" expand: " + r.expand(shown.relations))
	}
	isSearched := func(f schemadoc.Field) bool { return f.Has("lex") || f.Has("sem") }
	isAggregated := func(f schemadoc.Field) bool { return f.Values("a") != nil }
	switch { // what the flags do not say
	case r.hollow:
		t.add(" search: lexical, semantic, hybrid")
	case !slices.ContainsFunc(r.fields, isSearched):
		t.add(" search: no field")
	}
	switch {
	case r.hollow:
		t.add(" aggregate: count; other metrics and groupings as fields allow")
	case !slices.ContainsFunc(r.fields, isAggregated):
		t.add(" aggregate: count")
	}
	if r.schemaLine != "" {
		t.add(" json_schema: " + r.schemaLine)
	}
	if r.like != nil {
		t.add(fmt.Sprintf(" fields=%d, the same with the same flags as of %s above", len(r.fields),
			render.Token("connector_key", tool.Clip(shownKey(r.like.connector), tool.LabelCharacters))))
	} else {
		r.addFields(t, shown)
	}
}

// usualKey is the primary key that is not worth a word: most streams have it.
const usualKey = `["id"]`

// addHead says where a row comes from, and by what its records are told apart if that is not their id.
func (r *row) addHead(t *boundedText, shown portion) {
	head := render.Token("stream", r.stream.Name) + " " + render.Token("connector_key", tool.Clip(shownKey(r.connector), tool.LabelCharacters))
	connections, left := usableConnections(r.connector.ConnectionsOf(r.stream), shown.connections)
	if len(connections) == 1 && left == 0 {
		head, connections = head+" "+tokens(connections[0], shown.label), nil
	}
	if key := r.members.Get("primary_key"); len(key) > len("[]") && len(key) <= memberBytes && string(key) != usualKey {
		head += " " + render.RawToken("primary_key", key)
	}
	t.add(head)
	for _, connection := range connections {
		t.add(" source " + tokens(connection, shown.label))
	}
	if left > 0 {
		t.add(fmt.Sprintf(" connections_left_out=%d: records name the connection_id that they come from", left))
	}
}

func (r *row) addFields(t *boundedText, shown portion) {
	if left := r.leftOut(shown.fields); left > 0 {
		t.add(fmt.Sprintf(" fields_left_out=%d: %s shows them in the records", left, tool.RecordsTool))
	}
	head := fmt.Sprintf(" fields=%d", len(r.fields)+r.long)
	switch {
	case r.sample != nil:
		head += ", " + r.sample.legend()
	case r.hollow:
		head += ", their names alone are advertised"
	}
	head += ":"
	if r.isBare() && r.sample == nil && !r.hasSchemas() {
		t.add(head + " " + r.names(shown.fields))
		return
	}
	t.add(head)
	if r.sample != nil {
		r.addSample(t, shown)
	}
	if r.sample == nil || r.hasSchemas() {
		r.addFlags(t, shown)
	}
}

// addFlags adds the first fields, a line for those of which the same is said.
func (r *row) addFlags(t *boundedText, shown portion) {
	var alike []string // what stands behind the names, in the order of the fields
	names := map[string][]string{}
	for _, f := range r.fields[:min(len(r.fields), shown.fields)] {
		said := shownFlags(tool.Clip(textFlags(f.Flags), flagsCharacters))
		if schema := r.shownSchema(f.Name, shown.schema); schema != "" {
			said += " schema=" + schema
		}
		if names[said] == nil {
			alike = append(alike, said)
		}
		names[said] = append(names[said], render.ListedName(f.Name))
	}
	for _, said := range alike {
		if t.full() {
			break
		}
		t.add(" " + strings.Join(names[said], " ") + ": " + said)
	}
}

// isBare reports whether nothing but their names is known of the fields.
func (r *row) isBare() bool {
	return !slices.ContainsFunc(r.fields, func(f schemadoc.Field) bool { return f.Flags != schemadoc.Declared })
}

// names lists the first fields.
func (r *row) names(most int) string {
	var names []string
	for _, f := range r.fields[:min(len(r.fields), most)] {
		names = append(names, render.ListedName(f.Name))
	}
	return strings.Join(names, " ")
}

// sort is what cursor_field implies; servers advertise nothing else (R-SCH-3).
func (r *row) sort() string {
	cursor := tool.Clip(r.members.Text("cursor_field"), handleMaximum)
	if cursor == "" {
		return "no field is advertised; order asc or desc"
	}
	return render.Quoted(cursor) + " or " + render.Quoted("-"+cursor) + ", as cursor_field implies"
}

// expand lists the first relations.
func (r *row) expand(most int) string {
	var shown []string
	for _, relation := range r.relations[:min(len(r.relations), most)] {
		shown = append(shown, relationText(relation))
	}
	if left := len(r.relations) - len(shown); left > 0 {
		shown = append(shown, fmt.Sprintf("relations_left_out=%d", left))
	}
	return strings.Join(shown, ", ")
}

// relationText is a relation in text, with what is known of it.
func relationText(relation schemadoc.Relation) string {
	var details []string
	if cardinality := relation.Members.Text("cardinality"); cardinality != "" {
		details = append(details, render.ListedName(tool.Clip(cardinality, tool.LabelCharacters)))
	}
	for _, name := range []string{"default_limit", "max_limit"} {
		if limit, ok := relation.Members.Int(name); ok {
			details = append(details, fmt.Sprintf("%s %d", name, limit))
		}
	}
	if !relation.Usable() {
		details = append(details, "not usable with this grant")
	}
	name := render.ListedName(tool.Clip(relation.Name, tool.LabelCharacters))
	if len(details) == 0 {
		return name
	}
	return name + " (" + strings.Join(details, ", ") + ")"
}
