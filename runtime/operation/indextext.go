package operation

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/render"
	"github.com/pdppmcp/pdpp-mcp/runtime/schemadoc"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// text writes the index in up to room bytes and reports whether it fits. countStyle leaves out names that do not fit, long ones
// first, and counts them. The other styles leave out none.
func (x *index) text(style indexStyle, room int) (text string, fits bool) {
	room -= len(x.leftOut(style, 0))
	text, left := x.namesWithin(style, room, room)
	if left > 0 && style.counts {
		room += len(x.leftOut(style, 0)) - len(x.leftOut(style, x.StreamCount()))
		text, left = x.namesWithin(style, room, handleMaximum)
	}
	return text + x.leftOut(style, left), len(text) <= room && (left == 0 || style.counts)
}

// namesWithin writes the connectors with the names of their streams, each of up to longest bytes, and counts the names that it
// leaves out.
func (x *index) namesWithin(style indexStyle, room, longest int) (text string, left int) {
	var out strings.Builder
	fmt.Fprintf(&out, "schema connectors=%d streams=%d", len(x.Connectors), x.StreamCount())
	if x.StreamCount() == 0 {
		out.WriteString("\nNo stream is granted, or none of this connection. Call " + tool.SchemaTool + " without arguments for what is.")
	}
	for _, line := range x.notes(style) {
		out.WriteString("\n" + line)
	}
	for _, c := range x.Connectors {
		heading := "\n" + render.HeadingName(fitted(shownKey(c), style.key)) + ":"
		if style.connections > 0 {
			writeConnector(&out, c, style)
			heading = "\n  streams:"
		}
		left += writeNames(&out, heading, c.Streams, longest, room)
		if out.Len() > room {
			break
		}
	}
	return out.String(), left
}

// writeNames lists after a heading the streams for which a text of room bytes has space, and counts the others.
func writeNames(out *strings.Builder, heading string, streams []*schemadoc.Stream, longest, room int) (left int) {
	for _, s := range streams {
		free := room - out.Len() - len(heading) - 1
		name := ""
		if len(s.Name) <= min(free, longest) { // the listed form is never shorter
			name = render.ListedName(s.Name)
		}
		if name == "" || len(name) > free {
			left++
			continue
		}
		out.WriteString(heading + " " + name)
		heading = ""
	}
	return left
}

// writeConnector shows a connector with its connections.
func writeConnector(out *strings.Builder, c *schemadoc.Connector, style indexStyle) {
	fmt.Fprintf(out, "\nconnector %s streams=%d", render.Token("connector_key", fitted(shownKey(c), style.key)), len(c.Streams))
	shown, left := usableConnections(c.Connections, style.connections)
	for _, connection := range shown {
		out.WriteString("\n  " + tokens(connection, style.label))
	}
	if left == 0 {
		return
	}
	fmt.Fprintf(out, "\n  more_connections=%d", left)
	if call, ok := listingCall(c); ok {
		out.WriteString(", listed by: " + strings.TrimPrefix(call.Line(), "next: "))
	}
}

// leftOut counts so many names, if any, and the connections of an index that has room for names only.
func (x *index) leftOut(style indexStyle, names int) (lines string) {
	if names > 0 {
		lines = fmt.Sprintf("\nnames_left_out=%d: they do not fit into one result. schema with a connection_id lists fewer; "+
			"schema with a stream reads any granted stream by its name.", names)
	}
	if style.connections > 0 {
		return lines
	}
	count := 0
	for _, c := range x.Connectors {
		count += len(c.Connections)
	}
	return lines + fmt.Sprintf("\nconnections_left_out=%d: schema with a stream lists those that have it.", count)
}

// notes are the lines above the connectors: the server's warnings, and the streams that need a connection_id.
func (x *index) notes(style indexStyle) []string {
	lines := x.warnings(style.sent)
	switch {
	case len(x.sharedNames) == 0:
	case style.counts:
		lines = append(lines, fmt.Sprintf("%d streams need a connection_id: several connections have them", len(x.sharedNames)))
	default:
		names := make([]string, len(x.sharedNames))
		for i, name := range x.sharedNames {
			names[i] = render.ListedName(name)
		}
		lines = append(lines, "need a connection_id: "+strings.Join(names, " "))
	}
	return lines
}

// sharedStreams are the names of the streams that several connections have whose grants the adapter reads together, so that a read
// has to name one of them. Of a single grant there are none: its server reads the connections together.
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

// warnings are the server's warnings within so many bytes, or their number.
func (x *index) warnings(bytes int) []string {
	lines := render.WarningLines(x.Members)
	for size, i := 0, 0; i < len(lines); i++ {
		if size += len(lines[i]); size > 2*bytes {
			return append(lines[:i:i], fmt.Sprintf("more_warnings=%d", len(lines)-i))
		}
	}
	return lines
}

func shownKey(c *schemadoc.Connector) string { return cmp.Or(c.Key, "unknown") }

// listingCall lists all connections of a connector's first stream.
func listingCall(c *schemadoc.Connector) (render.Call, bool) {
	for _, s := range c.Streams {
		if len(s.Connections) == 0 && len(s.Name) <= handleMaximum { // it has all
			return schemaCall(rawjson.String(tool.SchemaStream, s.Name)), true
		}
	}
	return render.Call{}, false
}

// fitted is the beginning of a text that takes at most so many bytes as render.ListedName writes it, or a dash.
func fitted(text string, bytes int) string {
	if len(text) <= bytes && len(render.ListedName(text)) <= bytes { // which is no shorter than the text
		return text
	}
	kept := ""
	for at, r := range text {
		if next := text[:at] + string(r); len(render.ListedName(next)) <= bytes {
			kept = next
		} else {
			break
		}
	}
	return cmp.Or(kept, "-")
}
