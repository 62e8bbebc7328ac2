package filetext

import (
	"bytes"

	"github.com/pdppmcp/pdpp-mcp/runtime/blob"
)

// Read returns the text of a file, or false for bytes that are not text. Declared is the charset of its media type; it may be empty.
func Read(data []byte, kind blob.Kind, declared string) (Text, bool) {
	if kind == blob.Mail {
		return readMail(data)
	}
	text := decode(data, declared, kind == blob.HTML)
	if !isText(text.Bytes) {
		return Text{}, false
	}
	if kind == blob.HTML {
		text.Bytes = Readable(text.Bytes)
	}
	return text, true
}

// KindOf returns the kind of an undeclared file by its bytes: HTML, Plain or Other.
func KindOf(data []byte) blob.Kind {
	text := decode(data, "", false)
	beginning := bytes.ToLower(bytes.TrimSpace(text.Bytes[:min(len(text.Bytes), 512)]))
	switch {
	case !isText(text.Bytes):
		return blob.Other
	case bytes.HasPrefix(beginning, []byte("<!doctype html")), bytes.HasPrefix(beginning, []byte("<html")):
		return blob.HTML
	}
	return blob.Plain
}
