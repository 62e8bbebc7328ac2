package audit

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/ownfile"
)

const maxLineBytes = 64 << 10 // a Log writes shorter lines

// Entries returns the entries of a log in the order of its files and lines. It skips invalid lines, such as one that a
// full disk cut off. It yields one error for each file that cannot be read. A missing log has no entries.
func Entries(path string) iter.Seq2[*Entry, error] {
	return func(yield func(*Entry, error) bool) {
		for _, each := range append(rotated(path), path) {
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

func (l *Log) rotate(now time.Time) error {
	isCurrent := l.isCurrent()
	l.close()
	if isCurrent {
		// The name is unique among processes and within one. Otherwise the lines of one file would be lost.
		extension := filepath.Ext(l.path)
		name := fmt.Sprintf("%s-%s-%d-%d%s", strings.TrimSuffix(l.path, extension), time.Now().UTC().Format(stampForm+".000000000"),
			os.Getpid(), rotations.Add(1), extension)
		if err := os.Rename(l.path, name); err != nil && !errors.Is(err, fs.ErrNotExist) { // another process renamed it first
			return err
		}
	}
	l.prune(now)
	return nil
}

var rotations atomic.Int64

func (l *Log) prune(now time.Time) {
	paths := rotated(l.path)
	for i, path := range paths {
		info, err := os.Lstat(path)
		if err == nil && (len(paths)-i >= l.limits.Files || now.Sub(info.ModTime()) > l.limits.Age) {
			_ = os.Remove(path)
		}
	}
}

func rotated(path string) []string {
	extension := filepath.Ext(path)
	prefix := strings.TrimSuffix(filepath.Base(path), extension) + "-"
	entries, _ := os.ReadDir(filepath.Dir(path)) // a missing directory has no files
	var ended []string
	for _, entry := range entries {
		stamp, isNamed := strings.CutPrefix(entry.Name(), prefix)
		if isNamed && strings.HasSuffix(stamp, extension) && len(stamp) > len(stampForm) && stamp[8] == 'T' && entry.Type().IsRegular() {
			ended = append(ended, filepath.Join(filepath.Dir(path), entry.Name()))
		}
	}
	slices.Sort(ended) // their names begin with the time
	return ended
}

const stampForm = "20060102T150405" // the names of rotated files sort by it

// examine returns the size of a file, the time of its first line, and whether its last line is incomplete.
func examine(file *os.File) (size int64, begun time.Time, isTorn bool) {
	info, err := file.Stat()
	if err != nil || info.Size() == 0 {
		return 0, time.Time{}, false
	}
	beginning := make([]byte, 4<<10)
	length, _ := file.ReadAt(beginning, 0) // an unreadable line has no time
	var first Entry
	line, _, _ := bytes.Cut(beginning[:length], []byte("\n"))
	if json.Unmarshal(line, &first) != nil {
		first.Time = info.ModTime()
	}
	last := make([]byte, 1)
	_, err = file.ReadAt(last, info.Size()-1)
	return info.Size(), first.Time, err != nil || last[0] != '\n'
}
