package audit

import (
	"bytes"
	"encoding/json"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/ownfile"
)

// Limits bounds what a log keeps.
type Limits struct {
	FileBytes int64         // of one file, about: it ends with the line that goes beyond
	Files     int           // with the one that is written
	Age       time.Duration // of what is kept; no file spans more than Age/Files
}

// The limits of an operator's log and of that of one user's machine.
var (
	HostedLimits = Limits{FileBytes: 64 << 20, Files: 16, Age: 32 * 24 * time.Hour}
	LocalLimits  = Limits{FileBytes: 4 << 20, Files: 8, Age: 96 * 24 * time.Hour}
)

// lookEvery is how long a log may go on without noticing that another process has written to its file or renamed it.
const lookEvery = time.Second

// Log appends lines to a file, or to a stream. Every line is one write, so that a process that is killed leaves whole lines, and
// each is written before the call is answered. A file that grows beyond its limits is renamed, which loses nothing of other
// processes that write to it, and the next one begins; so any number of processes may share a path, and log rotation from outside
// does no harm. What cannot be written is lost: that stops no call, and is said once until lines can be written again. A nil Log
// keeps nothing. It is safe for concurrent use.
type Log struct {
	// Lost is told of each line that is lost; nil: nobody. It is set before the first line, and must not block.
	Lost func()

	path   string
	limits Limits
	logger *slog.Logger

	mu      sync.Mutex
	out     io.Writer // the file, or the stream of NewStream
	file    *os.File  // nil before the first line and after a failure
	size    int64
	begun   time.Time // when the file's first line was written; zero while it has none
	looked  time.Time // when the file was compared with the path
	isTorn  bool      // the last write ended within a line
	failing bool      // which was said
	lost    int       // lines since writing failed
	encoded bytes.Buffer
}

// NewStream makes a log on a stream, which other writers may use too as long as they write whole lines.
func NewStream(out io.Writer, logger *slog.Logger) *Log {
	return &Log{out: out, logger: logger}
}

// NewFile makes a log in a file, mode 0600 in directories of mode 0700. A file that cannot be written is no error, but
// said to the logger.
func NewFile(path string, limits Limits, logger *slog.Logger) *Log {
	l := &Log{path: path, limits: limits, logger: logger}
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.ready(time.Now()); err != nil {
		l.fail(err)
	}
	l.prune(time.Now())
	return l
}

// write appends an entry.
func (l *Log) write(entry *Entry) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.ready(time.Now()); err != nil {
		l.lose(err)
		return
	}
	l.encoded.Reset()
	if l.isTorn {
		l.encoded.WriteByte('\n')
	}
	_ = json.NewEncoder(&l.encoded).Encode(entry) // strings, numbers and a time of this era always encode
	written, err := l.out.Write(l.encoded.Bytes())
	l.size += int64(written)
	if err != nil {
		l.isTorn = l.isTorn || written > 0
		l.lose(err)
		return
	}
	l.isTorn = false
	if l.begun.IsZero() {
		l.begun = entry.Time
	}
	if l.failing {
		l.logger.Info("the audit log is written again", "lines_lost", l.lost)
		l.failing, l.lost = false, 0
	}
}

// lose counts a line that is lost.
func (l *Log) lose(err error) {
	l.lost++
	if l.Lost != nil {
		l.Lost()
	}
	l.fail(err)
}

// fail says once that lines are lost. The next line tries to open the file anew.
func (l *Log) fail(err error) {
	l.close()
	if !l.failing {
		l.logger.Warn("the audit log cannot be written; calls go on without it", "error", err)
		l.failing = true
	}
}

// ready opens the file to which the next line belongs, or looks from time to time whether it is still the right one.
func (l *Log) ready(now time.Time) error {
	if l.path == "" || l.file != nil && now.Sub(l.looked) < lookEvery && l.size < l.limits.FileBytes {
		return nil
	}
	l.looked = now
	if l.file == nil || !l.isCurrent() {
		if err := l.open(); err != nil {
			return err
		}
	}
	for l.isFull(now) {
		if err := l.rotate(now); err != nil {
			return err
		}
		if err := l.open(); err != nil {
			return err
		}
	}
	return nil
}

// isCurrent reports whether the file still stands at its path, and takes its size.
func (l *Log) isCurrent() bool {
	named, err := os.Lstat(l.path)
	if err != nil {
		return false
	}
	opened, err := l.file.Stat()
	if err != nil || !os.SameFile(named, opened) {
		return false
	}
	l.size = opened.Size()
	return true
}

// open opens the file that stands at the path, or makes it.
func (l *Log) open() error {
	l.close()
	if err := os.MkdirAll(filepath.Dir(l.path), 0o700); err != nil {
		return err
	}
	file, err := ownfile.Append(l.path)
	if err != nil {
		return err
	}
	l.file, l.out = file, file
	l.size, l.begun, l.isTorn = examine(file)
	return nil
}

func (l *Log) close() {
	if l.file != nil {
		_ = l.file.Close() // every line was written
		l.file = nil
	}
}

// isFull reports whether the next line belongs into another file.
func (l *Log) isFull(now time.Time) bool {
	return l.size >= l.limits.FileBytes || !l.begun.IsZero() && now.Sub(l.begun) > l.limits.Age/time.Duration(l.limits.Files)
}
