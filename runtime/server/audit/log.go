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

	"github.com/pdppmcp/pdpp-mcp/runtime/base/ownfile"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
)

// Limits bounds the files of a log.
type Limits struct {
	FileBytes int64         // of one file; its last line may exceed it
	Files     int           // including the current one
	Age       time.Duration // of the oldest entry; one file spans at most Age/Files
}

// The limits for servers and for one user's machine.
var (
	HostedLimits = Limits{FileBytes: 64 << 20, Files: 16, Age: 32 * 24 * time.Hour}
	LocalLimits  = Limits{FileBytes: 4 << 20, Files: 8, Age: 96 * 24 * time.Hour}
)

const recheckInterval = time.Second // another process may have renamed the file

// Log appends lines to a file or a stream. Each line is one write, made before the call is answered, so that a killed
// process leaves whole lines. It renames full files. Several processes and external log rotation may share a path.
// Lines that cannot be written are lost, which is logged once. A nil Log does nothing. It is safe for concurrent use.
type Log struct {
	// Lost is called for each lost line. It may be nil, is set before the first line, and must not block.
	Lost func()

	path   string
	limits Limits
	logger *slog.Logger

	mu      sync.Mutex
	out     io.Writer // the file, or the stream of NewStream
	file    *os.File  // nil before the first line and after a failure
	size    int64
	begun   time.Time // time of the file's first line; zero: it is empty
	checked time.Time // when isCurrent was called last
	isTorn  bool      // the last write ended within a line
	failing bool      // lines are being lost, which was logged
	lost    int       // lines since then
	encoded bytes.Buffer
}

// NewStream returns a log on a stream. Other writers may use the stream if they write whole lines.
func NewStream(out io.Writer, logger *slog.Logger) *Log {
	return &Log{out: out, logger: logger}
}

// NewFile returns a log in a file of mode 0600, in directories of mode 0700. If the file cannot be written, the logger
// gets a warning.
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
	line, _ := json.Marshal(entry) // strings, numbers and a time of this era always encode
	l.encoded.WriteString(rawjson.Visible(line))
	l.encoded.WriteByte('\n')
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

func (l *Log) lose(err error) {
	l.lost++
	if l.Lost != nil {
		l.Lost()
	}
	l.fail(err)
}

// fail logs once that lines are lost. The next line opens the file again.
func (l *Log) fail(err error) {
	l.close()
	if !l.failing {
		l.logger.Warn("the audit log cannot be written; calls continue without it", "error", err)
		l.failing = true
	}
}

// ready opens the file for the next line. It checks from time to time whether the open file is still the current one.
func (l *Log) ready(now time.Time) error {
	if l.path == "" || l.file != nil && now.Sub(l.checked) < recheckInterval && l.size < l.limits.FileBytes {
		return nil
	}
	l.checked = now
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

// isCurrent reports whether the open file is still at its path, and updates its size.
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

func (l *Log) isFull(now time.Time) bool {
	return l.size >= l.limits.FileBytes || !l.begun.IsZero() && now.Sub(l.begun) > l.limits.Age/time.Duration(l.limits.Files)
}
