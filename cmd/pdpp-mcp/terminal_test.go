package main

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/creack/pty"

	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/invocation"
	"github.com/pdppmcp/pdpp-mcp/sandbox/resource"
	"github.com/pdppmcp/pdpp-mcp/sandbox/sample"
)

const terminalColumns = 80

// onTerminal is onNarrowTerminal with 80 columns.
func onTerminal(t *testing.T, environment []string, start func(*exec.Cmd), words ...string) string {
	t.Helper()
	return onNarrowTerminal(t, terminalColumns, environment, start, words...)
}

// onNarrowTerminal runs a command line on a terminal without a pager, except for streams that start sets, and returns
// what the terminal got.
func onNarrowTerminal(t *testing.T, columns uint16, environment []string, start func(*exec.Cmd),
	words ...string,
) string {
	t.Helper()
	master, slave, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer master.Close()
	if err := pty.Setsize(master, &pty.Winsize{Rows: 24, Cols: columns}); err != nil {
		t.Fatal(err)
	}
	command := exec.CommandContext(t.Context(), "pdpp-mcp", words...)
	command.Env = append(append(os.Environ(), "PAGER=cat"), environment...)
	command.Stdin, command.Stdout, command.Stderr = slave, slave, slave
	start(command)
	seen := make(chan string)
	go func() {
		shown, _ := io.ReadAll(master) // an error when the terminal is closed
		seen <- strings.ReplaceAll(string(shown), "\r\n", "\n")
	}()
	err = command.Run()
	if closed := slave.Close(); closed != nil {
		t.Fatal(closed)
	}
	shown := <-seen
	if err != nil {
		t.Fatalf("%v: %v\n%s", words, err, shown)
	}
	return shown
}

func asStarted(*exec.Cmd) {}

// hostileRecords are rows with control characters, line breaks, tabs, and wide or long values.
const hostileRecords = `{"object":"list","url":"/v1/streams/messages/records","has_more":false,"data":[
	{"object":"record","id":"m1","stream":"messages","connection_id":"cin_1","data":{
		"subject":"\u001b[2J\u001b]0;owned\u0007red\u009b31m","na\u001b[1mme":"two\nlines\tand tab","note":"\u202Eabc\u2066\u200F` + "\u009b\u202e\u200b\ufeff\u2028\u00ad\U000e0041" + `"}},
	{"object":"record","id":"m2","stream":"messages","connection_id":"cin_1","data":{
		"subject":"ご利用明細のお知らせご利用明細のお知らせご利用明細のお知らせ","na\u001b[1mme":"👨‍👩‍👧‍👦 family","note":{"nested":
		"value"}}}],"meta":{"warnings":[]}}`

func hostileProvider(t *testing.T) []string {
	t.Helper()
	url := cannedProvider(t, func(response http.ResponseWriter, request *http.Request) {
		if request.URL.Path == "/v1/streams/messages/records" {
			_, _ = io.WriteString(response, hostileRecords)
			return
		}
		response.WriteHeader(http.StatusForbidden)
		_, _ = io.WriteString(response,
			`{"error":{"type":"permission_error","code":"denied","message":"no \u001b[2J\u202Enever"}}`)
	})
	return append(reading(url, someToken), "NO_COLOR=1")
}

// obeyedByTerminals matches characters that a terminal would act on or not show, except line feeds.
var obeyedByTerminals = regexp.MustCompile(`[^\P{Cc}\n]|[\p{Cf}\p{Zl}\p{Zp}]`)

// Data cannot control the terminal in any format.
func TestHostileRecordsOnATerminal(t *testing.T) {
	environment := hostileProvider(t)
	call := []string{"call", "query_records", "--stream", "messages", "--connection-id", "cin_1"}
	for name, flags := range map[string][]string{
		"table": nil, "json": {"--format", "json"}, "text": {"--format", "text"}, "rows": {"--all"},
	} {
		t.Run(name, func(t *testing.T) {
			shown := onTerminal(t, environment, asStarted, append(call, flags...)...)
			if found := obeyedByTerminals.FindString(shown); found != "" || !strings.Contains(shown, "m2") {
				t.Errorf("the terminal got %q in %q", found, shown)
			}
		})
	}
}

// looks matches the colours of a table and the text between them.
var looks = regexp.MustCompile("\x1b\\[(?:1|2|36)m([^\x1b]*)\x1b\\[0m")

