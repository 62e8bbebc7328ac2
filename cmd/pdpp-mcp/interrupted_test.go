package main

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/invocation"
	"github.com/pdppmcp/pdpp-mcp/sandbox/resource"
	"github.com/pdppmcp/pdpp-mcp/sandbox/sample"
)

// Ctrl-C ends with 130 after a whole line. To a pipe, the command line on stderr reads the rest: no row is lost or
// repeated, and no page is requested twice.
func TestAnInterruptedPipeCanBeContinued(t *testing.T) {
	if runtime.GOOS == "windows" {
		return // Windows sends no such signals
	}
	provider := newOrigin(newSandbox(t, resource.ReadsOpen))
	defer provider.server.Close()
	holding := newHolding(provider)
	defer holding.server.Close()
	environment := append(os.Environ(), reading(holding.server.URL, provider.token(t, "everything"))...)
	file := filepath.Join(t.TempDir(), "rows")
	out, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	stderr := stopped(t, exportCommand(t, "--limit", "40", "--filter", "received_at>=2000"),
		environment, out, holding.asked)
	stderr, rest, found := strings.Cut(stderr, "; to continue, run: ")
	rest, last, _ := strings.Cut(rest, "\n")
	if !found || last != "pdpp-mcp: interrupted\n" || stderr != "stopped after 40 rows" ||
		strings.Contains(rest, provider.token(t, "everything")) {
		t.Fatalf("said %q, want the command line that continues", stderr+rest)
	}
	holding.held.Store(false)
	continued := exec.CommandContext(t.Context(), "sh", "-c", rest)
	continued.Env, continued.Stdout, continued.Stderr = environment, out, os.Stderr
	if err := continued.Run(); err != nil {
		t.Fatalf("%s: %v", rest, err)
	}
	holdsEachRecordOnce(t, file)
}

// An interrupted export to a file says so, leaves no file that looks complete, and points to sync, which can be
// resumed. It starts again from the first page. An existing file keeps its content until the export is complete.
func TestAnInterruptedFileStartsAgain(t *testing.T) {
	if runtime.GOOS == "windows" {
		return // Windows sends no such signals
	}
	for name, flags := range map[string][]string{
		"JSON lines": nil, "CSV": {"--format", "csv"}, "jq": {"--jq", ".id"},
		"over a file": {"--force"},
	} {
		t.Run(name, func(t *testing.T) {
			provider := newOrigin(newSandbox(t, resource.ReadsOpen))
			defer provider.server.Close()
			holding := newHolding(provider)
			defer holding.server.Close()
			environment := append(os.Environ(), reading(holding.server.URL, provider.token(t, "everything"))...)
			file := filepath.Join(t.TempDir(), "rows")
			left := 0
			if slices.Contains(flags, "--force") {
				left = 1
				if err := os.WriteFile(file, []byte(older), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			flags := append([]string{"--limit", "40", "-o", file}, flags...)
			stderr := stopped(t, exportCommand(t, flags...), environment, nil, holding.asked)
			want := "stopped after 40 rows; no file was written. To keep a copy that can be resumed, run: pdpp-mcp sync " +
				"<directory> --stream messages\npdpp-mcp: interrupted\n"
			if stderr != want {
				t.Errorf("said %q, want %q", stderr, want)
			}
			entries, err := os.ReadDir(filepath.Dir(file))
			if content, _ := os.ReadFile(file); err != nil || len(entries) != left || len(content) != left*len(older) {
				t.Errorf("left are %v, %v, and the file holds %q", entries, err, content)
			}
			holding.held.Store(false)
			again := exportCommand(t, flags...)
			again.Env = environment
			if stderr, err := again.CombinedOutput(); err != nil || len(stderr) > 0 {
				t.Fatalf("again: %v, %s", err, stderr)
			}
			holdsEachRecordOnce(t, file)
			onlyFile(t, file)
		})
	}
}

// exportCommand exports the messages of the personal mailbox.
func exportCommand(t *testing.T, flags ...string) *exec.Cmd {
	t.Helper()
	words := append([]string{"call", "query_records", "messages", "--all", "--connection-id", "cin_gmail_personal"},
		flags...)
	return exec.CommandContext(t.Context(), "pdpp-mcp", words...)
}

const older = "older\n"

// holding is a provider that answers no request for a second page while it is held.
type holding struct {
	server *httptest.Server
	asked  chan struct{} // closed when one came
	held   atomic.Bool
}

func newHolding(provider *origin) *holding {
	h := &holding{asked: make(chan struct{})}
	h.held.Store(true)
	h.server = httptest.NewServer(http.HandlerFunc(func(response http.ResponseWriter, request *http.Request) {
		if h.held.Load() && request.URL.Query().Get("cursor") != "" {
			close(h.asked)
			<-request.Context().Done()
			return
		}
		provider.server.Config.Handler.ServeHTTP(response, request)
	}))
	return h
}

// stopped runs a command until it asked for a second page, presses Ctrl-C, and returns what it said.
func stopped(t *testing.T, command *exec.Cmd, environment []string, out *os.File, asked <-chan struct{}) string {
	t.Helper()
	var stderr strings.Builder
	command.Env, command.Stdout, command.Stderr = environment, stdoutOf(out), &stderr
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	<-asked
	if err := command.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	var exit *exec.ExitError
	if err := command.Wait(); !errors.As(err, &exit) || exit.ExitCode() != invocation.ExitInterrupted {
		t.Errorf("ended with %v, want %d", err, invocation.ExitInterrupted)
	}
	return stderr.String()
}

// stdoutOf returns the standard output of a command that may have none.
func stdoutOf(file *os.File) io.Writer {
	if file == nil {
		return nil
	}
	return file
}

// recordOfLine matches a line of JSON, of CSV, and an id alone.
var recordOfLine = regexp.MustCompile(
	`(?m)^(?:\{"object":"record","id":"([^"]+)".*\}|record,([^,]+),messages,.*|(\S+-\S+))$`)

// holdsEachRecordOnce checks that a file has all the messages of the personal mailbox, one per line, and no heading but
// the one of CSV.
func holdsEachRecordOnce(t *testing.T, file string) {
	t.Helper()
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	ids := map[string]bool{}
	found := recordOfLine.FindAllStringSubmatch(string(content), -1)
	for _, id := range found {
		ids[id[1]+id[2]+id[3]] = true
	}
	headings := strings.Count(string(content), "object,id,stream,")
	if len(found) != sample.PersonalMessages || len(ids) != len(found) || headings > 1 {
		t.Errorf("%d lines with %d records and %d headings, want %d", len(found), len(ids), headings, sample.PersonalMessages)
	}
}
