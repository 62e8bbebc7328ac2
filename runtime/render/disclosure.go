package render

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/wire"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// Bounds of the warnings that a text repeats.
const (
	warningsShown     = 10
	warningCharacters = 600 // a warning may hold the command that restores a source
)

const countNone = "none"

// countToken returns the count of a page, such as count=exact:60, or an empty string (R-HAND-8).
func countToken(meta rawjson.Object) string {
	count, _ := rawjson.ParseObject(meta.Get(wire.Count))
	kind, value := tool.Clip(count.Text("kind"), numberCharacters), count.Get("value")
	if kind == countNone {
		return ""
	}
	if rawjson.Kind(value) != rawjson.Number || len(value) > numberCharacters {
		if kind == "" {
			return ""
		}
		return "count=" + ListedName(kind)
	}
	if kind == "" {
		return "count=" + string(value)
	}
	return "count=" + ListedName(kind+":"+string(value))
}

// recallNames are members that add nothing to a complete recall.
var recallNames = []string{
	"complete", "truncated", "ranked_candidate_count", "candidate_window_limit", "ranking_scope", "truncated_source_count",
	"sources_searched_count", "sources_missing_count",
}

// recallToken returns the RS's report of how many of the matches a search ranked (R-SEARCH-9). A complete recall is one
// word.
func recallToken(meta rawjson.Object) string {
	recall, ok := rawjson.ParseObject(meta.Get("recall"))
	if !ok {
		return ""
	}
	missing, _ := recall.Int("sources_missing_count")
	if recall.True("complete") && !recall.True("truncated") && missing == 0 && len(recall.Without(recallNames...)) == 0 {
		return "recall=complete"
	}
	return "recall=" + tool.Clip(rawjson.Visible(recall.Encode()), warningCharacters)
}

func metaOf(body rawjson.Object) rawjson.Object {
	meta, _ := rawjson.ParseObject(body.Get("meta"))
	return meta
}

// withWarnings appends the RS's warnings, as far as they fit, to structured output that does not hold its envelope.
func withWarnings(object rawjson.Object, warnings []rawjson.Value) rawjson.Object {
	room := warningsShown * warningCharacters
	var fitting []json.RawMessage
	for _, warning := range warnings {
		if room -= Length(warning); room < 0 {
			break
		}
		fitting = append(fitting, warning)
	}
	if fitting == nil {
		return object
	}
	return append(object, rawjson.Raw("warnings", rawjson.Array(fitting)))
}

// WarningLines returns the warnings of a body in text.
func WarningLines(body rawjson.Object) []string { return warningLines(metaOf(body)) }

// warningLines returns the RS's warnings in text, one per line (R-HAND-8).
func warningLines(meta rawjson.Object) []string {
	warnings, _ := rawjson.Elements(meta.Get("warnings"))
	return linesOfWarnings(warnings)
}

func linesOfWarnings(warnings []rawjson.Value) []string {
	var lines []string
	for i, warning := range warnings {
		if i == warningsShown {
			return append(lines, "more_warnings="+strconv.Itoa(len(warnings)-i))
		}
		object, isObject := rawjson.ParseObject(warning)
		if !isObject {
			object = rawjson.Object{rawjson.Raw("message", warning)}
		}
		tokens := []string{"warning:"}
		for _, name := range []string{"code", "param", wire.ConnectionID, "message"} {
			tokens = append(tokens, tokenIf(name, tool.Shorten(object.Text(name), warningCharacters)))
		}
		lines = append(lines, words(tokens...))
	}
	return lines
}

const sourcesShown = 10

type source struct {
	connectionID string
	displayName  string
	connectorKey string
	rows         int
	first        int            // the first of them
	known        rawjson.Object // of records: the members that the rows do not repeat
}

// sourcesOf returns the connections of a number of rows, in order of appearance. The first row of a connection
// describes it.
func sourcesOf(rows int, describe func(i int) source) []*source {
	var sources []*source
	for i := range rows {
		one := describe(i)
		at := slices.IndexFunc(sources, func(known *source) bool { return known.connectionID == one.connectionID })
		if at < 0 {
			first := one
			first.first, at, sources = i, len(sources), append(sources, &first)
		}
		sources[at].rows++
	}
	return sources
}

// sourceLines returns a line for each connection, with the number of its rows.
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
			Token(wire.ConnectionID, source.connectionID), tokenIf("connector_key", tool.Clip(source.connectorKey, tool.LabelCharacters)),
			tokenIf("display_name", tool.Clip(source.displayName, tool.LabelCharacters)), count,
		))
	}
	return lines
}
