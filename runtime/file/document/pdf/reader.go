// Package pdf reads PDF files with PDFium, which runs as WebAssembly without files, network or environment. Only the
// child process uses it: compiling PDFium takes seconds and 350 MB.
package pdf

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"image"
	"image/jpeg"
	"image/png"
	"io"
	"time"

	"github.com/klippa-app/go-pdfium"
	"github.com/klippa-app/go-pdfium/enums"
	pdfiumerrors "github.com/klippa-app/go-pdfium/errors"
	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"
	"github.com/klippa-app/go-pdfium/webassembly"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"

	"github.com/pdppmcp/pdpp-mcp/runtime/file/document"
)

// maxMemory bounds PDFium's memory, in pages of 64 KiB.
const maxMemory = 256 << 20 / (64 << 10)

// Reader is a running PDFium. It is not safe for concurrent use.
type Reader struct{ pdfium pdfium.Pdfium }

// New starts PDFium. It loads the compiled code from a cache directory or saves it there. If that fails, it compiles
// each time.
func New(cacheDirectory string) (*Reader, error) {
	config := wazero.NewRuntimeConfig().WithMemoryLimitPages(maxMemory).
		WithCoreFeatures(api.CoreFeaturesV2 | experimental.CoreFeaturesExceptionHandling) // PDFium needs the second
	if cacheDirectory != "" {
		if cache, err := wazero.NewCompilationCacheWithDir(cacheDirectory); err == nil {
			config = config.WithCompilationCache(cache)
		}
	}
	if reader, err := start(config); err == nil {
		return reader, nil
	}
	return start(config) // a cache that could not be written has the compiled code in memory
}

// start compiles with one worker: two are faster, but need more than 350 MB.
func start(config wazero.RuntimeConfig) (*Reader, error) {
	pool, err := webassembly.Init(webassembly.Config{
		Context: withMemory(context.Background()), RuntimeConfig: config, FSConfig: wazero.NewFSConfig(), Stdout: io.Discard, Stderr: io.Discard,
		MinIdle: 1, MaxIdle: 1, MaxTotal: 1,
	})
	if err != nil {
		return nil, err
	}
	instance, err := pool.GetInstance(time.Hour) // the process has a limit of processor time, and its caller a deadline
	return &Reader{instance}, err
}

func (r *Reader) open(data []byte) (references.FPDF_DOCUMENT, int, error) {
	opened, err := r.pdfium.OpenDocument(&requests.OpenDocument{File: &data})
	switch {
	case errors.Is(err, pdfiumerrors.ErrPassword), errors.Is(err, pdfiumerrors.ErrSecurity):
		return "", 0, &document.Error{Reason: document.Encrypted, Detail: "it needs a password"}
	case err != nil:
		return "", 0, damaged
	}
	count, err := r.pdfium.FPDF_GetPageCount(&requests.FPDF_GetPageCount{Document: opened.Document})
	if err != nil || count.PageCount == 0 {
		return "", 0, damaged
	}
	return opened.Document, count.PageCount, nil
}

var damaged = &document.Error{Reason: document.Damaged, Detail: "its bytes are not a complete PDF file"}

func page(opened references.FPDF_DOCUMENT, number int) requests.Page {
	return requests.Page{ByIndex: &requests.PageByIndex{Document: opened, Index: number - 1}}
}

// Lines that replace the text of a page without text.
const (
	blankPage   = "(blank page)\n"
	damagedPage = "(damaged page)\n"
	scan        = "(no text: this page is an image)\n" // it shows something
)

// Parts returns the text of all pages. It counts 20 bytes for the mark of a page.
func (r *Reader) Parts(data []byte, limits document.Limits) ([]document.Part, error) {
	opened, pages, err := r.open(data)
	if err != nil {
		return nil, err
	}
	var parts []document.Part
	size, hasForm := 0, r.hasForm(opened)
	for number := 1; number <= pages; number++ {
		text := r.pageText(opened, number, hasForm)
		parts = append(parts, document.Part{Unit: document.Page, Text: text, IsScan: text == scan})
		if size += 20 + len(text); size > limits.Text {
			return nil, limits.TextError()
		}
	}
	return parts, nil
}

// pageText returns the lines of a page, each with a line break. Filled form fields and notes are part of the text. The
// names and values of the fields follow.
func (r *Reader) pageText(opened references.FPDF_DOCUMENT, number int, hasForm bool) string {
	page, fields := page(opened, number), ""
	if hasForm {
		fields = r.formText(page)
	}
	// It fails on a page without annotations and on a damaged one, which the next call reports.
	_, _ = r.pdfium.FPDFPage_Flatten(&requests.FPDFPage_Flatten{
		Page:  page,
		Usage: requests.FPDFPage_FlattenUsageNormalDisplay,
	})
	read, err := r.pdfium.GetPageTextStructured(&requests.GetPageTextStructured{
		Page: page,
		Mode: requests.GetPageTextStructuredModeChars,
	})
	if err != nil {
		return cmp.Or(fields, damagedPage)
	}
	if text := layout(read.Chars) + fields; text != "" {
		return text
	}
	if objects, err := r.pdfium.FPDFPage_CountObjects(&requests.FPDFPage_CountObjects{Page: page}); err == nil &&
		objects.Count == 0 {
		return blankPage
	}
	return scan
}

// Limits of the image of a page (R-DOC-3).
const (
	maxSide  = 1600    // pixels
	maxImage = 1 << 20 // bytes
)

// Image returns a page as a PNG or JPEG image, whichever is smaller. The first page has the number 1.
func (r *Reader) Image(data []byte, number int) ([]byte, error) {
	opened, _, err := r.open(data)
	if err != nil {
		return nil, err
	}
	rendered, err := r.pdfium.RenderPageInPixels(&requests.RenderPageInPixels{
		Page: page(opened, number), Width: maxSide, Height: maxSide, RenderFlags: enums.FPDF_RENDER_FLAG_ANNOT,
	})
	if err != nil {
		return nil, damaged
	}
	defer rendered.Cleanup()
	return encode(rendered.Result.RenderedImage)
}

// qualities are tried in this order until the JPEG is small enough.
var qualities = []int{85, 60, 35, 10}

func encode(page image.Image) ([]byte, error) {
	var lossless bytes.Buffer
	if err := png.Encode(&lossless, page); err != nil {
		return nil, err
	}
	for _, quality := range qualities {
		var lossy bytes.Buffer
		if err := jpeg.Encode(&lossy, page, &jpeg.Options{Quality: quality}); err != nil {
			return nil, err
		}
		switch {
		case lossless.Len() <= min(lossy.Len(), maxImage):
			return lossless.Bytes(), nil
		case lossy.Len() <= maxImage:
			return lossy.Bytes(), nil
		}
	}
	return nil, &document.Error{Reason: document.TooLarge, Detail: "the image of the page has more than 1 MiB"}
}
