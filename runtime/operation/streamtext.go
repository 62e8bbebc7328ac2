package operation

import (
	"fmt"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/render"
	"github.com/pdppmcp/pdpp-mcp/runtime/render/rawjson"
)

// text is the rows in text with the legend of their flags, or false when it passes the bound.
func (d *detail) text(shown extent) (string, bool) {
	t := &boundedText{}
	for _, r := range d.rows[:min(len(d.rows), shown.rows)] {
		if r.addLines(t, shown, nil); t.full() {
			return "", false
		}
	}
	if left := len(d.rows) - shown.rows; left > 0 {
		t.add(fmt.Sprintf("rows_left_out=%d: name a connection_id to read one row.", left))
	}
	d.addTail(t, d.calls(shown))
	return t.String(), !t.full()
}

// addTail adds what follows the rows: the legend, the server's warnings and the next calls.
func (d *detail) addTail(t *boundedText, calls []render.Call) {
	t.add("flags of a field: " + flagLegend)
	for _, line := range render.WarningLines(d.members) {
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

// addLines show one row: where it comes from, its fields, and what can be asked of it. The schemas of
// the fields stand beside their flags when they are given.
func (r *row) addLines(t *boundedText, shown extent, schemas map[string]string) {
	t.add(render.Token("stream", r.stream.name) + " " + render.Token("connector_key", clip(r.connector.shownKey(), labelCharacters)))
	connections, left := usableConnections(r.connector.connectionsOf(r.stream), shown.connections)
	for _, connection := range connections {
		t.add("  source " + connection.tokens(shown.label))
	}
	if left > 0 {
		t.add(fmt.Sprintf("  connections_left_out=%d: records name the connection_id that they come from", left))
	}
	if key := r.members.Get("primary_key"); len(key) > len("[]") && len(key) <= memberBytes {
		t.add("  " + render.RawToken("primary_key", key))
	}
	if r.like != nil {
		t.add(fmt.Sprintf("  fields=%d, the same with the same flags as of %s above", len(r.fields),
			render.Token("connector_key", clip(r.like.connector.shownKey(), labelCharacters))))
	} else {
		r.addFields(t, shown, schemas)
	}
	if r.hollow {
		t.add("  " + unadvertised)
	}
	t.add("  projection: " + projectionMeaning)
	t.add("  sort: " + r.sort())
	t.add("  " + countMeaning)
	t.add("  expand: " + r.expand(shown.relations))
	t.add("  search: " + r.search())
	t.add("  aggregate: metric count" + r.aggregates())
}

func (r *row) addFields(t *boundedText, shown extent, schemas map[string]string) {
	t.add(fmt.Sprintf("  fields=%d, flags explained below:", len(r.fields)+r.long))
	for i, f := range r.fields {
		if i == shown.fields || t.full() {
			break
		}
		line := "    " + plainName(f.name) + " " + plainName(clip(f.flags, flagsCharacters))
		if schema := schemas[f.name]; schema != "" {
			line += " schema=" + schema
		}
		t.add(line)
	}
	if left := r.leftOut(shown.fields); left > 0 {
		t.add(fmt.Sprintf("    fields_left_out=%d: query_records shows them in the records", left))
	}
}

// counted tells how many fields there are of a kind.
func (r *row) counted(wanted func(field) bool) string {
	count := 0
	for _, f := range r.fields {
		if wanted(f) {
			count++
		}
	}
	if count == 1 {
		return "1 field"
	}
	return fmt.Sprintf("%d fields", count)
}

// search counts the fields of each mode; the flags name them.
func (r *row) search() string {
	if r.hollow {
		return "modes lexical, semantic and hybrid; the fields that they look at are not advertised"
	}
	return fmt.Sprintf("mode lexical looks at %s flagged lex, semantic at %s flagged sem, hybrid at both",
		r.counted(func(f field) bool { return f.has("lex") }), r.counted(func(f field) bool { return f.has("sem") }))
}

// sort is what cursor_field implies; servers advertise nothing else (R-SCH-3).
func (r *row) sort() string {
	cursor := clip(r.members.Text("cursor_field"), handleMaximum)
	if cursor == "" {
		return "no cursor_field is advertised, so no sort field is known; order asc or desc follows the server's own order"
	}
	return render.Token("cursor_field", cursor) + " implies sort " + string(rawjson.Quote(cursor)) + " or " +
		string(rawjson.Quote("-"+cursor)) + "; order asc or desc says the same"
}

// expand lists the first relations.
func (r *row) expand(most int) string {
	relations := r.relations
	var shown []string
	for _, relation := range relations[:min(len(relations), most)] {
		shown = append(shown, plainName(clip(relation.Text("name"), labelCharacters))+relationDetails(relation))
	}
	if left := len(relations) - len(shown); left > 0 {
		shown = append(shown, fmt.Sprintf("relations_left_out=%d", left))
	}
	if len(shown) == 0 {
		return "no relations are advertised"
	}
	return strings.Join(shown, ", ")
}

func relationDetails(relation rawjson.Object) string {
	var details []string
	if cardinality := relation.Text("cardinality"); cardinality != "" {
		details = append(details, plainName(clip(cardinality, labelCharacters)))
	}
	for _, name := range []string{"default_limit", "max_limit"} {
		if limit, ok := relation.Int(name); ok {
			details = append(details, fmt.Sprintf("%s %d", name, limit))
		}
	}
	if string(relation.Get("usable")) == "false" || string(relation.Get("granted")) == "false" {
		details = append(details, "not usable with this grant")
	}
	if len(details) == 0 {
		return ""
	}
	return " (" + strings.Join(details, ", ") + ")"
}

// aggregates counts the fields of each metric and grouping.
func (r *row) aggregates() string {
	out := ""
	for _, metric := range []string{"sum", "min", "max", "count_distinct", "group_by", "group_by_time"} {
		takes := func(f field) bool {
			for _, own := range f.values("a") {
				if own == metric {
					return true
				}
			}
			return false
		}
		if shown := r.counted(takes); shown != "0 fields" {
			out += "; " + metric + " of " + shown
		}
	}
	if out == "" {
		return ""
	}
	return out + " (flag a=)"
}
