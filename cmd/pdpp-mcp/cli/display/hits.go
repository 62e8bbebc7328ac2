package display

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/invocation"
	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
)

// hit is the part of a search result that people read.
type hit struct {
	Handle   string `json:"id"`
	Title    string
	Author   string
	Time     string
	Stream   string
	Snippet  string
	Source   string `json:"display_name"`
	Evidence []struct{ Preview string }
}

func readHit(result json.RawMessage, shared rawjson.Object) (h hit) {
	members, _ := rawjson.ParseObject(result)
	_ = json.Unmarshal(append(members, shared...).Encode(), &h) // a malformed hit has empty columns
	if h.Snippet == "" && len(h.Evidence) > 0 {
		h.Snippet = h.Evidence[0].Preview
	}
	if h.Title == unmarked.Replace(h.Snippet) || strings.HasPrefix(h.Title, h.Source+" / ") {
		h.Title = "" // the other columns show it
	}
	return h
}

var unmarked = strings.NewReplacer("<mark>", "", "</mark>", "")

// plainHit returns a search result as a plain row.
func plainHit(result json.RawMessage) json.RawMessage {
	h := readHit(result, nil)
	return rawjson.Object{
		rawjson.String(handleName, h.Handle), rawjson.String("title", h.Title), rawjson.String("time", h.Time),
		rawjson.String("stream", h.Stream), rawjson.String("source", h.Source), rawjson.String("text", unmarked.Replace(h.Snippet)),
	}.Encode()
}

func hitTable(results []json.RawMessage, shared rawjson.Object) *table {
	hits := make([]hit, len(results))
	for i, result := range results {
		hits[i] = readHit(result, shared)
	}
	cells := func(textOf func(hit) string) (texts []string) {
		for _, hit := range hits {
			texts = append(texts, textOf(hit))
		}
		return texts
	}
	table := &table{advice: "--format json"}
	addKnown := func(added column, cells []string) {
		if slices.ContainsFunc(cells, func(cell string) bool { return cell != "" }) {
			table.addColumn(added, cells)
		}
	}
	addKnown(column{name: "title", kind: titleKind}, cells(func(h hit) string { return h.Title }))
	table.addColumn(column{name: "found", kind: textKind, hasMarks: true}, cells(func(h hit) string { return startAtMark(invocation.OneLine(h.Snippet)) }))
	addKnown(column{name: "author", kind: personKind}, cells(func(h hit) string { return h.Author }))
	times := cells(func(h hit) string { return h.Time })
	if local, zone, isTime := localTimes(times); isTime {
		times, table.zone = local, zone
	}
	table.addColumn(column{name: "time", kind: timeKind}, times)
	table.addColumn(column{name: "in", kind: otherKind}, cells(func(h hit) string { return strings.TrimSpace(h.Source + " " + h.Stream) }))
	table.addColumn(column{name: "id", kind: handleKind}, cells(func(h hit) string { return h.Handle }))
	return table
}

// maxLead bounds the text that a table shows before the first highlight of a snippet.
const maxLead = 12

// startAtMark shortens the beginning of a snippet, so that a narrow column shows its first highlight.
func startAtMark(snippet string) string {
	before, rest, found := strings.Cut(snippet, "<mark>")
	lead := []rune(before)
	if !found || len(lead) <= 2*maxLead {
		return snippet
	}
	return "…" + string(lead[len(lead)-maxLead:]) + "<mark>" + rest
}