// Where a table has colours, they are its own alone.
func TestHostileRecordsInColour(t *testing.T) {
	environment := append(hostileProvider(t), "NO_COLOR=", "TERM=xterm")
	shown := onTerminal(t, environment, asStarted, "call", "query_records", "--stream", "messages",
		"--connection-id", "cin_1")
	if found := obeyedByTerminals.FindString(looks.ReplaceAllString(shown, "$1")); found != "" ||
		!looks.MatchString(shown) || !strings.Contains(shown, "m2") {
		t.Errorf("the terminal got %q in %q", found, shown)
	}
}

// A refusal quotes the provider, which cannot control the terminal either.
func TestHostileRefusalOnATerminal(t *testing.T) {
	out, stderr, code := runProgram(t, hostileProvider(t), "call", "query_records", "--stream", "other")
	if code == 0 || obeyedByTerminals.MatchString(out+stderr) || !strings.Contains(stderr, "never") {
		t.Errorf("ended with %d, %q and %q", code, out, stderr)
	}
}

// A table stays within 80 columns for all values. Wide characters take two columns.
func TestTableFitsTheTerminal(t *testing.T) {
	shown := onTerminal(t, hostileProvider(t), asStarted, "call", "query_records", "--stream", "messages",
		"--connection-id", "cin_1")
	lines := strings.Split(strings.TrimRight(shown, "\n"), "\n")
	if len(lines) < 3 || !strings.HasSuffix(lines[0], " handle") || !strings.HasSuffix(lines[1], " cin_1/messages:m1") ||
		!strings.HasSuffix(lines[2], " cin_1/messages:m2") {
		t.Fatalf("shown is\n%s\nwant a heading and two rows", shown)
	}
	for _, line := range lines {
		if wide := invocation.Width(line); wide > terminalColumns {
			t.Errorf("%d columns: %s", wide, line)
		}
	}
	second := strings.Index(lines[0], "subject")
	if before := invocation.Width(lines[2][:strings.Index(lines[2], "ご")]); before != second {
		t.Errorf("the second column begins at %d and %d:\n%s", second, before, shown)
	}
	if !strings.Contains(shown, "…") || !strings.Contains(shown, "of 4 columns hidden (--fields, --format json): na") {
		t.Errorf("shown is\n%s\nwant a value that is cut and columns that are left out", shown)
	}
}

// A line on the terminal shows the progress of --all, with a bar if the resource server sends a count. The rows go to a
// file.
func TestProgressOnATerminal(t *testing.T) {
	provider := newOrigin(newSandbox(t, resource.ReadsOpen))
	defer provider.server.Close()
	environment := reading(provider.server.URL, provider.token(t, "everything"))
	words := []string{
		"call", "query_records", "--stream", "messages", "--connection-id", "cin_gmail_personal",
		"--all", "--limit", "40",
	}
	var rows bytes.Buffer
	elsewhere := func(command *exec.Cmd) { command.Stdout = &rows }
	shown := onTerminal(t, environment, elsewhere, append(words, "--count", "exact")...)
	const mails = sample.PersonalMessages
	first, last := fmt.Sprintf("\r[###---------------------] 40 of %d rows\r",
		mails), fmt.Sprintf("\r[########################] %d of %[1]d rows\n", mails)
	if !strings.HasPrefix(shown, first) || !strings.HasSuffix(shown, last) || strings.Count(shown, "\n") != 1 {
		t.Errorf("the terminal got %q, want %q … %q", shown, first, last)
	}
	if lines := strings.Count(rows.String(), "\n"); lines != mails || strings.Contains(rows.String(), "\r") {
		t.Errorf("%d rows went to the file, want %d and nothing of the progress", lines, mails)
	}
	if shown := onTerminal(t, environment, elsewhere,
		words...); shown != fmt.Sprintf("\r40 rows\r80 rows\r120 rows\r160 rows\r200 rows\r240 rows\r%d rows\n", mails) {
		t.Errorf("without a count the terminal got %q", shown)
	}
	if shown := onTerminal(t, environment, asStarted, words...); strings.Contains(shown, " rows\n") ||
		strings.Count(shown, "\n") != mails {
		t.Errorf("rows that are seen need no counting: %q …", shown[:200])
	}
}
