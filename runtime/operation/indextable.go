package operation

import (
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/render"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// common is what the holdings of an index have in common.
type common struct {
	tells  bool   // more is known of some connection than the names of its connector's streams, and all connections can be shown
	counts bool   // the server told of some stream how many records it has, or when the last was added
	times  bool   // the last ones were not all added at the same time
	added  string // when they were, if they were
}

func (x *index) findCommon() common {
	var found common
	first, shown := true, true
	for _, c := range x.Connectors {
		for _, connection := range c.Connections {
			share := x.holdings.share(c, connection)
			found.tells, shown = found.tells || share.tells, shown && len(connection.ID) <= handleMaximum
			for _, held := range share.held {
				found.counts = found.counts || held != holding{}
				found.times = found.times || !first && held.added != found.added
				found.added, first = held.added, false
			}
		}
	}
	found.tells = found.tells && shown
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

// table is the index in at most so many bytes with a row for each connection, and whether it fits (R-SCH-9).
func (x *index) table(style indexStyle, room int) (text string, fits bool) {
	var out strings.Builder
	out.WriteString(tool.SchemaTool)
	if x.common.added != "" {
		out.WriteString(" " + render.Token("last_added", x.common.added))
	}
	for _, line := range append(x.notes(style), x.common.columns()) {
		out.WriteString("\n" + line)
	}
	for _, c := range x.Connectors {
		key := rawjson.Quote(fitted(shownKey(c), style.key))
		for _, connection := range c.Connections {
			out.WriteString(tableRow(x.holdings.share(c, connection).words(x.common),
				key, rawjson.Quote(connection.ID), rawjson.TextOrNull(tool.Clip(connection.Label, style.label))))
		}
		if len(c.Connections) == 0 {
			out.WriteString(tableRow(share{streams: c.Streams}.words(common{}), key, rawjson.TextOrNull(""), rawjson.TextOrNull("")))
		}
		if out.Len() > room {
			return "", false
		}
	}
	return out.String(), true
}

func tableRow(streams []string, cells ...rawjson.Value) string {
	return "\n" + strings.Join(append([]string{rawjson.Visible(rawjson.Array(cells))}, streams...), " ")
}
