// Package office reads the text of Office Open XML, OpenDocument and EPUB files, which are zip files with XML parts. It
// reads part by part within limits, follows no link out of the file, and returns the same text for the same bytes. Only
// the child process calls it (R-DOC-4).
//
// Headings begin with #, items of lists with a number or a dash. Tables are CSV rows; a merged cell has its value in
// the first field. Footnotes, comments and tracked changes are in brackets at their place; comments of XLSX and PPTX
// follow the sheet or slide. Headers precede the text, and footers follow it.
package office

import (
	"archive/zip"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/file/document"
)

var readers map[document.Format]func(*file)

func init() { // a document can have another one in it
	readers = map[document.Format]func(*file){
		document.DOCX: readDOCX, document.XLSX: readXLSX, document.PPTX: readPPTX,
		document.ODT: readODF, document.ODS: readODF, document.ODP: readODF, document.EPUB: readEPUB,
	}
}

// Parts returns the text of a document. A document that cannot be read is a *document.Error.
func Parts(format document.Format, data []byte, limits document.Limits) ([]document.Part, error) {
	return (&file{format: format, limits: limits}).read(data)
}

func (f *file) read(data []byte) ([]document.Part, error) {
	read, known := readers[f.format]
	switch {
	case f.format == document.OLE && bytes.Contains(data, []byte(strings.Join(strings.Split("EncryptedPackage", ""), "\x00"))): // in UTF-16
		f.fail(document.Encrypted, "it is protected with a password")
	case !known:
		f.fail(document.Unsupported, "it is not an Office Open XML, OpenDocument or EPUB file")
	default:
		f.readDirectory(data)
		read(f)
	}
	f.checkText()
	if f.failure != nil {
		return nil, f.failure
	}
	return f.parts(), nil
}

// notShown is the name of a picture or object without text.
var notShown = regexp.MustCompile(`\[[a-z ]+ not shown\]`)

// checkText fails if nothing was read.
func (f *file) checkText() {
	hasText := len(f.text) > maxNames || len(bytes.TrimSpace(notShown.ReplaceAll(f.text, nil))) > 0
	switch {
	case hasText:
	case len(f.losses) > 0:
		f.fail(document.Damaged, "parts with its text are missing or invalid")
	case len(bytes.TrimSpace(f.text)) > 0:
		f.fail(document.NoText, "it has pictures, drawings or objects, and no text")
	case len(f.marks) == 0:
		f.fail(document.NoText, "it has no text")
	}
}

// maxNames is a length of text that has more than names of what is not shown.
const maxNames = 64 << 10

// maxLosses bounds the parts that are named because they could not be read.
const maxLosses = 20

// lose notes that a part is missing or invalid. Without its main part, the document is damaged.
func (f *file) lose(name, detail string) {
	loss := fmt.Sprintf("[part not read: %s %s]\n",
		cmp.Or(oneLine(strings.ToValidUTF8(name, "")), "a part without a name"), detail)
	switch {
	case partKey(name) == f.mainPart:
		f.fail(document.Damaged, "its main part "+detail)
	case len(f.losses) == maxLosses:
		f.losses = append(f.losses, "[more parts are missing or invalid]\n")
	case len(f.losses) < maxLosses && len(name) <= maxName && !slices.Contains(f.losses, loss):
		f.losses = append(f.losses, loss)
	}
}

// maxName bounds the name of a part that is shown.
const maxName = 200

// fail keeps the first failure. Reading any part ends after it.
func (f *file) fail(reason document.Obstacle, detail string) {
	if f.failure == nil {
		f.failure = &document.Error{Reason: reason, Detail: detail}
	}
}

// An entry that unpacks to more than ratioFrom bytes may have up to maxRatio times the bytes that it has in the file.
const (
	ratioFrom = 1 << 20
	maxRatio  = 250
)

