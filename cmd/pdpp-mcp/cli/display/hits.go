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
	var titles, authors, found, times, sources, handles []string
	for _, result := range results {
		h := readHit(result, shared)
		titles, found = append(titles, h.Title), append(found, startAtMark(invocation.OneLine(h.Snippet)))
		authors = append(authors, h.Author)
		times, handles = append(times, h.Time), append(handles, h.Handle)
		sources = append(sources, strings.TrimSpace(h.Source+" "+h.Stream))
	}
	table := &table{advice: "--format json"}
	isKnown := func(value string) bool { return value != "" }
	if slices.ContainsFunc(titles, isKnown) {
		table.addColumn(column{name: "title", kind: titleKind}, titles)
	}
	table.addColumn(column{name: "found", kind: textKind, hasMarks: true}, found)
	if local, zone, isTime := localTimes(times); isTime {
		times, table.zone = local, zone
	}
	if slices.ContainsFunc(authors, isKnown) {
		table.addColumn(column{name: "author", kind: personKind}, authors)
	}
	table.addColumn(column{name: "time", kind: timeKind}, times)
	table.addColumn(column{name: "in", kind: otherKind}, sources)
	table.addColumn(column{name: "id", kind: handleKind}, handles)
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
