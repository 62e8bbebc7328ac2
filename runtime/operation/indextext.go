package operation

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/render"
	"github.com/pdppmcp/pdpp-mcp/runtime/schemadoc"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// Lines of the index.
const (
	noStreams = "No stream is granted, or none of this connection. Call " + tool.SchemaTool + " without arguments for what is."
)

// text is the index in at most so many bytes. It is whole when every stream name stands in it; when it
// is not, it says how many do not.
func (x *index) text(style indexStyle, bound int) (text string, whole bool) {
	head := []string{x.head()}
	if x.StreamCount() == 0 {
		head = append(head, noStreams)
	}
	head = append(head, x.warnings(style.sent)...)
	var tail []string
	if style.connections == 0 {
		tail = append(tail, x.leftOutLine())
	}
	list := &nameList{room: bound - len(strings.Join(head, "\n")) - len(strings.Join(tail, "\n")) - 2}
	for _, c := range x.Connectors {
		if style.connections == 0 {
			list.addLine(c, style.key)
		} else {
			list.addBlock(c, style)
		}
	}
	if list.left > 0 {
		tail = slices.Insert(tail, 0, list.leftLine()) // its room was kept
	}
	lines := append(append(head, list.lines...), tail...)
	return strings.Join(lines, "\n"), list.left == 0
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

// nameList is the lines of the connectors within a bound.
type nameList struct {
	lines []string
	room  int // bytes
	left  int // names that did not fit
}

// leftLineBytes is kept free for leftLine.
const leftLineBytes = 200

func (l *nameList) leftLine() string {
	return fmt.Sprintf("names_left_out=%d: they do not fit into one result. schema with a connection_id lists fewer; "+
		"schema with a stream reads any granted stream by its name.", l.left)
}

// addBlock adds a connector with its connections, and its names below.
func (l *nameList) addBlock(c *schemadoc.Connector, style indexStyle) {
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
	for _, line := range lines {
		l.room -= len(line) + 1
	}
	l.lines = append(l.lines, lines...)
	l.addNames("  streams:", c.Streams)
}

// addLine adds a connector as one line.
func (l *nameList) addLine(c *schemadoc.Connector, key int) {
	l.addNames(render.HeadingName(fitted(shownKey(c), key))+":", c.Streams)
}

// addNames adds a line of names. The names that do not fit are counted.
func (l *nameList) addNames(head string, streams []*schemadoc.Stream) {
	line := []byte(head)
	l.room -= len(head) + 1
	left := 0
	for _, stream := range streams {
		name := render.ListedName(stream.Name)
		if len(name)+1 > l.room-leftLineBytes {
			left++
			continue
		}
		l.room -= len(name) + 1
		line = append(append(line, ' '), name...)
	}
	l.left += left
	if left < len(streams) {
		l.lines = append(l.lines, string(line))
	} else {
		l.room += len(head) + 1
	}
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
