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

// Ctrl-C ends with 130 after a whole line. The command line on stderr reads the rest: no row is lost or repeated, and no page
// is requested twice. With -o the part is kept for that line alone, and the file is there once it is whole.
func TestInterruptedReadingGoesOn(t *testing.T) {
	if runtime.GOOS == "windows" {
		return // Windows sends no such signals
	}
	for name, flags := range map[string][]string{
		"JSON lines to a pipe": nil, "JSON lines": {"-o"}, "CSV": {"--since", "2000-01-01", "--format", "csv", "-o"},
		"jq": {"--jq", ".id", "-o"}, "template": {"--template", "{{.id}}", "-o"}, "over a file": {"--force", "-o"},
	} {
		t.Run(name, func(t *testing.T) { interrupted(t, flags) })
	}
}

// interrupted stops a reading of all pages before its second page, and goes on.
func interrupted(t *testing.T, flags []string) {
	provider := newOrigin(newSandbox(t, resource.ReadsOpen))
	defer provider.server.Close()
	holding := newHolding(provider)
	defer holding.server.Close()
	environment := append(os.Environ(), reading(holding.server.URL, provider.token(t, "everything"))...)
	folder := t.TempDir()
	file := filepath.Join(folder, "rows")
	words := append([]string{
		"call", "query_records", "--stream", "messages", "--all", "--limit", "40",
		"--connection-id", "cin_gmail_personal",
	}, flags...)
	var out *os.File
	if len(flags) > 0 {
		words = append(words, file)
	} else {
		var err error
		if out, err = os.Create(file); err != nil {
			t.Fatal(err)
		}
		defer out.Close()
	}
	if slices.Contains(flags, "--force") {
		if err := os.WriteFile(file, []byte(older), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	first := exec.CommandContext(t.Context(), "pdpp-mcp", words...)
	said := stopped(t, first, environment, out, holding.asked)
	said, readOn, found := strings.Cut(said, "; to read on: ")
	readOn, last, _ := strings.Cut(readOn, "\n")
	if !found || last != "pdpp-mcp: interrupted\n" || !strings.Contains(said, "stopped after 40 rows") || strings.Contains(readOn, provider.token(t, "everything")) {
		t.Fatalf("said %q, want the command line that reads on", said+readOn)
	}
	if _, part, kept := strings.Cut(said, ", kept in "); kept != (out == nil) {
		t.Errorf("said %q", said)
	} else if kept {
		isPrivatePart(t, part, file)
	}
	holding.held.Store(false)
	rest := exec.CommandContext(t.Context(), "sh", "-c", readOn)
	rest.Env, rest.Stdout, rest.Stderr = environment, stdoutOf(out), os.Stderr
	if err := rest.Run(); err != nil {
		t.Fatalf("%s: %v", readOn, err)
	}
	holdsEachRecordOnce(t, file)
	if left, err := os.ReadDir(folder); err != nil || len(left) != 1 {
		t.Errorf("the folder holds %v, %v", left, err)
	}
}

// What a run with -o leaves that was killed is removed by the next run for the file, which says so. A run that is still under way
// keeps its part, and what only looks like one stays.
func TestPartOfAKilledRunIsRemoved(t *testing.T) {
	provider := newOrigin(newSandbox(t, resource.ReadsOpen))
	defer provider.server.Close()
	holding := newHolding(provider)
	defer holding.server.Close()
	folder := t.TempDir()
	file := filepath.Join(folder, "rows")
	started := func(words ...string) (*exec.Cmd, *strings.Builder) {
		var stderr strings.Builder
		command := exec.CommandContext(t.Context(), "pdpp-mcp", append([]string{"call", "query_records", "messages", "-o", file, "--connection-id", "cin_gmail_personal"}, words...)...)
		command.Env = append(os.Environ(), "PDPP_ACCESS_TOKEN="+provider.token(t, "everything"), "PDPP_PROVIDER_URL="+holding.server.URL)
		command.Stderr = &stderr
		if err := command.Start(); err != nil {
			t.Fatal(err)
		}
		return command, &stderr
	}
	for _, other := range []string{"rows.part", "rows.123.part.txt", "rows.0123456789abcdef.part", "more.rows.123.part"} {
		if err := os.WriteFile(filepath.Join(folder, other), []byte(older), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	parts := func() []string {
		found, err := filepath.Glob(filepath.Join(folder, "rows.[0-9]*.part"))
		if err != nil {
			t.Fatal(err)
		}
		return slices.DeleteFunc(found, func(path string) bool { return strings.HasSuffix(path, "abcdef.part") })
	}
	first, _ := started("--all", "--limit", "40")
	<-holding.asked
	under := parts()
	if len(under) != 1 {
		t.Fatalf("a run under way has the parts %q", under)
	}
	if second, said := started("--limit", "1"); second.Wait() != nil || said.String() != "" || !slices.Equal(parts(), under) {
		t.Errorf("beside a run under way another one said %q and left %q", said, parts())
	}
	if err := first.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = first.Wait() // it was killed
	third, said := started("--limit", "1", "--force")
	if want := "removed " + under[0] + ", which a killed run left\n"; third.Wait() != nil || said.String() != want || len(parts()) != 0 {
		t.Errorf("after a kill the next run said %q and left %q", said, parts())
	}
	if left, err := os.ReadDir(folder); err != nil || len(left) != 5 {
		t.Errorf("the folder holds %v, %v", left, err)
	}
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

// isPrivatePart checks that what is kept of a file is this user's alone, and that the file is not there or what it was.
func isPrivatePart(t *testing.T, part, file string) {
	t.Helper()
	info, err := os.Stat(part)
	if err != nil || info.Mode() != 0o600 || !strings.HasPrefix(part, file+".") {
		t.Errorf("kept is %v, %v", info, err)
	}
	if content, err := os.ReadFile(file); err == nil && string(content) != older {
		t.Errorf("the file holds %q before it is whole", content)
	}
}

// recordOfLine matches a line of JSON, of CSV, and an id alone.
var recordOfLine = regexp.MustCompile(`(?m)^(?:\{"object":"record","id":"([^"]+)".*\}|record,([^,]+),messages,.*|(\S+-\S+))$`)

// holdsEachRecordOnce checks that a file has all the messages of the personal mailbox, one per line, and no heading but that of CSV.
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
