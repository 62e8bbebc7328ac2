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

// text is the index with the first so many stream names; it counts the others.
func (x *index) text(style indexStyle, names int) string {
	lines := []string{fmt.Sprintf("schema connectors=%d streams=%d", len(x.Connectors), x.StreamCount())}
	if x.StreamCount() == 0 {
		lines = append(lines, "No stream is granted, or none of this connection. Call "+tool.SchemaTool+" without arguments for what is.")
	}
	lines = append(lines, x.warnings(style.sent)...)
	left := x.StreamCount() - names
	for _, c := range x.Connectors {
		line := render.HeadingName(fitted(shownKey(c), style.key)) + ":"
		if style.connections > 0 {
			lines = append(lines, connectorLines(c, style)...)
			line = "  streams:"
		}
		shown := c.Streams[:min(names, len(c.Streams))]
		names -= len(shown)
		if len(shown) > 0 {
			lines = append(lines, line+listed(shown))
		}
	}
	if left > 0 {
		lines = append(lines, fmt.Sprintf("names_left_out=%d: they do not fit into one result. schema with a connection_id lists fewer; "+
			"schema with a stream reads any granted stream by its name.", left))
	}
	if style.connections == 0 {
		lines = append(lines, x.leftOutLine())
	}
	return strings.Join(lines, "\n")
}

// listed are the names of streams, with a space before each.
func listed(streams []*schemadoc.Stream) string {
	var names strings.Builder
	for _, stream := range streams {
		names.WriteString(" " + render.ListedName(stream.Name))
	}
	return names.String()
}

// connectorLines show a connector with its connections.
func connectorLines(c *schemadoc.Connector, style indexStyle) []string {
	lines := []string{fmt.Sprintf("connector %s streams=%d", render.Token("connector_key", fitted(shownKey(c), style.key)), len(c.Streams))}
	shown, left := usableConnections(c.Connections, style.connections)
	for _, connection := range shown {
		lines = append(lines, "  "+tokens(connection, style.label))
	}
	if left > 0 {
		line := fmt.Sprintf("  more_connections=%d", left)
		if call, ok := listingCall(c); ok {
			line += ", listed by: " + strings.TrimPrefix(call.Line(), "next: ")
		}
		lines = append(lines, line)
	}
	return lines
}

// leftOutLine counts the connections of an index that has room for names only.
func (x *index) leftOutLine() string {
	count := 0
	for _, c := range x.Connectors {
		count += len(c.Connections)
	}
	return fmt.Sprintf("connections_left_out=%d: schema with a stream lists those that have it.", count)
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
	if len(render.ListedName(text)) <= bytes {
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
