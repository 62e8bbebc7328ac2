// Package document names the document formats that the adapter reads, and what the readers of all formats share:
// limits, errors and the lines that mark pages, sheets and slides. The readers are in its sub-packages. They run only
// in the child process.
package document

import (
	"bytes"
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"
)

// Format is the name of a document format. An empty Format is an unknown format.
type Format string

// The formats that code outside their reader names.
const (
	PDF  Format = "pdf"
	DOCX Format = "docx"
	XLSX Format = "xlsx"
	PPTX Format = "pptx"
	ODT  Format = "odt"
	ODS  Format = "ods"
	ODP  Format = "odp"
	EPUB Format = "epub"
	OLE  Format = "ole"
)

// Kind describes a format, and how a file shows that it has the format.
type Kind struct {
	Format     Format
	Title      string
	MediaTypes []string               // the first one is also the content of the entry mimetype of OpenDocument and EPUB
	Extension  string                 // of file names, with its dot
	MainPart   string                 // the usual name of the main entry of a zip file, if no other format has it
	signature  func(data []byte) bool // of a file that is not a zip file
}

// Kinds returns the formats that are recognised. Their readers are in package child and in package office.
func Kinds() []Kind {
	const openXML, openDocument = "application/vnd.openxmlformats-officedocument.", "application/vnd.oasis.opendocument."
	return []Kind{
		{PDF, "PDF", []string{"application/pdf", "application/x-pdf"}, ".pdf", "", isPDF},
		{DOCX, "Word", []string{openXML + "wordprocessingml.document"}, ".docx", "word/document.xml", nil},
		{XLSX, "Excel", []string{openXML + "spreadsheetml.sheet"}, ".xlsx", "xl/workbook.xml", nil},
		{PPTX, "PowerPoint", []string{openXML + "presentationml.presentation"}, ".pptx", "ppt/presentation.xml", nil},
		{ODT, "OpenDocument text", []string{openDocument + "text"}, ".odt", "", nil},
		{ODS, "OpenDocument spreadsheet", []string{openDocument + "spreadsheet"}, ".ods", "", nil},
		{ODP, "OpenDocument presentation", []string{openDocument + "presentation"}, ".odp", "", nil},
		{EPUB, "EPUB", []string{"application/epub+zip"}, ".epub", "META-INF/container.xml", nil},
		{OLE, "Office before 2007, or with a password", nil, "", "", isOLE},
	}
}

var kinds = Kinds()

// MainPart returns the usual name of the main entry of a format, or an empty string.
func (f Format) MainPart() string {
	index := slices.IndexFunc(kinds, func(k Kind) bool { return k.Format == f })
	if index < 0 {
		return ""
	}
	return kinds[index].MainPart
}

// first returns the first format whose kind fulfils a condition, or an empty Format.
func first(condition func(Kind) bool) Format {
	for _, kind := range kinds {
		if condition(kind) {
			return kind.Format
		}
	}
	return ""
}

// Declared returns the format that a media type declares, otherwise the one of the file name. The bytes can have
// another format: see Sniff.
func Declared(mediaType, fileName string) Format {
	mediaType, extension := strings.ToLower(mediaType), strings.ToLower(path.Ext(fileName))
	byType := first(func(k Kind) bool { return slices.Contains(k.MediaTypes, mediaType) })
	return cmp.Or(byType, first(func(k Kind) bool { return extension != "" && k.Extension == extension }))
}

// Sniff returns the format that the bytes of a file have, or an empty Format. It reads names only and unpacks nothing.
func Sniff(data []byte) Format {
	format := first(func(k Kind) bool { return k.signature != nil && k.signature(data) })
	if format == "" && bytes.HasPrefix(data, []byte(localHeader.signature)) {
		return sniffZip(data)
	}
	return format
}

// headerReach is the number of bytes that may precede the header of a PDF.
const headerReach = 1024

func isPDF(data []byte) bool {
	header := bytes.Index(data[:min(len(data), headerReach)], []byte("%PDF-"))
	return header == 0 || header > 0 && bytes.Contains(data, []byte("startxref"))
}

func isOLE(data []byte) bool {
	return bytes.HasPrefix(data, []byte("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"))
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

// begins reports whether the name and content of the entry behind a header begin with a text.
func (h header) begins(data []byte, text string) bool {
	return text != "" && bytes.HasPrefix(data[min(h.name, len(data)):], []byte(text))
}

// sniffZip finds the format by the first entry, which OpenDocument and EPUB files have uncompressed. Otherwise it finds
// it by the names in the directory or, in a file that was cut short, in the headers.
func sniffZip(data []byte) Format {
	byType := first(func(k Kind) bool {
		return len(k.MediaTypes) > 0 && localHeader.begins(data, "mimetype"+k.MediaTypes[0])
	})
	if byType != "" {
		return byType
	}
	for _, h := range []header{centralHeader, localHeader} {
		for start := len(data); start >= 0; start = bytes.LastIndex(data[:start], []byte(h.signature)) {
			byPart := first(func(k Kind) bool { return h.begins(data[start:], strings.TrimSuffix(k.MainPart, ".xml")) })
			if byPart != "" {
				return byPart
			}
		}
	}
	return ""
}
