package child

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"os"
	"runtime/debug"
	"strconv"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/file/document"
	"github.com/pdppmcp/pdpp-mcp/runtime/file/document/office"
	"github.com/pdppmcp/pdpp-mcp/runtime/file/document/pdf"
)

// command is the hidden command of a child. Its arguments are the format, the number of the page to show or 0 for the
// text, and the cache directory.
const command = "document-child"

// maxHeap is below maxMemory. Garbage is collected more often when the heap approaches it.
const maxHeap = 384 << 20

// The child is the same program, also for test binaries, started with the hidden command. It runs in init, so that main
// and its packages do not.
func init() { //nolint:gochecknoinits // see above
	if len(os.Args) == 5 && os.Args[1] == command {
		if err := run(document.Format(os.Args[2]), os.Args[3], os.Args[4]); err != nil {
			os.Exit(refusedExit)
		}
		os.Exit(0)
	}
}

func run(format document.Format, number, cacheDirectory string) error {
	if err := limitProcess(prepareTime + readTime); err != nil {
		return err
	}
	debug.SetMemoryLimit(maxHeap)
	read := func(data []byte) (parts []document.Part, image []byte, err error) {
		parts, err = office.Parts(format, data, document.DefaultLimits())
		return parts, nil, err
	}
	if format == document.PDF {
		reader, err := pdf.New(cacheDirectory)
		if err != nil {
			return err
		}
		read = func(data []byte) ([]document.Part, []byte, error) { return readPDF(reader, data, number) }
	}
	if err := closeFiles(); err != nil {
		return err
	}
	processor, err := limitReading(readTime)
	if err != nil {
		return err
	}
	answers := json.NewEncoder(os.Stdout)
	answers.SetEscapeHTML(false)
	if err := answers.Encode(answer{Processor: processor}); err != nil {
		return err
	}
	data, err := readDocument(os.Stdin)
	if err != nil {
		return err
	}
	last := answer{}
	parts, image, err := read(data)
	if err != nil && !errors.As(err, &last.Refused) {
		return err
	}
	for _, part := range parts {
		if err := answers.Encode(answer{Part: &part}); err != nil {
			return err
		}
	}
	last.Image = image
	return answers.Encode(last)
}

// writeDocument writes a document with its size before it, so that the child needs one buffer.
func writeDocument(to io.Writer, data []byte) error {
	size := binary.BigEndian.AppendUint32(nil, uint32(len(data)))
	if _, err := to.Write(size); err != nil {
		return err
	}
	_, err := to.Write(data)
	return err
}

func readDocument(from io.Reader) ([]byte, error) {
	var size uint32
	if err := binary.Read(from, binary.BigEndian, &size); err != nil {
		return nil, err
	}
	data := make([]byte, size)
	_, err := io.ReadFull(from, data)
	return data, err
}

func readPDF(reader *pdf.Reader, data []byte, number string) (parts []document.Part, image []byte, err error) {
	if page, _ := strconv.Atoi(number); page > 0 {
		image, err = reader.Image(data, page)
	} else {
		parts, err = reader.Parts(data, document.DefaultLimits())
	}
	return parts, image, err
}

// answer is one JSON value in the child's output. The first one reports that the child is prepared, and its limit. Then
// comes one for each part of the document, and a last one without a part.
type answer struct {
	Processor time.Duration   `json:",omitempty"` // limit of the processor time; 0: the parent enforces a limit of time
	Part      *document.Part  `json:",omitempty"`
	Image     []byte          `json:",omitempty"`
	Refused   *document.Error `json:",omitempty"`
}

const (
	markBytes = 20  // about the length of the line that begins a page
	maxDetail = 200 // bytes
)

var errAnswer = errors.New("unexpected answer of a child")

// readAnswers reads the answers of a prepared process. A hostile document may control the process, so the text is
// limited here too.
func readAnswers(answers *json.Decoder) (parts []document.Part, image []byte, err error) {
	limits := document.DefaultLimits()
	for size := 0; size <= limits.Text+markBytes; {
		var next answer
		if err := answers.Decode(&next); err != nil {
			return nil, nil, err
		}
		switch {
		case next.Refused != nil && (next.Refused.Detail == "" || len(next.Refused.Detail) > maxDetail):
			return nil, nil, errAnswer
		case next.Refused != nil:
			return nil, nil, next.Refused
		case next.Part == nil:
			return parts, next.Image, nil
		}
		parts = append(parts, *next.Part)
		size += markBytes + len(next.Part.Name) + len(next.Part.Text)
	}
	return nil, nil, limits.TextError()
}
