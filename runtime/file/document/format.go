// Package document names the document formats that the adapter reads, and what the readers of all formats share:
// limits, errors and the lines that mark pages, sheets and slides. The readers are in its sub-packages. They run only
// in the child process.
package document

import (
	"bytes"
	"fmt"
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

// Declared returns the format that a media type declares, otherwise the one of the file name. The bytes can have
// another format: see Sniff.
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

// Obstacle says why the text of a document is unavailable. Results show it.
type Obstacle string

// The obstacles.
const (
	Encrypted   Obstacle = "encrypted"
	Damaged     Obstacle = "damaged"
	NoText      Obstacle = "no_text"
	TooLarge    Obstacle = "too_large" // a limit of Limits, of the file's size or of memory
	TooSlow     Obstacle = "too_slow"
	Unsupported Obstacle = "unsupported"
)

// Error reports that a document cannot be read.
type Error struct {
	Reason Obstacle
	Detail string // a clause that ends a sentence, such as "it has more than 10000 entries"; never content of the document
}

func (e *Error) Error() string {
	return fmt.Sprintf("the document cannot be read (%s): %s", e.Reason, e.Detail)
}

// Limits bound what reading a document costs (R-DOC-4). Beyond one, a reader fails with TooLarge.
type Limits struct {
	Entries  int   // of a zip file
	Unpacked int64 // bytes of all entries that are read
	Nesting  int   // elements in each other
	Text     int   // bytes of the text
}

// DefaultLimits returns the limits of R-DOC-4.
func DefaultLimits() Limits {
	return Limits{Entries: 10_000, Unpacked: 128 << 20, Nesting: 256, Text: 8 << 20}
}

// TextError returns the error of a text that is longer than the limit.
func (l Limits) TextError() error {
	return &Error{Reason: TooLarge, Detail: fmt.Sprintf("it has more than %d bytes of text", l.Text)}
}

// header is a kind of header of a zip entry.
type header struct {
	signature string
	name      int // offset of the name of the entry
}

var (
	localHeader   = header{"PK\x03\x04", 30}
	centralHeader = header{"PK\x01\x02", 46}
)

// mediaTypes are the name and the content of the entry mimetype. OpenDocument and EPUB files begin with this entry,
// uncompressed.
var mediaTypes = []prefix{
	{"mimetypeapplication/vnd.oasis.opendocument.text", ODT},
	{"mimetypeapplication/vnd.oasis.opendocument.spreadsheet", ODS},
	{"mimetypeapplication/vnd.oasis.opendocument.presentation", ODP},
	{"mimetypeapplication/epub+zip", EPUB},
}

// mainParts begin the name of an entry that only one format has.
var mainParts = []prefix{
	{"word/document", DOCX},
	{"xl/workbook.xml", XLSX},
	{"ppt/presentation", PPTX},
	{"META-INF/container.xml", EPUB}, // OpenDocument has no such entry
}

type prefix struct {
	text   string
	format Format
}

// formatOf returns the format of the entry whose header begins the data, if its name and content begin with one of the
// prefixes.
func (h header) formatOf(data []byte, prefixes []prefix) Format {
	for _, p := range prefixes {
		if bytes.HasPrefix(data[min(h.name, len(data)):], []byte(p.text)) {
			return p.format
		}
	}
	return ""
}

// sniffZip finds the format by the entry mimetype, otherwise by the names in the directory or, in a file that was cut
// short, in the headers.
func sniffZip(data []byte) Format {
	if format := localHeader.formatOf(data, mediaTypes); format != "" {
		return format
	}
	for _, h := range []header{centralHeader, localHeader} {
		for start := len(data); start >= 0; start = bytes.LastIndex(data[:start], []byte(h.signature)) {
			if format := h.formatOf(data[start:], mainParts); format != "" {
				return format
			}
		}
	}
	return ""
}
