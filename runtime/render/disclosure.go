package render

import (
	"encoding/json"
	"strconv"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// Bounds of what the RS says about a page, in text.
const (
	warningsShown     = 10
	warningCharacters = 600 // with the command that gets a source back
)

// countNone is the kind of count of a page that was not counted, which says nothing.
const countNone = "none"

// countToken is the count of a page in text, or empty when the RS sent none (R-HAND-8): count=exact:60. Lexical search sends a bare integer with its accuracy beside it.
func countToken(meta rawjson.Object) string {
	count := meta.Get("count")
	if object, ok := rawjson.ParseObject(count); ok {
		return countValue(object.Text("kind"), object.Get("value"))
	}
	return countValue(meta.Text("count_accuracy"), count)
}

func countValue(kind string, value json.RawMessage) string {
	if kind == countNone {
		return ""
	}
	number := ""
	if rawjson.Kind(value) == rawjson.Number && len(value) <= numberCharacters {
		number = string(value)
	}
	switch {
	case kind == "" && number == "":
		return ""
	case kind == "":
		return "count=" + number
	}
	kind = tool.Clip(kind, numberCharacters)
	if number != "" {
		kind += ":" + number
	}
	return "count=" + ListedName(kind)
}

// recallNames are the members of a recall that say nothing more when it is complete.
var recallNames = []string{
	"complete", "truncated", "ranked_candidate_count", "candidate_window_limit", "ranking_scope", "truncated_source_count",
	"sources_searched_count", "sources_missing_count",
}

// recallToken is what the RS says of how much of the matches a search ranked (R-SEARCH-9): one word when it is all of them.
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

// sentWarnings are the RS's warnings for structured output that does not hold its envelope: nil when it
// sent none, and without those that do not fit.
func sentWarnings(body rawjson.Object) json.RawMessage {
	warnings, _ := rawjson.Elements(metaOf(body).Get("warnings"))
	room := warningsShown * warningCharacters
	var fitting []json.RawMessage
	for _, warning := range warnings {
		if room -= rawLength(warning); room < 0 {
			break
		}
		fitting = append(fitting, warning)
	}
	if fitting == nil {
		return nil
	}
	return rawjson.Array(fitting)
}

// WarningLines are the warnings of a body in text.
func WarningLines(body rawjson.Object) []string { return warningLines(metaOf(body)) }

func metaOf(body rawjson.Object) rawjson.Object {
	meta, _ := rawjson.ParseObject(body.Get("meta"))
	return meta
}

// withAbsent returns an answer with the warnings of the sources that are absent from it.
func withAbsent(response *rs.Response) *rs.Response {
	if response.Absent == nil {
		return response
	}
	body, err := response.Object()
	if err != nil {
		return response
	}
	meta := metaOf(body)
	warnings, _ := rawjson.Elements(meta.Get("warnings"))
	return response.WithMembers(body.With("meta", meta.With("warnings", rawjson.Array(append(warnings, response.Absent...))).Encode()))
}

// warningLines are the RS's warnings in text (R-HAND-8), one a line.
func warningLines(meta rawjson.Object) []string {
	warnings, _ := rawjson.Elements(meta.Get("warnings"))
	var lines []string
	for i, warning := range warnings {
		if i == warningsShown {
			return append(lines, "more_warnings="+strconv.Itoa(len(warnings)-i))
		}
		lines = append(lines, warningLine(warning))
	}
	return lines
}

func warningLine(warning json.RawMessage) string {
	if text, ok := rawjson.Text(warning); ok {
		return "warning: " + Token("message", tool.Shorten(text, warningCharacters))
	}
	object, _ := rawjson.ParseObject(warning)
	var tokens []string
	for _, name := range []string{"code", "param", "connection_id", "message"} {
		tokens = append(tokens, tokenIf(name, tool.Shorten(object.Text(name), warningCharacters)))
	}
	return "warning: " + words(tokens...)
}
