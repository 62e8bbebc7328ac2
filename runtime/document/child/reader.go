package child

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"os"
	"runtime/debug"
	"strconv"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/document"
	"github.com/pdppmcp/pdpp-mcp/runtime/document/office"
	"github.com/pdppmcp/pdpp-mcp/runtime/document/pdf"
)

// command is the hidden command of a child. Its arguments are the format, the number of the page to show or 0 for the text, and the cache
// directory.
const command = "document-child"

// maxHeap is where garbage collection becomes eager, below maxMemory.
const maxHeap = 384 << 20

// A program that links this package is its own child, and so are test binaries. The child runs before main, so that no other part
// of the program runs in it.
func init() { //nolint:gochecknoinits // see above
	if len(os.Args) == 5 && os.Args[1] == command {
		if err := run(document.Format(os.Args[2]), os.Args[3], os.Args[4]); err != nil {
			os.Exit(1)
		}
		os.Exit(0)
	}
}

func run(format document.Format, number, cacheDirectory string) error {
	if err := limitProcess(prepareTime); err != nil {
		return err
	}
	debug.SetMemoryLimit(maxHeap)
	read := func(data []byte) ([]byte, error) {
		text, err := office.Text(format, data, document.DefaultLimits())
		return []byte(text), err
	}
	if format == document.PDF {
		reader, err := pdf.New(cacheDirectory)
		if err != nil {
			return err
		}
		read = func(data []byte) ([]byte, error) { return readPDF(reader, data, number) }
	}
	if err := closeFiles(); err != nil {
		return err
	}
	if err := writeFrame(os.Stdout, frameReady, nil); err != nil {
		return err
	}
	data, err := io.ReadAll(os.Stdin)
	if err != nil {
		return err
	}
	time.AfterFunc(readTime+time.Second, func() { os.Exit(1) }) // a running server would have killed this process
	content, err := read(data)
	if refused, ok := errors.AsType[*document.Error](err); ok {
		encoded, err := json.Marshal(refused)
		return errors.Join(err, writeFrame(os.Stdout, frameError, encoded))
	}
	return errors.Join(err, writeFrame(os.Stdout, frameResult, content))
}

func readPDF(reader *pdf.Reader, data []byte, number string) ([]byte, error) {
	if page, err := strconv.Atoi(number); err == nil && page > 0 {
		return reader.Image(data, page)
	}
	text, err := reader.Text(data, document.DefaultLimits())
	return bytes.ToValidUTF8([]byte(text), []byte("\ufffd")), err
}

// The child writes two frames: frameReady when it is prepared, and frameResult or frameError after it has read the document. A frame is a
// byte for its kind, four bytes for the length of its content, and the content.
const (
	frameReady  = 'r'
	frameResult = 'd' // the text or the image
	frameError  = 'e' // a *document.Error in JSON
)

const frameHeader = 5

func writeFrame(out io.Writer, kind byte, content []byte) error {
	header := binary.BigEndian.AppendUint32([]byte{kind}, uint32(len(content)))
	_, err := out.Write(append(header, content...))
	return err
}

// readFrame reads a frame of a child, which a hostile document may control. A frame that the protocol does not allow is an error.
func readFrame(in io.Reader) (kind byte, content []byte, err error) {
	var header [frameHeader]byte
	if _, err := io.ReadFull(in, header[:]); err != nil {
		return 0, nil, err
	}
	length := binary.BigEndian.Uint32(header[1:])
	if int64(length) > int64(document.DefaultLimits().Text) {
		return 0, nil, io.ErrUnexpectedEOF
	}
	content = make([]byte, length)
	_, err = io.ReadFull(in, content)
	return header[0], content, err
}

func readResult(in io.Reader) ([]byte, error) {
	kind, content, err := readFrame(in)
	switch {
	case err != nil:
		return nil, err
	case kind == frameResult:
		return content, nil
	}
	var refused document.Error
	if kind != frameError || json.Unmarshal(content, &refused) != nil {
		return nil, io.ErrUnexpectedEOF
	}
	return nil, &refused
}
