// Package office reads the text of Office Open XML, OpenDocument and EPUB files, which are zip files with XML parts. It reads part by
// part within limits, follows no link out of the file, and returns the same text for the same bytes. Only the child process calls it
// (R-DOC-4).
//
// Headings begin with #, items of lists with a number or a dash. Tables are CSV rows; a merged cell has its value in the first field.
// Footnotes, comments and tracked changes are in brackets at their place; comments of XLSX and PPTX follow the sheet or slide.
// Headers precede the text, and footers follow it.
package office

import (
	"bytes"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/document"
)

var readers = map[document.Format]func(*file){
	document.DOCX: readDOCX, document.XLSX: readXLSX, document.PPTX: readPPTX,
	document.ODT: readODF, document.ODS: readODF, document.ODP: readODF, document.EPUB: readEPUB,
}

// Text returns the text of a document with the marks of R-DOC-2. A document that cannot be read is a *document.Error.
func Text(format document.Format, data []byte, limits document.Limits) (string, error) {
	f := &file{format: format, limits: limits}
	read, known := readers[format]
	switch {
	case format == document.OLE && bytes.Contains(data, []byte(strings.Join(strings.Split("EncryptedPackage", ""), "\x00"))): // in UTF-16
		f.fail(document.Encrypted, "it is protected with a password")
	case !known:
		f.fail(document.Unsupported, "it is not an Office Open XML, OpenDocument or EPUB file")
	default:
		f.readDirectory(data)
		read(f)
	}
	text := f.marked()
	if strings.TrimSpace(text) == "" {
		f.fail(document.NoText, "it has no text")
	}
	if f.failure != nil {
		return "", f.failure
	}
	return text, nil
}

// fail keeps the first failure. Reading any part ends after it.
func (f *file) fail(reason document.Obstacle, detail string) {
	if f.failure == nil {
		f.failure = &document.Error{Reason: reason, Detail: detail}
	}
}
