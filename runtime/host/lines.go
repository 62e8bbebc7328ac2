package host

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"sync"
)

// lineReader reads lines of bounded length.
type lineReader struct {
	source *bufio.Reader
	closer io.Closer
}

func newLineReader(source io.ReadCloser) *lineReader {
	return &lineReader{source: bufio.NewReaderSize(source, 64<<10), closer: source}
}

// Close closes the source, which ends a read that waits for it where the system allows that.
func (r *lineReader) Close() error { return r.closer.Close() }

var errLineTooLong = errors.New("line too long")

// next reads one line, which is the caller's to keep. A line beyond the limit is skipped to its end. An error can come
// with the last line.
func (r *lineReader) next() ([]byte, error) {
	var line []byte
	tooLong := false
	for {
		part, err := r.source.ReadSlice('\n')
		if len(line)+len(bytes.TrimRight(part, "\r\n")) > LongestLine {
			tooLong, line = true, nil
		}
		if !tooLong {
			line = append(line, part...)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if tooLong {
			return nil, errLineTooLong
		}
		return line, err
	}
}

// lineWriter writes whole lines, one at a time. It is safe for concurrent use.
type lineWriter struct {
	mu          sync.Mutex
	destination io.Writer
}

// write writes one message, which has its line end.
func (w *lineWriter) write(line []byte) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	_, err := w.destination.Write(line)
	return err
}
