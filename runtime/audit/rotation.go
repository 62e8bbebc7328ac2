package audit

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"
)

// rotate renames the file unless another process has done so.
func (l *Log) rotate(now time.Time) error {
	isCurrent := l.isCurrent()
	l.close()
	if isCurrent {
		// The name is unique among processes and within one. Otherwise the lines of one file would be lost.
		extension := filepath.Ext(l.path)
		name := fmt.Sprintf("%s-%s-%d-%d%s", strings.TrimSuffix(l.path, extension), time.Now().UTC().Format(stampForm+".000000000"),
			os.Getpid(), rotations.Add(1), extension)
		if err := os.Rename(l.path, name); err != nil && !errors.Is(err, fs.ErrNotExist) { // another process was sooner
			return err
		}
	}
	l.prune(now)
	return nil
}

var rotations atomic.Int64

// prune removes rotated files that are too many or too old. Files that cannot be removed stay.
func (l *Log) prune(now time.Time) {
	rotated := Rotated(l.path)
	for i, path := range rotated {
		info, err := os.Lstat(path)
		if err == nil && (len(rotated)-i >= l.limits.Files || now.Sub(info.ModTime()) > l.limits.Age) {
			_ = os.Remove(path)
		}
	}
}

// Rotated returns the rotated files of a log, the oldest first.
func Rotated(path string) []string {
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

// stampForm is the time in the name of a rotated file. Names sort by it.
const stampForm = "20060102T150405"

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
