package audit

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"iter"
	"os"

	"github.com/pdppmcp/pdpp-mcp/runtime/ownfile"
)

// maxLineBytes is the maximum length of a line. A Log writes no longer ones.
const maxLineBytes = 64 << 10

// Entries returns the entries of a log in the order of its files and lines. It skips invalid lines, such as one that a full disk cut
// off. It yields one error for each file that cannot be read. A missing log has no entries.
func Entries(path string) iter.Seq2[*Entry, error] {
	return func(yield func(*Entry, error) bool) {
		for _, each := range append(Rotated(path), path) {
			if !entriesIn(each, yield) {
				return
			}
		}
	}
}

// entriesIn yields the entries of one file, and reports whether to continue.
func entriesIn(path string, yield func(*Entry, error) bool) bool {
	file, _, err := ownfile.Open(path, os.O_RDONLY)
	switch {
	case errors.Is(err, fs.ErrNotExist): // just removed, or not yet written
		return true
	case err != nil:
		return yield(nil, err)
	}
	defer file.Close()
	lines := bufio.NewReaderSize(file, maxLineBytes)
	for {
		line, err := lines.ReadSlice('\n')
		if entry := new(Entry); err == nil && bytes.HasPrefix(line, []byte("{")) && json.Unmarshal(line, entry) == nil && !entry.Time.IsZero() {
			if !yield(entry, nil) {
				return false
			}
		}
		switch {
		case errors.Is(err, io.EOF):
			return true
		case err != nil && !errors.Is(err, bufio.ErrBufferFull):
			return yield(nil, err)
		}
	}
}
