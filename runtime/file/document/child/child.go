// Package child reads documents in a child process that has no credential, no environment and no open file apart from
// its pipes (R-DOC-4). A hostile document can at most make that process fail.
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

	"github.com/pdppmcp/pdpp-mcp/runtime/base/fairshare"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/ownfile"
	"github.com/pdppmcp/pdpp-mcp/runtime/file/document"
)

// Limits of the children.
const (
	readTime = 10 * time.Second // of the child's processor time, for a document
	// of the child's processor time, to compile PDFium without a cache; no document is in the process yet
	prepareTime = 60 * time.Second
	maxChildren = 2
	maxAnswers  = 24 << 20 // bytes of JSON. The longest text has 8 MiB without escapes
)

var (
	children  = fairshare.New(maxChildren, 1)
	preparing = semaphore.NewWeighted(1) // one compiles PDFium, and the next finds it in the cache
)

// Parts returns the text of a document. It returns a *document.Error if the document cannot be read. The child ends
// with ctx. Children are shared fairly between callers.
func Parts(ctx context.Context, caller string, format document.Format, data []byte) ([]document.Part, error) {
	parts, _, err := read(ctx, caller, format, 0, data)
	return parts, err
}

// Image returns a page of a PDF as an image. The first page has the number 1.
func Image(ctx context.Context, caller string, data []byte, page int) ([]byte, error) {
	_, image, err := read(ctx, caller, document.PDF, page, data)
	return image, err
}

// Prepare compiles PDFium for the first PDF. It does nothing if the compiled code cannot be kept. The next child
// reports errors.
func Prepare(ctx context.Context) {
	if cacheDirectory() == "" {
		return
	}
	if process, err := prepared(ctx, document.PDF, 0); err == nil {
		process.end()
	}
}

func read(ctx context.Context, caller string, format document.Format, page int,
	data []byte,
) ([]document.Part, []byte, error) {
	release, err := children.Acquire(ctx, caller, 1)
	if err != nil {
		return nil, nil, err
	}
	defer release()
	process, err := prepared(ctx, format, page)
	if err != nil {
		return nil, nil, err
	}
	return process.read(ctx, data)
}

// prepared returns a process that waits for its document. If ctx ends first, the process may finish compiling PDFium
// for the next call.
func prepared(ctx context.Context, format document.Format, page int) (*process, error) {
	if err := preparing.Acquire(ctx, 1); err != nil {
		return nil, err
	}
	started := make(chan *process, 1)
	go func() {
		defer preparing.Release(1)
		started <- start(format, page)
	}()
	select {
	case process := <-started:
		return process, nil
	case <-ctx.Done():
		go func() { (<-started).end() }()
		return nil, ctx.Err()
	}
}

var (
	errNoReader = &document.Error{
		Reason: document.Unsupported,
		Detail: "this machine does not let the server start its reader (docs/security.md)",
	}
	errNotReady = &document.Error{
		Reason: document.Unsupported,
		Detail: "the server's reader ended before it was ready; call again",
	}
)

type process struct {
	command   *exec.Cmd
	stdin     io.WriteCloser
	answers   *json.Decoder
	processor time.Duration // the limit of its processor time; 0 if it has none
	failed    error         // why it is not prepared, or nil
}

// start starts a process, and waits until it is prepared for the document.
func start(format document.Format, page int) *process {
	program, err := os.Executable()
	if runtime.GOOS == "linux" {
		program = "/proc/self/exe" // even if a newer program has replaced the file
	}
	p := &process{command: exec.Command(program, command, string(format), strconv.Itoa(page), cacheDirectory())}
	p.command.Env = []string{noCgroup}
	p.command.Stderr = io.Discard // a pipe; nil would open /dev/null
	stdin, errIn := p.command.StdinPipe()
	stdout, errOut := p.command.StdoutPipe()
	if p.failed = errors.Join(err, errIn, errOut); p.failed != nil {
		return p
	}
	p.stdin, p.answers = stdin, json.NewDecoder(io.LimitReader(stdout, maxAnswers))
	keepFiles()
	if p.failed = p.command.Start(); p.failed == nil {
		var first answer
		p.failed = p.answers.Decode(&first)
		p.processor = first.Processor
	}
	return p
}

// noCgroup keeps Go's scheduler from opening the files of the cgroup.
const noCgroup = "GODEBUG=containermaxprocs=0,updatemaxprocs=0"

// read passes on the document, returns the answer, and ends the child. The child also ends with ctx.
func (p *process) read(ctx context.Context, data []byte) ([]document.Part, []byte, error) {
	defer p.end()
	if p.failed != nil {
		return nil, nil, p.notPrepared()
	}
	limited, stop := ctx, func() {}
	if p.processor == 0 {
		limited, stop = context.WithTimeout(ctx, readTime)
	}
	defer stop()
	defer context.AfterFunc(limited, p.kill)()
	go func() {
		_ = writeDocument(p.stdin, data) // a child that has failed closes its end; reading reports it
		_ = p.stdin.Close()
	}()
	parts, image, err := readAnswers(p.answers)
	_, isRefused := errors.AsType[*document.Error](err)
	switch {
	case err == nil, isRefused:
		return parts, image, err
	case ctx.Err() != nil:
		return nil, nil, ctx.Err()
	case limited.Err() != nil, p.usedProcessor():
		return nil, nil, &document.Error{Reason: document.TooSlow, Detail: "reading it takes more than " + readTime.String()}
	}
	return nil, nil, &document.Error{
		Reason: document.TooLarge,
		Detail: "reading it needs more than 512 MiB of memory, or failed",
	}
}

// usedProcessor reports whether the kernel has killed the child at the limit of its processor time, and not for its
// memory. It ends the child. The kernel samples the time for the limit, so its account and the exact one differ on a
// busy machine.
func (p *process) usedProcessor() bool {
	p.end()
	state := p.command.ProcessState
	isKilled := state.ExitCode() < 0
	return isKilled && p.processor > 0 && state.UserTime()+state.SystemTime() > p.processor/2
}

// refusedExit is the exit code of a child that could not set its limits or start PDFium.
const refusedExit = 1

// notPrepared returns the error of a process that failed before it was prepared. It ends the child. A child that ends
// in another way than refusedExit was killed, or had too little memory, which may not happen again.
func (p *process) notPrepared() error {
	p.end()
	if state := p.command.ProcessState; state != nil && state.ExitCode() != refusedExit {
		return errNotReady
	}
	return errNoReader
}

func (p *process) kill() { _ = p.command.Process.Kill() } // it may have ended

// end ends a process that may have failed to start, or that has ended.
func (p *process) end() {
	if p.command.Process != nil && p.command.ProcessState == nil {
		p.kill()
		_ = p.command.Wait() // the answer says whether it failed
	}
}

// cacheDirectory returns the directory of compiled code, or nothing if others can write there, because the child runs
// this code.
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
