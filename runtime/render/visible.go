package render

import (
	"encoding/json"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
)

// Visible is a JSON value on one line of a text, as rawjson.Visible has it.
func Visible(value json.RawMessage) string { return rawjson.Visible(value) }

// appendVisible appends what Visible gives.
func appendVisible(out []byte, value json.RawMessage) []byte {
	if rawjson.IsPrintableASCII(value) {
		return append(out, value...)
	}
	return append(out, Visible(value)...)
}

// appendQuoted appends what Quoted gives.
func appendQuoted(out []byte, text string) []byte {
	start := len(out)
	out = rawjson.AppendQuote(out, text)
	if rawjson.IsPrintableASCII(out[start:]) {
		return out
	}
	return append(out[:start], Visible(out[start:])...)
}

// Quoted is a text as a JSON string on one line, as Visible has it.
func Quoted(text string) string {
	var room [shortToken]byte
	return string(appendQuoted(room[:0], text))
}
