package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// blobRS serves one blob by a handler that tests choose, and records the requested ranges.
type blobRS struct {
	server *httptest.Server
	bytes  []byte
	id     string

	mu     sync.Mutex
	ranges []string // Range headers, with If-Range after a space
	serve  func(w http.ResponseWriter, request *http.Request)
}

func newBlobRS(t *testing.T) *blobRS {
	t.Helper()
	content := bytes.Repeat([]byte("0123456789abcdef"), 64<<10) // 1 MiB
	sum := sha256.Sum256(content)
	rs := &blobRS{bytes: content, id: "blob_sha256_" + hex.EncodeToString(sum[:])}
	rs.serve = rs.ranged
	rs.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		if request.URL.Path == "/v1/schema" {
			_, _ = io.WriteString(w, clientSchema)
			return
		}
		rs.mu.Lock()
		rs.ranges = append(rs.ranges, strings.TrimSpace(request.Header.Get("Range")+" "+request.Header.Get("If-Range")))
		serve := rs.serve
		rs.mu.Unlock()
		serve(w, request)
	}))
	t.Cleanup(rs.server.Close)
	return rs
}

// ranged serves the blob like a server that honours ranges.
func (rs *blobRS) ranged(w http.ResponseWriter, request *http.Request) {
	w.Header().Set("ETag", `"one"`)
	http.ServeContent(w, request, "", time.Time{}, bytes.NewReader(rs.bytes))
}

func (rs *blobRS) answers(serve func(http.ResponseWriter, *http.Request)) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	rs.serve = serve
}

// asked returns the ranges since the last time.
func (rs *blobRS) asked() []string {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	asked := rs.ranges
	rs.ranges = nil
	return asked
}

// command returns the command that downloads the blob.
func (rs *blobRS) command(t *testing.T, arguments ...string) *exec.Cmd {
	t.Helper()
	command := exec.CommandContext(t.Context(), "pdpp-mcp", append([]string{"blob"}, arguments...)...)
	command.Env = append(os.Environ(), reading(rs.server.URL, someToken)...)
	return command
}

// run runs the command and returns its exit code and output.
func (rs *blobRS) run(t *testing.T, arguments ...string) (code int, stdout, stderr string) {
	t.Helper()
	stdout, stderr, code = runProgram(t, reading(rs.server.URL, someToken), append([]string{"blob"}, arguments...)...)
	return code, stdout, stderr
}

// holds checks that a file has the bytes of the blob and is alone in its folder.
func (rs *blobRS) holds(t *testing.T, file string) {
	t.Helper()
	got, err := os.ReadFile(file)
	if err != nil || !bytes.Equal(got, rs.bytes) {
		t.Errorf("the file has %d bytes that are not the blob's %d: %v", len(got), len(rs.bytes), err)
	}
	onlyFile(t, file)
}

func onlyFile(t *testing.T, file string) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Dir(file))
	if err != nil || len(entries) != 1 || entries[0].Name() != filepath.Base(file) {
		t.Errorf("the folder holds %v, %v; want %s alone", entries, err, filepath.Base(file))
	}
}

// half returns a handler that sends the first half of the requested bytes and then waits.
func (rs *blobRS) half(sent chan<- struct{}) func(http.ResponseWriter, *http.Request) {
	return func(w http.ResponseWriter, request *http.Request) {
		w.Header().Set("Content-Length", "1048576")
		_, _ = w.Write(rs.bytes[:len(rs.bytes)/2])
		_ = http.NewResponseController(w).Flush()
		sent <- struct{}{}
		<-request.Context().Done()
	}
}

// partOf returns the path of the blob's partial file.
func (rs *blobRS) partOf(file string) string {
	return file + "." + strings.TrimPrefix(rs.id, "blob_sha256_")[:16] + ".part"
}

// A killed run leaves only its partial file, and the next run continues it.
func TestAKilledDownloadIsContinued(t *testing.T) {
	for name, test := range map[string]struct {
		ranges bool
		begins []string
	}{
		"the server honours ranges": {true, []string{"bytes=524288-"}},
		"the server ignores them":   {false, []string{"bytes=524288-"}},
	} {
		t.Run(name, func(t *testing.T) {
			rs, file := newBlobRS(t), filepath.Join(t.TempDir(), "blob")
			sent := make(chan struct{}, 1)
			rs.answers(rs.half(sent))
			command := rs.command(t, rs.id, "-o", file)
			if err := command.Start(); err != nil {
				t.Fatal(err)
			}
			<-sent
			awaitSize(t, rs.partOf(file), 524288)
			if err := command.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			_ = command.Wait() // it was killed
			onlyFile(t, rs.partOf(file))
			rs.asked()
			rs.answers(rs.ranged)
			if !test.ranges {
				rs.answers(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(rs.bytes) })
			}
			if code, _, stderr := rs.run(t, rs.id, "-o", file); code != 0 {
				t.Fatalf("exit code %d: %s", code, stderr)
			}
			rs.holds(t, file)
			if asked := rs.asked(); strings.Join(asked, "|") != strings.Join(test.begins, "|") {
				t.Errorf("the server was asked for %q, want %q", asked, test.begins)
			}
		})
	}
}

