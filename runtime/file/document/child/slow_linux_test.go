package child_test

import (
	"bytes"
	"errors"
	"image"
	_ "image/jpeg" // the scan
	"testing"
	"time"

	"github.com/pdppmcp/pdpp-mcp/e2e/timetest"
	"github.com/pdppmcp/pdpp-mcp/runtime/file/document"
	"github.com/pdppmcp/pdpp-mcp/runtime/file/document/child"
)

// R-DOC-3: an image of at most 1 MiB and 1,600 pixels on the longer side.
func TestImage(t *testing.T) {
	timetest.WithoutRace(t)
	data, err := child.Image(t.Context(), "", sampleFile(t, "kuendigung.pdf"), 1)
	if err != nil {
		t.Fatal(err)
	}
	shown, format, err := image.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	if size := shown.Bounds().Size(); len(data) > 1<<20 || max(size.X, size.Y) != 1600 || format != "jpeg" {
		t.Errorf("a %s of %d bytes and %v pixels", format, len(data), size)
	}
	if r, g, b, _ := shown.At(5, 5).RGBA(); min(r, g, b) < 0xd000 {
		t.Errorf("the background of the letter is %x %x %x", r, g, b)
	}
}

// R-DOC-4: a document that takes too long is stopped.
func TestTooSlow(t *testing.T) {
	timetest.WithoutRace(t)
	if testing.Short() {
		t.Skip("takes 10 s")
	}
	started := time.Now()
	_, err := child.Parts(t.Context(), "", document.PDF, slow())
	if refused, ok := errors.AsType[*document.Error](err); !ok || refused.Reason != document.TooSlow {
		t.Errorf("after %s: %v", time.Since(started), err)
	}
}
