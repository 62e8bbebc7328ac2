package child_test

import (
	"bytes"
	"compress/zlib"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/pdppmcp/pdpp-mcp/runtime/file/document"
	"github.com/pdppmcp/pdpp-mcp/runtime/file/document/child"
)

// slow returns a PDF of 10,000 pages, each with a million operators that show nothing.
func slow() []byte {
	var content bytes.Buffer
	writer := zlib.NewWriter(&content)
	_, _ = writer.Write(bytes.Repeat([]byte("0 g "), 1_000_000)) // a Buffer does not fail
	_ = writer.Close()
	return fmt.Appendf(nil,
		"%%PDF-1.7\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[%s]/Count 10000>>endobj\n"+
			"3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Contents 4 0 R>>endobj\n"+
			"4 0 obj<</Filter/FlateDecode/Length %d>>stream\n%s\nendstream endobj\ntrailer<</Root 1 0 "+
			"R>>\nstartxref\n0\n%%%%EOF",
		strings.Repeat("3 0 R ", 10_000), content.Len(), content.String())
}

// inherit opens a file that further processes inherit, as if this process had inherited it.
func inherit(t *testing.T) {
	t.Helper()
	file, err := os.Open(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = file.Close() })
	if _, err := unix.FcntlInt(file.Fd(), unix.F_SETFD, 0); err != nil {
		t.Fatal(err)
	}
}

// R-DOC-4: a child inherits no environment, has its pipes as its only files, and limits. It ends with its call.
func TestProcess(t *testing.T) {
	t.Setenv("PDPP_ACCESS_TOKEN", "tok_secret")
	inherit(t)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		_, err := child.Parts(ctx, "", document.PDF, slow())
		ended <- err
	}()
	process := running(t, 0)
	environment, err := os.ReadFile(filepath.Join(process, "environ"))
	if err != nil || string(environment) != "GODEBUG=containermaxprocs=0,updatemaxprocs=0\x00" {
		t.Errorf("the environment is %q, %v", environment, err)
	}
	limits, err := os.ReadFile(filepath.Join(process, "limits"))
	if err != nil || !strings.Contains(string(limits), "Max open files            0 ") ||
		!strings.Contains(string(limits), "Max data size             536870912 ") {
		t.Errorf("the limits are\n%s%v", limits, err)
	}
	files, err := os.ReadDir(filepath.Join(process, "fd"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		name, err := os.Readlink(filepath.Join(process, "fd", file.Name()))
		kind, _, _ := strings.Cut(name, ":")
		if err == nil && kind != "pipe" && kind != "anon_inode" { // the second are events of Go's scheduler
			t.Errorf("file %s is %s", file.Name(), name)
		}
	}
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want %v", err, context.Canceled)
	}
	for err = nil; err == nil; time.Sleep(10 * time.Millisecond) {
		_, err = os.Stat(process)
	}
}

// R-DOC-4: a child that ends while it compiles PDFium can be tried again, and the machine is not to blame.
func TestEndedBeforeReady(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir()) // without compiled code
	ended := make(chan error, 1)
	go func() {
		_, err := child.Parts(t.Context(), "", document.PDF, slow())
		ended <- err
	}()
	number, err := strconv.Atoi(filepath.Base(running(t, 32)))
	if err == nil {
		err = unix.Kill(number, unix.SIGKILL)
	}
	if err != nil {
		t.Fatal(err)
	}
	err = <-ended
	if refused, ok := errors.AsType[*document.Error](err); !ok || refused.Reason != document.Unsupported ||
		!strings.Contains(refused.Detail, "call again") {
		t.Errorf("error %v", err)
	}
}

// running returns the folder in /proc of the child of this process, once it may have no more files open than this.
func running(t *testing.T, openFiles int) string {
	t.Helper()
	limit := fmt.Sprintf("Max open files            %d ", openFiles)
	for ; ; time.Sleep(10 * time.Millisecond) {
		found, err := filepath.Glob("/proc/[0-9]*/stat")
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range found {
			stat, _ := os.ReadFile(name)
			_, after, _ := strings.Cut(string(stat), ") ")
			fields := strings.Fields(after)
			limits, _ := os.ReadFile(filepath.Join(filepath.Dir(name), "limits"))
			if len(fields) > 1 && fields[1] == fmt.Sprint(os.Getpid()) && strings.Contains(string(limits), limit) {
				return filepath.Dir(name)
			}
		}
	}
}
