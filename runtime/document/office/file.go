package office

import (
	"archive/zip"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/document"
)

// An entry that unpacks to more than ratioFrom bytes may have up to maxRatio times the bytes that it has in the file.
const (
	ratioFrom = 1 << 20
	maxRatio  = 250
)

// file is a document that is being read, and its text so far.
type file struct {
	format   document.Format
	parts    map[string]*zip.File // by name in lower case, since names in packages have no case
	limits   document.Limits
	unpacked int64 // bytes of all parts so far
	text     []byte
	marks    []mark
	made     int   // bytes of text that were made, some of them several times
	failure  error // of a write
}

// open reads the directory of a zip file. It refuses entries that share bytes with each other.
func open(format document.Format, data []byte, limits document.Limits) (*file, error) {
	if bytes.Count(data, []byte("PK\x01\x02")) > limits.Entries { // before the directory takes memory
		return nil, tooLarge(fmt.Sprintf("it has more than %d entries", limits.Entries))
	}
	archive, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, damaged("its zip directory is missing or invalid")
	}
	f := &file{format: format, parts: map[string]*zip.File{}, limits: limits}
	type extent struct{ start, end, header int64 }
	extents := make([]extent, 0, len(archive.File))
	for _, entry := range archive.File {
		start, err := entry.DataOffset()
		if err != nil {
			return nil, damaged("the header of an entry is missing")
		}
		extents = append(extents, extent{start, start + int64(entry.CompressedSize64), start - 30 - int64(len(entry.Name))})
		if key := partKey(entry.Name); f.parts[key] == nil {
			f.parts[key] = entry
		}
	}
	slices.SortFunc(extents, func(a, b extent) int { return cmp.Compare(a.start, b.start) })
	for i := 1; i < len(extents); i++ {
		if before := extents[i-1]; before.end < before.start || before.end > extents[i].header {
			return nil, damaged("its entries overlap")
		}
	}
	return f, nil
}

func partKey(name string) string {
	return strings.ToLower(strings.TrimPrefix(path.Clean(strings.ReplaceAll(name, `\`, "/")), "/"))
}

func (f *file) has(name string) bool { return f.parts[partKey(name)] != nil }

// part is the content of an entry. Reading fails beyond a limit.
type part struct {
	io.ReadCloser
	file         *file
	packed, read int64
	token        int // bytes since the last token
}

func (f *file) open(name string) (*part, error) {
	entry := f.parts[partKey(name)]
	switch {
	case entry == nil:
		return nil, damaged("a part that it refers to is missing")
	case entry.Flags&1 != 0:
		return nil, encrypted("its parts are protected with a password")
	}
	content, err := entry.Open()
	if err != nil {
		return nil, damaged("a part is packed in an unknown way")
	}
	return &part{ReadCloser: content, file: f, packed: int64(entry.CompressedSize64)}, nil
}

func (p *part) Read(buffer []byte) (int, error) {
	n, err := p.ReadCloser.Read(buffer)
	p.read, p.token, p.file.unpacked = p.read+int64(n), p.token+n, p.file.unpacked+int64(n)
	switch limits := p.file.limits; {
	case p.file.unpacked > limits.Unpacked:
		return 0, tooLarge(fmt.Sprintf("it unpacks to more than %d bytes", limits.Unpacked))
	case p.read > ratioFrom && p.read/maxRatio > p.packed:
		return 0, tooLarge(fmt.Sprintf("a part unpacks to more than %d times its size", maxRatio))
	case p.token > 2*limits.Text: // a letter can take two bytes more in UTF-16, and no more than six as a reference
		return 0, tooLarge(fmt.Sprintf("a part has more than %d bytes in one piece", 2*limits.Text))
	case err != nil && !errors.Is(err, io.EOF):
		return n, damaged("the bytes of a part are not those that were packed")
	}
	return n, err
}
