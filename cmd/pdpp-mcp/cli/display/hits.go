package display

import (
	"encoding/json"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/invocation"
	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
)

// hit is what a table shows of a search result.
type hit struct {
	ID, Title, Time, Stream, Snippet string
	Source                           string `json:"display_name"`
	Evidence                         []struct{ Preview string }
}

// hitTable has a row for each hit: time, title, the words that were found, the source, and the id.
func hitTable(results []json.RawMessage, shared json.RawMessage, screen screen) *table {
	table := newTable("time", "title", "found", "in", "id")
	for i, kind := range []kind{timeKind, titleKind, textKind, otherKind, handleKind} {
		table.Columns[i].Kind = kind
	}
	common, _ := rawjson.ParseObject(shared)
	var times []string
	for _, result := range results {
		var h hit
		members, _ := rawjson.ParseObject(result)
		_ = json.Unmarshal(append(members, common...).Encode(), &h) // a malformed hit gets empty columns
		if h.Snippet == "" && len(h.Evidence) > 0 {
			h.Snippet = h.Evidence[0].Preview
		}
		if strings.HasPrefix(h.Title, h.Source+" / "+h.Stream) {
			h.Title = "" // made of what the other columns show
		}
		found := aroundMark(invocation.OneLine(h.Snippet))
		if invocation.OneLine(h.Title) == marks.Replace(found) {
			h.Title = ""
		}
		in := h.Stream
		if h.Source != "" {
			in = h.Source + " " + h.Stream
		}
		times = append(times, invocation.OneLine(h.Time))
		table.Add("", h.Title, "", in, h.ID)
		table.Rows[len(table.Rows)-1][2] = screen.marked(found)
	}
	if instants(times) {
		table.zone = localTimes(times)
	}
	for i := range times {
		table.Rows[i][0] = times[i]
	}
	table.leaveOut(func(at int) bool { return at < 2 && table.empty(at) })
	return table
}

// marks removes the highlight tags of a snippet.
var marks = strings.NewReplacer("<mark>", "", "</mark>", "")

// marked shows what the tags highlight, or removes them on a screen without colours.
func (s screen) marked(snippet string) string {
	if !s.Colours {
		return marks.Replace(snippet)
	}
	return strings.NewReplacer("<mark>", "\x1b["+striking+"m", "</mark>", "\x1b[0m").Replace(snippet)
}

// before is how much of a snippet a table shows before the first highlight, in characters.
const before = 12

// aroundMark cuts the beginning of a snippet whose first highlight would not be seen in a narrow column.
func aroundMark(snippet string) string {
	at := strings.Index(snippet, "<mark>")
	if at < 0 {
		return snippet
	}
	lead := []rune(snippet[:at])
	if len(lead) <= 2*before {
		return snippet
	}
	return "…" + string(lead[len(lead)-before:]) + snippet[at:]
}
