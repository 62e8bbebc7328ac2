package operation

import (
	"fmt"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/render"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// common is what the holdings of an index have in common.
type common struct {
	counts bool   // the server told of some stream how many records it has, or when the last was added
	times  bool   // the last ones were not all added at the same time
	added  string // when they were, if they were
}

func (x *index) findCommon() common {
	var found common
	first := true
	for _, c := range x.Connectors {
		for _, connection := range c.Connections {
			for _, held := range x.holdings.share(c, connection).held {
				found.counts = found.counts || held != holding{}
				found.times = found.times || !first && held.added != found.added
				found.added, first = held.added, false
			}
		}
	}
	if found.times {
		found.added = ""
	}
	return found
}

// meaning says what stands with the streams of a connection.
func (c common) meaning() string {
	switch {
	case c.times:
		return "streams: [records, when the last was added] of each"
	case c.counts:
		return "streams: how many records of each"
	}
	return ""
}

// columns names what stands in a row of the table: the cells of a connection, and behind them its streams.
func (c common) columns() string {
	const cells = `columns: ["connector_key","connection_id","display_name"], then `
	switch {
	case c.times:
		return cells + "stream=[records, when the last was added]"
	case c.counts:
		return cells + "stream=records"
	}
	return cells + "its streams"
}

// table is the index in text with a row for each connection (R-SCH-9), or false when it takes more than so many bytes, or not all
// connections can be shown.
func (x *index) table(style indexStyle, bound int) (text string, whole bool) {
	head := tool.SchemaTool
	if x.common.added != "" {
		head += " " + render.Token("last_added", x.common.added)
	}
	lines := append([]string{head}, x.warnings(style.sent)...)
	lines = append(lines, x.common.columns())
	for _, c := range x.Connectors {
		if _, left := usableConnections(c.Connections, len(c.Connections)); left > 0 {
			return "", false
		}
		key := rawjson.Quote(fitted(shownKey(c), style.key))
		for _, connection := range c.Connections {
			lines = append(lines, tableRow(x.holdings.share(c, connection).words(x.common),
				key, rawjson.Quote(connection.ID), textOrNull(render.Clip(connection.Label, style.label))))
		}
		if len(c.Connections) == 0 {
			lines = append(lines, tableRow(share{streams: c.Streams}.words(common{}), key, textOrNull(""), textOrNull("")))
		}
	}
	text = strings.Join(lines, "\n")
	return text, len(text) <= bound
}

func tableRow(streams []string, cells ...rawjson.Value) string {
	return strings.Join(append([]string{render.Visible(rawjson.Array(cells))}, streams...), " ")
}

func textOrNull(text string) rawjson.Value {
	if text == "" {
		return rawjson.Value("null")
	}
	return rawjson.Quote(text)
}

// head counts what the index has.
func (x *index) head() string {
	return fmt.Sprintf("schema connectors=%d streams=%d", len(x.Connectors), x.StreamCount())
}
