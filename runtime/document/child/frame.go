package child

import (
	"encoding/binary"
	"encoding/json"
	"io"

	"github.com/pdppmcp/pdpp-mcp/runtime/document"
)

// The child writes two frames: ready when it is prepared, and after it has read the document one of the others. A frame is a byte for
// its kind, four bytes for the length of its content, and the content.
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
