package child

import (
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
	read := func(data []byte) (read answer, err error) {
		read.Parts, err = office.Parts(format, data, document.DefaultLimits())
		return read, err
	}
	if format == document.PDF {
		reader, err := pdf.New(cacheDirectory)
		if err != nil {
			return err
		}
		read = func(data []byte) (answer, error) { return readPDF(reader, data, number) }
	}
	if err := closeFiles(); err != nil {
		return err
	}
	answers := json.NewEncoder(os.Stdout)
	answers.SetEscapeHTML(false)
	if err := answers.Encode(answer{}); err != nil {
		return err
	}
	data, err := io.ReadAll(os.Stdin)
	if err != nil {
		return err
	}
	time.AfterFunc(readTime+time.Second, func() { os.Exit(1) }) // a running server would have killed this process
	answered, err := read(data)
	isRefused := errors.As(err, &answered.Refused)
	if err != nil && !isRefused {
		return err
	}
	return answers.Encode(answered)
}

func readPDF(reader *pdf.Reader, data []byte, number string) (read answer, err error) {
	if page, _ := strconv.Atoi(number); page > 0 {
		read.Image, err = reader.Image(data, page)
	} else {
		read.Parts, err = reader.Parts(data, document.DefaultLimits())
	}
	return read, err
}

// answer is what the child writes in JSON: an empty one when it is prepared, and another one after it has read the document.
type answer struct {
	Parts   []document.Part
	Image   []byte
	Refused *document.Error
}
