package office

import (
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/file/document"
	"github.com/pdppmcp/pdpp-mcp/runtime/file/filetext"
)

// readChunk reads a file that is embedded in the place of paragraphs: HTML, RTF, a web archive, a text or a document.
func (w *words) readChunk(n node) {
	data := w.file.content(w.related.part(n, "id"))
	if data == nil || w.failure != nil {
		return
	}
	text, isText := w.readInner(data)
	if !isText {
		text, isText = filetext.ReadEmbedded(data)
	}
	if !isText {
		w.name("document")
	} else if text = strings.Trim(text, "\r\n"); text != "" {
		w.line(text)
	}
}

// readInner returns the text of an embedded document. A document in an embedded document is not read.
func (f *file) readInner(data []byte) (text string, isText bool) {
	format := document.Sniff(data)
	if format == "" || f.isInner {
		return "", false
	}
	inner := &file{format: format, limits: f.limits, isInner: true}
	inner.limits.Unpacked -= f.unpacked
	parts, err := inner.read(data)
	f.unpacked += inner.unpacked
	return document.Join(parts), err == nil
}
