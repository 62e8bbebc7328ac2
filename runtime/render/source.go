package render

import (
	"fmt"
	"slices"

	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

const sourcesShown = 10

type source struct {
	connectionID string
	displayName  string
	connectorKey string
	rows         int
}

// sourcesOf returns the connections of a number of rows, in the order in which they appear, as the first row of each describes them.
func sourcesOf(rows int, describe func(i int) source) []*source {
	var sources []*source
	for i := range rows {
		one := describe(i)
		at := slices.IndexFunc(sources, func(known *source) bool { return known.connectionID == one.connectionID })
		if at < 0 {
			at, sources = len(sources), append(sources, &one)
		}
		sources[at].rows++
	}
	return sources
}

// sourceLines describe each connection once, with the number of its rows.
func sourceLines(sources []*source, noun string) []string {
	var lines []string
	for i, source := range sources {
		if i == sourcesShown {
			return append(lines, fmt.Sprintf("more_sources=%d", len(sources)-i))
		}
		if source.connectionID == "" {
			continue
		}
		count := intToken(noun, int64(source.rows))
		if len(sources) == 1 { // the first line counts its rows
			count = ""
		}
		lines = append(lines, "source "+words(
			Token("connection_id", source.connectionID), tokenIf("connector_key", tool.Clip(source.connectorKey, tool.LabelCharacters)),
			tokenIf("display_name", tool.Clip(source.displayName, tool.LabelCharacters)), count,
		))
	}
	return lines
}
