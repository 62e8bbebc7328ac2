package render

import (
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/wire"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// head returns the lines before the window's text: tokens, notes and continuations.
func (w *window) head() string {
	tokens := []string{w.tokens(), Token(wire.FieldPath, w.FieldPath)}
	for _, name := range fileNames {
		if value := w.Field.Get(name); value != nil && len(value) <= tool.LabelCharacters {
			tokens = append(tokens, RawToken(name, value))
		}
	}
	if w.File != nil {
		tokens = append(tokens, Tokens(w.File.Document))
	}
	for _, name := range []string{
		"start_chars", "end_chars", "total_chars", "complete", "has_more", "match_start_chars", "match_end_chars",
	} {
		value := w.members.Get(name)
		isSaid := name == "has_more" && string(value) == "false" && w.members.True("complete")
		if value != nil && len(value) <= numberCharacters && !isSaid {
			tokens = append(tokens, RawToken(name, value))
		}
	}
	lines := withLine([]string{words(tokens...)}, tokenIf("header", w.Field.Text("header")))
	lines = append(lines, linesOfWarnings(w.Warnings)...)
	if note := w.note(); note != "" {
		lines = append(lines, "note: "+note)
	}
	for _, member := range access(w.File) {
		lines = append(lines, member.Name+": "+rawjson.TextOf(member.Value))
	}
	for _, direction := range w.directions() {
		lines = append(lines, callLine(direction.word, direction.Call))
	}
	return strings.Join(lines, "\n")
}
