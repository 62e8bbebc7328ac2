package display

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/invocation"
	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
)

// hit is the part of a search result that a table shows.
type hit struct {
	ID, Title, Time, Stream, Snippet string
	Source                           string `json:"display_name"`
	Evidence                         []struct{ Preview string }
}

// hitTable returns a table with a row for each hit. Shared has the members that all hits have in common.
func hitTable(results []json.RawMessage, shared json.RawMessage) *table {
	common, _ := rawjson.ParseObject(shared)
	var titles, found, times, sources, ids []string
	for _, result := range results {
		var h hit
		members, _ := rawjson.ParseObject(result)
		_ = json.Unmarshal(append(members, common...).Encode(), &h) // a malformed hit gets empty columns
		if h.Snippet == "" && len(h.Evidence) > 0 {
			h.Snippet = h.Evidence[0].Preview
		}
		plain := strings.NewReplacer("<mark>", "", "</mark>", "").Replace(h.Snippet)
		if h.Title == plain || strings.HasPrefix(h.Title, h.Source+" / "+h.Stream) {
			h.Title = "" // the other columns show it
		}
		titles, found = append(titles, h.Title), append(found, startAtMark(invocation.OneLine(h.Snippet)))
		times, ids = append(times, h.Time), append(ids, h.ID)
		sources = append(sources, strings.TrimSpace(h.Source+" "+h.Stream))
	}
	table := &table{advice: "--format json"}
	if slices.ContainsFunc(titles, func(title string) bool { return title != "" }) {
		table.addColumn(column{name: "title", kind: contentKind}, titles)
	}
	table.addColumn(column{name: "found", kind: textKind, hasMarks: true}, found)
	if local, zone, isTime := localTimes(times); isTime {
		times, table.zone = local, zone
	}
	table.addColumn(column{name: "time", kind: timeKind}, times)
	table.addColumn(column{name: "in", kind: otherKind}, sources)
	table.addColumn(column{name: "id", kind: handleKind}, ids)
	return table
}

// charactersBeforeMark is how much of a snippet a table shows before the first highlight.
const charactersBeforeMark = 12

// startAtMark cuts the beginning of a snippet, so that its first highlight is visible in a narrow column.
func startAtMark(snippet string) string {
	before, rest, found := strings.Cut(snippet, "<mark>")
	lead := []rune(before)
	if !found || len(lead) <= 2*charactersBeforeMark {
		return snippet
	}
	return "…" + string(lead[len(lead)-charactersBeforeMark:]) + "<mark>" + rest
}
