// Package office reads the text of Office Open XML, OpenDocument and EPUB files, which are zip files with XML parts. It reads part by
// part within limits, follows no link out of the file, and returns the same text for the same bytes. Only the child process calls it
// (R-DOC-4).
//
// Headings begin with #, items of lists with a number or a dash. Tables are CSV rows; a merged cell has its value in the first field.
// Footnotes and comments follow their paragraph or row; comments of XLSX and PPTX follow the sheet or slide, as speaker notes do.
// Headers precede the text, and footers follow it.
package office

import (
	"bytes"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/document"
)

var readers = map[document.Format]func(*file) error{
	document.DOCX: readDOCX, document.XLSX: readXLSX, document.PPTX: readPPTX,
	document.ODT: readODF, document.ODS: readODF, document.ODP: readODF, document.EPUB: readEPUB,
}

// Text returns the text of a document with the marks of R-DOC-2. A document that cannot be read is a *document.Error.
func Text(format document.Format, data []byte, limits document.Limits) (string, error) {
	read, known := readers[format]
	switch {
	case format == document.OLE && bytes.Contains(data, []byte(strings.Join(strings.Split("EncryptedPackage", ""), "\x00"))): // in UTF-16
		return "", encrypted("it is protected with a password")
	case !known:
		return "", &document.Error{Reason: document.Unsupported, Detail: "it is not an Office Open XML, OpenDocument or EPUB file"}
	}
	f, err := open(format, data, limits)
	if err != nil {
		return "", err
	}
	if err := read(f); err != nil {
		return "", err
	}
	text := f.marked()
	if strings.TrimSpace(text) == "" {
		return "", &document.Error{Reason: document.NoText, Detail: "it has no text"}
	}
	return text, nil
}

func damaged(detail string) error { return &document.Error{Reason: document.Damaged, Detail: detail} }

func tooLarge(detail string) error { return &document.Error{Reason: document.TooLarge, Detail: detail} }

func encrypted(detail string) error {
	return &document.Error{Reason: document.Encrypted, Detail: detail}
}
