package toolcall

import (
	"bufio"
	"bytes"
	"errors"
)

// LongestLine limits a message on standard input, in bytes (docs/interfaces.md, Limits). A longer one is refused and
// skipped.
const LongestLine = 4 << 20

var errLineTooLong = errors.New("line too long")

// nextLine reads a line, which the caller may keep. It skips a line over the limit. The last line can come with an
// error.
func nextLine(source *bufio.Reader) ([]byte, error) {
	var line []byte
	isTooLong := false
	for {
		part, err := source.ReadSlice('\n')
		if len(line)+len(bytes.TrimRight(part, "\r\n")) > LongestLine {
			isTooLong, line = true, nil
		}
		if !isTooLong {
			line = append(line, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case isTooLong:
			return nil, errLineTooLong
		default:
			return line, err
		}
	}
}