type file struct {
	format   document.Format
	isODF    bool
	limits   document.Limits
	entries  map[string]*zip.File // by name in lower case, since names in packages have no case
	unpacked int64                // bytes of all parts so far
	failure  error
	isInner  bool     // it is in another document
	mainPart string   // its key. The document cannot be read without it
	losses   []string // parts that could not be read

	text      []byte
	made      int // bytes of text made so far; text that is made twice counts twice
	marks     []mark
	paragraph *paragraph // the innermost open one
	row       *row       // the innermost open one
	captures  int        // open calls of captured
}

// readDirectory reads the directory of a zip file. It refuses entries that share bytes with each other.
func (f *file) readDirectory(data []byte) {
	if bytes.Count(data, []byte("PK\x01\x02")) > f.limits.Entries { // before the directory takes memory
		f.fail(document.TooLarge, fmt.Sprintf("it has more than %d entries", f.limits.Entries))
		return
	}
	archive, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		f.fail(document.Damaged, "its zip directory is missing or invalid")
		return
	}
	f.entries = map[string]*zip.File{}
	type extent struct{ header, start, end int64 }
	var extents []extent
	for _, entry := range archive.File {
		start, err := entry.DataOffset()
		if err != nil { // the part is missing
			continue
		}
		extents = append(extents, extent{start - 30 - int64(len(entry.Name)), start, start + int64(entry.CompressedSize64)})
		if key := partKey(entry.Name); f.entries[key] == nil {
			f.entries[key] = entry
		}
	}
	slices.SortFunc(extents, func(a, b extent) int { return cmp.Compare(a.start, b.start) })
	for i := 1; i < len(extents); i++ {
		if before := extents[i-1]; before.end < before.start || before.end > extents[i].header {
			f.fail(document.Damaged, "its entries overlap")
		}
	}
}

func partKey(name string) string {
	return strings.ToLower(strings.TrimPrefix(path.Clean(strings.ReplaceAll(name, `\`, "/")), "/"))
}

// part is the content of an entry. Reading fails beyond a limit. A part that is invalid ends before the fault.
type part struct {
	io.ReadCloser
	file         *file
	name         string
	packed, read int64
	token        int // bytes since the last token
	isInvalid    bool
}

// open returns a part, or nil if it is missing and after a failure.
func (f *file) open(name string) *part {
	entry := f.entries[partKey(name)]
	switch {
	case f.failure != nil:
		return nil
	case entry == nil:
		f.lose(name, "is missing")
		return nil
	case entry.Flags&1 != 0:
		f.fail(document.Encrypted, "its parts are protected with a password")
		return nil
	}
	content, err := entry.Open()
	if err != nil {
		f.lose(name, "is packed in an unknown way")
		return nil
	}
	return &part{ReadCloser: content, file: f, name: name, packed: int64(entry.CompressedSize64)}
}

// end ends the part before its end.
func (p *part) end(detail string) {
	if !p.isInvalid {
		p.isInvalid = true
		p.file.lose(p.name, detail)
	}
}

func (p *part) Read(buffer []byte) (int, error) {
	n, err := p.ReadCloser.Read(buffer)
	p.read, p.token, p.file.unpacked = p.read+int64(n), p.token+n, p.file.unpacked+int64(n)
	switch limits := p.file.limits; {
	case p.file.unpacked > limits.Unpacked:
		p.file.fail(document.TooLarge, fmt.Sprintf("it unpacks to more than %d bytes", limits.Unpacked))
	case p.read > ratioFrom && p.read/maxRatio > p.packed:
		p.file.fail(document.TooLarge, fmt.Sprintf("a part unpacks to more than %d times its size", maxRatio))
	case p.token > 2*limits.Text: // a letter can take two bytes more in UTF-16, and no more than six as a reference
		p.file.fail(document.TooLarge, fmt.Sprintf("a part has more than %d bytes in one piece", 2*limits.Text))
	case err != nil && !errors.Is(err, io.EOF):
		p.end("does not match its checksum")
	}
	if p.file.failure != nil {
		return 0, p.file.failure
	}
	return n, err
}
