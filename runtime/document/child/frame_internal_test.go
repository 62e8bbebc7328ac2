package child

import (
	"bytes"
	"errors"
	"io"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/runtime/document"
)

// FuzzFrame checks that any output of a child is a whole result, a *document.Error, or an error of reading.
func FuzzFrame(f *testing.F) {
	for _, kind := range []byte{frameReady, frameResult, frameError} {
		var frame bytes.Buffer
		if err := writeFrame(&frame, kind, []byte(`{"Reason":"encrypted"}`)); err != nil {
			f.Fatal(err)
		}
		f.Add(frame.Bytes())
		f.Add(frame.Bytes()[:frame.Len()-1])
	}
	f.Add([]byte{frameResult, 0xff, 0xff, 0xff, 0xff})
	f.Fuzz(func(t *testing.T, output []byte) {
		content, err := readResult(bytes.NewReader(output))
		_, isRefused := errors.AsType[*document.Error](err)
		switch {
		case err == nil:
			if output[0] != frameResult || !bytes.HasPrefix(output[frameHeader:], content) {
				t.Errorf("%q is read as %q", output, content)
			}
		case isRefused && output[0] == frameError, errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		default:
			t.Errorf("%q: %v", output, err)
		}
	})
}
