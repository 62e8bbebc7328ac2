// Package child reads documents in a child process that has no credential, no environment and no open file apart from its pipes
// (R-DOC-4). A hostile document can at most make that process fail.
package child

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/ownfile"
	"github.com/pdppmcp/pdpp-mcp/runtime/file/document"
)

// Limits of one child, and how many run at the same time.
const (
	readTime    = 10 * time.Second
	prepareTime = 60 * time.Second // to compile PDFium without a cache; no document is in the process yet
	maxChildren = 2
	maxAnswers  = 24 << 20 // bytes of JSON. The longest text has 8 MiB without escapes
)

var (
	children  = semaphore.NewWeighted(maxChildren)
	preparing = semaphore.NewWeighted(1) // one compiles PDFium, and the next finds it in the cache
)

// Parts returns the text of a document. It returns a *document.Error if the document cannot be read. The child ends with ctx.
func Parts(ctx context.Context, format document.Format, data []byte) ([]document.Part, error) {
	parts, _, err := read(ctx, format, 0, data)
	return parts, err
}

// Image returns a page of a PDF as an image. The first page has the number 1.
func Image(ctx context.Context, data []byte, page int) ([]byte, error) {
	_, image, err := read(ctx, document.PDF, page, data)
	return image, err
}

func read(ctx context.Context, format document.Format, page int, data []byte) (parts []document.Part, image []byte, err error) {
	if err := children.Acquire(ctx, 1); err != nil {
		return nil, nil, err
	}
	if err := preparing.Acquire(ctx, 1); err != nil {
		children.Release(1)
		return nil, nil, err
	}
	prepared := make(chan *process, 1)
	go func() {
		defer preparing.Release(1)
		prepared <- start(format, page)
	}()
	select {
	case process := <-prepared:
		defer process.end()
		return process.read(ctx, data)
	case <-ctx.Done():
		// The process has no document yet. It may finish compiling PDFium, for the next call.
		go func() { (<-prepared).end() }()
		return nil, nil, ctx.Err()
	}
}

var errNoReader = &document.Error{Reason: document.Unsupported, Detail: "this machine does not let the server start its reader (docs/security.md)"}

type process struct {
	command *exec.Cmd
	stdin   io.WriteCloser
	answers *json.Decoder
	failed  error // why it is not prepared, or nil
}

// start starts a process, and waits until it is prepared for the document.
func start(format document.Format, page int) *process {
	program, err := os.Executable()
	if runtime.GOOS == "linux" {
		program = "/proc/self/exe" // even if a newer program has replaced the file
	}
	p := &process{command: exec.Command(program, command, string(format), strconv.Itoa(page), cacheDirectory())}
	p.command.Env = []string{}
	p.command.Stderr = io.Discard // a pipe; nil would open /dev/null
	stdin, errIn := p.command.StdinPipe()
	stdout, errOut := p.command.StdoutPipe()
	if p.failed = errors.Join(err, errIn, errOut); p.failed != nil {
		return p
	}
	p.stdin, p.answers = stdin, json.NewDecoder(io.LimitReader(stdout, maxAnswers))
	if p.failed = p.command.Start(); p.failed == nil {
		defer time.AfterFunc(prepareTime, p.kill).Stop()
		p.failed = p.answers.Decode(&answer{})
	}
	return p
}

// read passes on the document and returns the answer. It kills the child when ctx ends or the time is over.
func (p *process) read(ctx context.Context, data []byte) (parts []document.Part, image []byte, err error) {
	if p.failed != nil {
		return nil, nil, errNoReader
	}
	limited, stop := context.WithTimeout(ctx, readTime)
	defer stop()
	defer context.AfterFunc(limited, p.kill)()
	go func() {
		_, _ = p.stdin.Write(data) // a child that has failed closes its end; reading reports it
		_ = p.stdin.Close()
	}()
	parts, image, err = readAnswers(p.answers)
	_, isRefused := errors.AsType[*document.Error](err)
	switch {
	case err == nil, isRefused:
		return parts, image, err
	case ctx.Err() != nil:
		return nil, nil, ctx.Err()
	case limited.Err() != nil:
		return nil, nil, &document.Error{Reason: document.TooSlow, Detail: "reading it takes more than " + readTime.String()}
	}
	return nil, nil, &document.Error{Reason: document.TooLarge, Detail: "reading it needs more than 512 MiB of memory, or failed"}
}

func (p *process) kill() { _ = p.command.Process.Kill() } // it may have ended

// end ends a process that may have failed to start, and lets another one run.
func (p *process) end() {
	defer children.Release(1)
	if p.command.Process != nil {
		p.kill()
		_ = p.command.Wait() // the answer says whether it failed
	}
}

// cacheDirectory returns the directory of compiled code, or nothing if others can write there, because the child runs this code.
func cacheDirectory() string {
	parent, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	directory := filepath.Join(parent, "pdpp-mcp", "pdfium")
	_ = os.MkdirAll(directory, 0o700) // it may exist already, or be on a read-only file system
	info, err := os.Lstat(directory)
	if err != nil || !info.IsDir() || ownfile.IsShared(info) || ownfile.CheckOwner(directory, info) != nil {
		return ""
	}
	return directory
}
