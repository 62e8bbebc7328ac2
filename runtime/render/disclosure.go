package render

import (
	"encoding/json"
	"strconv"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
)

// Bounds of what the RS says about a page, in text.
const (
	warningsShown     = 10
	warningCharacters = 300
)

// countToken is the count of a page in text, or empty when the RS sent none (R-HAND-8):
// count=exact:60, count=none. Lexical search sends a bare integer with its accuracy beside it.
func countToken(meta rawjson.Object) string {
	count := meta.Get("count")
	if object, ok := rawjson.ParseObject(count); ok {
		return countValue(object.Text("kind"), object.Get("value"))
	}
	return countValue(meta.Text("count_accuracy"), count)
}

func countValue(kind string, value json.RawMessage) string {
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
	kind = Clip(kind, numberCharacters)
	if number != "" {
		kind += ":" + number
	}
	return "count=" + ListedName(kind)
}

// sentWarnings are the RS's warnings for structured output that does not hold its envelope: nil when it
// sent none, and without those that do not fit.
func sentWarnings(body rawjson.Object) json.RawMessage {
	meta, _ := rawjson.ParseObject(body.Get("meta"))
	warnings, _ := rawjson.Elements(meta.Get("warnings"))
	if len(warnings) == 0 {
		return nil
	}
	return rawjson.Array(firstRecords(warnings, warningsShown*warningCharacters))
}

// WarningLines are the warnings of a body in text.
func WarningLines(body rawjson.Object) []string {
	meta, _ := rawjson.ParseObject(body.Get("meta"))
	return warningLines(meta)
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
		return "warning: " + Token("message", Clip(text, warningCharacters))
	}
	object, _ := rawjson.ParseObject(warning)
	var tokens []string
	for _, name := range []string{"code", "param", "connection_id", "message"} {
		tokens = append(tokens, tokenIf(name, Clip(object.Text(name), warningCharacters)))
	}
	return "warning: " + line(tokens...)
}

// scalarTokens are the members of an object that are literals or short strings.
func scalarTokens(object rawjson.Object) []string {
	var tokens []string
	for _, member := range object {
		kind := rawjson.Kind(member.Value)
		if kind != rawjson.ArrayValue && kind != rawjson.ObjectValue && kind != rawjson.Null && len(member.Value) <= warningCharacters {
			tokens = append(tokens, SourceName(member.Name)+"="+Visible(member.Value))
		}
	}
	return tokens
}
