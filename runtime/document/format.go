// Package document names the document formats that the adapter reads, and what the readers of all formats share: limits, errors
// and the lines that mark pages, sheets and slides. The readers are in its sub-packages. They run only in the child process.
package document

import (
	"bytes"
	"path"
	"strings"
)

// Format is a document format.
type Format string

// The formats. An empty Format is an unknown format.
const (
	PDF  Format = "pdf"
	DOCX Format = "docx"
	XLSX Format = "xlsx"
	PPTX Format = "pptx"
	ODT  Format = "odt"
	ODS  Format = "ods"
	ODP  Format = "odp"
	EPUB Format = "epub"
	OLE  Format = "ole" // a binary Office file of before 2007, or an encrypted Office file
)

// declared are the formats of media types and of the extensions of file names.
var declared = map[string]Format{
	"application/pdf": PDF, "application/x-pdf": PDF, ".pdf": PDF,
	"application/vnd.openxmlformats-officedocument.wordprocessingml.document": DOCX, ".docx": DOCX,
	"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": XLSX, ".xlsx": XLSX,
	"application/vnd.openxmlformats-officedocument.presentationml.presentation": PPTX, ".pptx": PPTX,
	"application/vnd.oasis.opendocument.text": ODT, ".odt": ODT,
	"application/vnd.oasis.opendocument.spreadsheet": ODS, ".ods": ODS,
	"application/vnd.oasis.opendocument.presentation": ODP, ".odp": ODP,
	"application/epub+zip": EPUB, ".epub": EPUB,
}

// Declared returns the format that a media type or, without one, a file name promises. Only Sniff knows the format of the bytes.
func Declared(mediaType, fileName string) Format {
	if format := declared[strings.ToLower(mediaType)]; format != "" {
		return format
	}
	return declared[strings.ToLower(path.Ext(fileName))]
}

// headerReach is how many bytes may precede the header of a PDF.
const headerReach = 1024

// Sniff returns the format that the bytes of a file have, or an empty Format. It reads names only and unpacks nothing.
func Sniff(data []byte) Format {
	header := bytes.Index(data[:min(len(data), headerReach)], []byte("%PDF-"))
	switch {
	case header == 0, header > 0 && bytes.Contains(data, []byte("startxref")):
		return PDF
	case bytes.HasPrefix(data, []byte("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")):
		return OLE
	case bytes.HasPrefix(data, []byte(localHeader.signature)):
		return sniffZip(data)
	}
	return ""
}
