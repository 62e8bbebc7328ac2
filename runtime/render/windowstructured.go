package render

import (
	"encoding/json"

	"github.com/pdppmcp/pdpp-mcp/runtime/answer"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/wire"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

func (w *window) structured() json.RawMessage {
	field := w.Field
	if field == nil {
		field = rawjson.Object{rawjson.String("path", w.FieldPath)}
	}
	members := rawjson.Object{w.structuredRecord(), rawjson.Raw(wire.Field, field.Encode())}
	if w.members != nil { // the text of a file may be unavailable
		members = append(members, rawjson.Raw("window", w.members.Encode()))
	}
	if w.File != nil && w.File.Document != nil {
		members = append(members, rawjson.Raw("document", w.File.Document.Encode()))
	}
	members = withWarnings(append(withText(members, "note", w.note()), access(w.File)...), w.Warnings)
	calls := map[string][]answer.Call{}
	for _, direction := range w.directions() {
		calls[direction.word] = append(calls[direction.word], direction.Call)
	}
	// As next they would lead a reader back, or past text not read yet.
	for _, word := range []string{nextMatchWord, previousWord} {
		members = withCalls(members, word, calls[word])
	}
	return withText(finished(w.Origin, members, answer.RestOfField.As(calls[nextWord]...)), "request_id", tool.ShownRequestID(w.RequestID)).Encode() // R-WIN-2
}
