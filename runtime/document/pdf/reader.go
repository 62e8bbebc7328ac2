// Package pdf reads PDF files with PDFium, which runs as WebAssembly without files, network or environment. Only the child process
// uses it: compiling PDFium takes seconds and 350 MB.
package pdf

import (
	"errors"
	"io"
	"time"

	"github.com/klippa-app/go-pdfium"
	pdfiumerrors "github.com/klippa-app/go-pdfium/errors"
	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"
	"github.com/klippa-app/go-pdfium/webassembly"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"

	"github.com/pdppmcp/pdpp-mcp/runtime/document"
)

// maxMemory bounds PDFium's memory, in pages of 64 KiB.
const maxMemory = 256 << 20 / (64 << 10)

// Reader is a running PDFium. It is not safe for concurrent use.
type Reader struct{ pdfium pdfium.Pdfium }

// New starts PDFium. It loads the compiled code from a cache directory or saves it there, and compiles each time if that fails.
func New(cacheDirectory string) (*Reader, error) {
	config := wazero.NewRuntimeConfig().WithMemoryLimitPages(maxMemory).
		WithCoreFeatures(api.CoreFeaturesV2 | experimental.CoreFeaturesExceptionHandling) // PDFium needs the second
	if cacheDirectory == "" {
		return start(config)
	}
	cache, err := wazero.NewCompilationCacheWithDir(cacheDirectory)
	if err != nil {
		return start(config)
	}
	config = config.WithCompilationCache(cache)
	if reader, err := start(config); err == nil {
		return reader, nil
	}
	return start(config) // a cache that cannot be written has the compiled code in memory
}

// start compiles with one worker: two are faster, but need more than 350 MB.
func start(config wazero.RuntimeConfig) (*Reader, error) {
	pool, err := webassembly.Init(webassembly.Config{
		RuntimeConfig: config, FSConfig: wazero.NewFSConfig(), Stdout: io.Discard, Stderr: io.Discard,
		MinIdle: 1, MaxIdle: 1, MaxTotal: 1,
	})
	if err != nil {
		return nil, err
	}
	instance, err := pool.GetInstance(time.Minute)
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
