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

// rotate renames the file, so that the next one can begin. Another process that renamed it before has done the work: then what
// stands at the path is a new file, and stays.
func (l *Log) rotate(now time.Time) error {
	isCurrent := l.isCurrent()
	l.close()
	if isCurrent {
		// No two files get one name, which would lose the lines of one: not of two processes, nor in one.
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

// prune removes the ended files that are too many or too old. What cannot be removed stays.
func (l *Log) prune(now time.Time) {
	ended := Ended(l.path)
	for i, path := range ended {
		info, err := os.Lstat(path)
		if err == nil && (len(ended)-i >= l.limits.Files || now.Sub(info.ModTime()) > l.limits.Age) {
			_ = os.Remove(path)
		}
	}
}

// Ended are the files of a log that were ended, the oldest first, without the one that is written.
func Ended(path string) []string {
	extension := filepath.Ext(path)
	prefix := strings.TrimSuffix(filepath.Base(path), extension) + "-"
	entries, _ := os.ReadDir(filepath.Dir(path)) // no directory has no files
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

// stampForm is how the time stands in the name of an ended file, so that names sort by it.
const stampForm = "20060102T150405"

// examine tells the size of a file, the time of its first line, and whether its last line is torn, as a full disk leaves it.
func examine(file *os.File) (size int64, begun time.Time, isTorn bool) {
	info, err := file.Stat()
	if err != nil || info.Size() == 0 {
		return 0, time.Time{}, false
	}
	beginning := make([]byte, 4<<10)
	length, _ := file.ReadAt(beginning, 0) // what cannot be read has no time
	var first Entry
	line, _, _ := bytes.Cut(beginning[:length], []byte("\n"))
	if json.Unmarshal(line, &first) != nil {
		first.Time = info.ModTime()
	}
	last := make([]byte, 1)
	_, err = file.ReadAt(last, info.Size()-1)
	return info.Size(), first.Time, err != nil || last[0] != '\n'
}
