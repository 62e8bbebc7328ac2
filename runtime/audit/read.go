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

// longestLine bounds what is read of a line. A longer one was not written by a Log.
const longestLine = 64 << 10

// Entries gives the entries of a log, in the order of its files and lines. What is no entry is passed over, such as a line that a
// full disk left torn. A file that cannot be read gives an error once and no entry; a log that was never written gives nothing.
func Entries(path string) iter.Seq2[*Entry, error] {
	return func(yield func(*Entry, error) bool) {
		for _, each := range append(Ended(path), path) {
			if !entriesIn(each, yield) {
				return
			}
		}
	}
}

// entriesIn gives the entries of one file, and reports whether more are wanted.
func entriesIn(path string, yield func(*Entry, error) bool) bool {
	file, _, err := ownfile.Open(path, os.O_RDONLY)
	switch {
	case errors.Is(err, fs.ErrNotExist): // it was removed meanwhile, or there is none yet
		return true
	case err != nil:
		return yield(nil, err)
	}
	defer file.Close()
	lines := bufio.NewReaderSize(file, longestLine)
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