// awaitSize waits until a file has a size.
func awaitSize(t *testing.T, file string, size int64) {
	t.Helper()
	ticks := time.NewTicker(5 * time.Millisecond)
	defer ticks.Stop()
	deadline := time.After(time.Minute)
	for {
		if info, err := os.Stat(file); err == nil && info.Size() == size {
			return
		}
		select {
		case <-ticks.C:
		case <-deadline:
			t.Fatalf("%s never had %d bytes", file, size)
		}
	}
}

// A run continues a download to a file whose connection broke, with If-Range for the same answer.
func TestABrokenConnectionIsContinued(t *testing.T) {
	rs, file := newBlobRS(t), filepath.Join(t.TempDir(), "blob")
	rs.answers(func(w http.ResponseWriter, request *http.Request) {
		if request.Header.Get("Range") != "" {
			rs.ranged(w, request)
			return
		}
		w.Header().Set("ETag", `"one"`)
		w.Header().Set("Content-Length", "1048576")
		_, _ = w.Write(rs.bytes[:1000])
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	})
	if code, _, stderr := rs.run(t, rs.id, "-o", file); code != 0 {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	rs.holds(t, file)
	if asked := strings.Join(rs.asked(), "|"); asked != `|bytes=1000- "one"` {
		t.Errorf("the server was asked for %q", asked)
	}
	code, stdout, stderr := rs.run(t, rs.id, "-o", "-")
	if code == 0 || stdout != string(rs.bytes[:1000]) || !strings.Contains(stderr, "try again") {
		t.Errorf("to standard output, which cannot be continued: exit code %d, %d bytes, %s", code, len(stdout), stderr)
	}
}

// Wrong bytes never get the file's name and are removed. A partial download stays for another run.
func TestFailedDownloads(t *testing.T) {
	changed := func(rs *blobRS) []byte { return append([]byte("X"), rs.bytes[1:]...) }
	for name, test := range map[string]struct {
		serve  func(rs *blobRS) func(http.ResponseWriter, *http.Request)
		before int // bytes of an earlier run; negative: wrong ones
		code   int
		says   string
		left   bool // what came
	}{
		"another digest": {func(rs *blobRS) func(http.ResponseWriter, *http.Request) {
			return func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(changed(rs)) }
		}, 0, 1, "have the digest", false},
		"a part that is not its beginning": {
			func(rs *blobRS) func(http.ResponseWriter, *http.Request) { return rs.ranged },
			-1000, 1, "have the digest", false,
		},
		"too little": {func(rs *blobRS) func(http.ResponseWriter, *http.Request) {
			return func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(rs.bytes[:10]) }
		}, 0, 1, "have the digest", false},
		"cut off": {func(rs *blobRS) func(http.ResponseWriter, *http.Request) {
			return func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Length", "1048576")
				_, _ = w.Write(rs.bytes[:10])
			}
		}, 0, 1, "rs_invalid_response", true},
		"refused": {func(*blobRS) func(http.ResponseWriter, *http.Request) {
			return func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(http.StatusNotFound)
				_, _ = io.WriteString(w, `{"error":{"code":"blob_not_found","message":"\u001b[31mno"}}`)
			}
		}, 0, 1, `blob_not_found: \u001b[31mno`, false},
		"refused, with a beginning": {func(*blobRS) func(http.ResponseWriter, *http.Request) {
			return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) }
		}, 1000, 1, "503", true},
	} {
		t.Run(name, func(t *testing.T) {
			rs, file := newBlobRS(t), filepath.Join(t.TempDir(), "blob")
			rs.answers(test.serve(rs))
			part := rs.bytes[:max(test.before, 0)]
			if test.before < 0 {
				part = changed(rs)[:-test.before]
			}
			if len(part) > 0 {
				if err := os.WriteFile(rs.partOf(file), part, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			code, stdout, stderr := rs.run(t, rs.id, "-o", file)
			if code != test.code || stdout != "" || !strings.Contains(stderr, test.says) {
				t.Errorf("exit code %d, stdout %q, stderr %q; want %d and %q", code, stdout, stderr, test.code, test.says)
			}
			if _, err := os.Stat(file); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("the file is there: %v", err)
			}
			if _, err := os.Stat(rs.partOf(file)); (err == nil) != test.left {
				t.Errorf("the part is left: %v, want %v", err == nil, test.left)
			}
		})
	}
}

// A partial file that is longer than the blob is restarted. One that is complete needs no request.
func TestBeginningsOfDownloads(t *testing.T) {
	for name, test := range map[string]struct {
		part  func(rs *blobRS) []byte
		asked string
	}{
		"longer than the blob": {func(rs *blobRS) []byte { return append(bytes.Clone(rs.bytes), 'x') }, "bytes=1048577-|"},
		"all of the blob":      {func(rs *blobRS) []byte { return rs.bytes }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			rs, file := newBlobRS(t), filepath.Join(t.TempDir(), "blob")
			if err := os.WriteFile(rs.partOf(file), test.part(rs), 0o600); err != nil {
				t.Fatal(err)
			}
			if code, _, stderr := rs.run(t, rs.id, "-o", file); code != 0 {
				t.Fatalf("exit code %d: %s", code, stderr)
			}
			rs.holds(t, file)
			if asked := strings.Join(rs.asked(), "|"); asked != test.asked {
				t.Errorf("the server was asked for %q, want %q", asked, test.asked)
			}
		})
	}
}
