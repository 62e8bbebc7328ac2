package host_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/runtime/grant/admission"
	"github.com/pdppmcp/pdpp-mcp/runtime/server/host"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// localLines is a local server that reads and writes lines.
type localLines struct {
	t       testing.TB
	input   *io.PipeWriter
	answers *bufio.Reader
	ended   chan error
}

func serveLines(t testing.TB, surface tool.Surface) *localLines {
	t.Helper()
	input, toServer := io.Pipe()
	fromServer, output := io.Pipe()
	lines := &localLines{t: t, input: toServer, answers: bufio.NewReader(fromServer), ended: make(chan error, 1)}
	go func() {
		streams := host.Streams{In: input, Out: output}
		local := admission.New(t.Context(), reporting(clientSchema), "", nil)
		lines.ended <- host.ServeLocal(t.Context(), surface, host.Options{Name: "pdpp-mcp", Version: "test"}, local, streams)
		_ = output.Close()
	}()
	t.Cleanup(func() { _ = toServer.Close(); _ = fromServer.Close() })
	return lines
}

func (l *localLines) send(lines string) {
	l.t.Helper()
	if _, err := io.WriteString(l.input, lines); err != nil {
		l.t.Fatal(err)
	}
}

func (l *localLines) next() string {
	l.t.Helper()
	line, err := l.answers.ReadString('\n')
	if err != nil {
		l.t.Fatalf("%q and then %v", line, err)
	}
	return line
}

func initializeOf(revision string) string {
	return strings.Replace(initialize, "2025-06-18", revision, 1)
}

// begin serves a session of a revision that has begun.
func begin(t testing.TB, revision string, tools ...tool.Definition) *localLines {
	t.Helper()
	lines := serveLines(t, testSurface(tools...))
	lines.send(initializeOf(revision))
	lines.next()
	return lines
}

// checkOver ends a session: it writes nothing more, and ends without an error.
func (l *localLines) checkOver() {
	l.t.Helper()
	_ = l.input.Close()
	if rest, err := io.ReadAll(l.answers); len(rest) > 0 || err != nil {
		l.t.Errorf("at the end came %.300s (%v)", rest, err)
	}
	if err := <-l.ended; err != nil {
		l.t.Errorf("the session ended with %v", err)
	}
}

// waiting returns a tool that reports its start, and ends with its context.
func waiting(begun chan<- string) tool.Definition {
	return running("waiting", func(ctx context.Context, _ tool.Env, arguments json.RawMessage) (*tool.Result, error) {
		begun <- string(arguments)
		<-ctx.Done()
		return nil, ctx.Err()
	})
}

// A call before the handshake is refused like by the SDK.
func TestCallsWaitForTheHandshake(t *testing.T) {
	lines := serveLines(t, testSurface(whole()))
	lines.send(callOf("whole", `{}`) + "\n")
	if got := lines.next(); !strings.Contains(got, `"error"`) || strings.Contains(got, `"result"`) {
		t.Errorf("a call before the handshake got %.300s", got)
	}
	lines.send(initialize + callOf("whole", `{}`) + "\n")
	lines.next()
	if got := lines.next(); !strings.Contains(got, `"result"`) {
		t.Errorf("the call after the handshake got %.300s", got)
	}
	lines.checkOver()
}

// R-STDIO-7: a cancellation ends its call in any spelling of the id. The call ends at once without a response, whether
// this package or the SDK answers it. Other calls continue.
func TestCancellationFindsItsCall(t *testing.T) {
	for _, ids := range [][2]string{
		{`7`, `7`},
		{`7`, `7.0`},
		{`7.0`, `7`},
		{`70`, `7e1`},
		{`"ab"`, `"\u0061b"`},
		{`"\u0061b"`, `"ab"`},
		{`"é"`, `"\u00e9"`},
	} {
		for _, request := range []string{
			callOf("waiting", `{}`),
			`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"pdpp://stream/messages"}}`,
		} {
			begun := make(chan string, 1)
			surface := testSurface(whole(), waiting(begun))
			surface.Templates = append(surface.Templates[1:], template("stream/{name}", "waiting"))
			lines := serveLines(t, surface)
			lines.send(initialize)
			lines.next()
			lines.send(strings.Replace(request, `"id":1`, `"id":`+ids[0], 1) + "\n")
			<-begun
			lines.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + ids[1] + `}}` + "\n")
			lines.send(fmt.Sprintf(wholeCall, 8, 8) + "\n")
			checkWhole(t, []byte(lines.next()))
			lines.checkOver()
		}
	}
}

// R-STDIO-7: an unknown id cancels no call, and is not rounded to a known one.
func TestCancellationOfAnotherCall(t *testing.T) {
	begun := make(chan string, 1)
	lines := begin(t, "2025-06-18", waiting(begun))
	lines.send(strings.Replace(callOf("waiting", `{}`), `"id":1`, `"id":1`, 1) + "\n")
	<-begun
	for _, id := range []string{`1.5`, `"1"`, `2`, `null`, `[1]`, `10e-1000000000`} {
		lines.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + id + `}}` + "\n")
	}
	lines.send(`{"jsonrpc":"2.0","id":1,"method":"ping"}` + "\n") // the id is still in use
	if got := lines.next(); !strings.Contains(got, `"id":null`) || !strings.Contains(got, "-32600") {
		t.Errorf("the id of a call under way is taken again: %s", got)
	}
	lines.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}` + "\n")
	lines.checkOver()
}

// R-STDIO-7: a batch of 2025-03-26 gets one response for each request, in order, and none for notifications.
func TestBatchesOverStdio(t *testing.T) {
	const bare = `{"jsonrpc":"2.0","id":%s,"method":"%s"}`
	one := func(id, method string) string { return fmt.Sprintf(bare, id, method) }
	notification := `{"jsonrpc":"2.0","method":"notifications/initialized"}`
	toolCall := func(id string) string { return strings.Replace(callOf("fetch", `{}`), `"id":1`, `"id":`+id, 1) }
	tests := []struct {
		name, batch string
		ids         string // of the answers
		marks       string // that the answers have, in order
	}{
		{"calls", toolCall("1") + "," + toolCall(`"b"`) + "," + toolCall("3"), `1 "b" 3`, "result result result"},
		{"one", one("1", "ping"), "1", "result"},
		{"one call", toolCall("1"), "1", "result"},
		{
			"calls and others", one(`"l"`, "tools/list") + "," + toolCall("2") + "," + notification + "," + one("3", "nothing"),
			`"l" 2 3`, "result result -32601",
		},
		{"no messages in it", `1,"x",[],{}`, "null null null null", "-32600 -32600 -32600 -32600"},
		{"one bad message", toolCall("1") + `,{"jsonrpc":"2.0","id":1.5,"method":"ping"}`, "1 null", "result -32600"},
	}
	for _, revision := range []string{"2024-11-05", "2025-03-26"} {
		lines := begin(t, revision)
		for _, test := range tests {
			lines.send("[" + test.batch + "]\n")
			line := lines.next()
			var answers []map[string]json.RawMessage
			if err := json.Unmarshal([]byte(line), &answers); err != nil {
				t.Errorf("%s: %.300s (%v)", test.name, line, err)
				continue
			}
			var ids []string
			for i, mark := range strings.Fields(test.marks) {
				if i < len(answers) {
					ids = append(ids, string(answers[i]["id"]))
					if encoded, _ := json.Marshal(answers[i]); !strings.Contains(string(encoded), mark) {
						t.Errorf("%s: answer %d is %s, want %s", test.name, i, encoded, mark)
					}
				}
			}
			if len(answers) != len(ids) || strings.Join(ids, " ") != test.ids {
				t.Errorf("%s: answers are for %s of %d, want %s", test.name, ids, len(answers), test.ids)
			}
		}
		lines.send("[" + notification + "]\n") // no answer
		for _, refused := range []string{
			"[]", "[" + toolCall("1") + "," + toolCall("1.0") + "]",
			"[" + strings.Repeat(notification+",", 64) + notification + "]",
		} {
			lines.send(refused + "\n")
			if got := lines.next(); !strings.HasPrefix(got, `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,`) {
				t.Errorf("%.100s is answered %.300s", refused, got)
			}
		}
		lines.checkOver()
	}
}

// R-STDIO-7: a batch in a later revision is refused, and the session continues.
func TestBatchesAreRefusedLater(t *testing.T) {
	for _, revision := range []string{"2025-06-18", "2025-11-25", "2026-07-28"} {
		lines := begin(t, revision)
		for _, batch := range []string{"[" + ping + "]", "[" + callOf("fetch", `{}`) + "]", "[1]", "[]"} {
			lines.send(batch + "\n" + ping + "\n")
			if got := lines.next(); !strings.HasPrefix(got, `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,`) {
				t.Errorf("%s: %s is answered %.300s", revision, batch, got)
			}
			if got := lines.next(); !strings.Contains(got, `"result"`) {
				t.Errorf("%s: the ping after %s is answered %.300s", revision, batch, got)
			}
		}
		lines.checkOver()
	}
}

// R-STDIO-7: up to 64 calls of a session run, and others wait. A cancellation after them is still read, and lets
// another call run.
func TestCallsInFlightAreBounded(t *testing.T) {
	const most, all = 64, 100
	begun := make(chan string, all)
	lines := begin(t, "2025-06-18", waiting(begun))
	for id := range all {
		lines.send(strings.Replace(callOf("waiting", fmt.Sprint(id)), `"id":1`, fmt.Sprintf(`"id":%d`, id), 1) + "\n")
	}
	working := map[string]bool{}
	for range most {
		working[<-begun] = true
	}
	select {
	case id := <-begun:
		t.Fatalf("call %s runs with %d others", id, most)
	default:
	}
	lines.send(`{"jsonrpc":"2.0","id":"ping","method":"ping"}` + "\n") // it waits for a place as well
	answered := make(chan string, 1)
	go func() {
		line, _ := lines.answers.ReadString('\n')
		answered <- line
	}()
	for range all - most {
		for id := range working {
			lines.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + id + `}}` + "\n")
			delete(working, id)
			break
		}
		working[<-begun] = true
	}
	for id := range working {
		lines.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + id + `}}` + "\n")
	}
	if line := <-answered; !strings.Contains(line, `"ping"`) {
		t.Errorf("a cancelled call is answered %.300s", line)
	}
	lines.checkOver()
}

// R-STDIO-7: while the client reads no responses, only a limited input is read and run.
func TestUnreadAnswers(t *testing.T) {
	var mu sync.Mutex
	ran := 0
	lines := begin(t, "2025-06-18",
		running("counted", func(context.Context, tool.Env, json.RawMessage) (*tool.Result, error) {
			mu.Lock()
			defer mu.Unlock()
			ran++
			return &tool.Result{Text: strings.Repeat("x", 1000), Structured: json.RawMessage(`{}`)}, nil
		}))
	const calls = 3000
	sent := make(chan int, calls)
	go func() {
		for id := range calls {
			if _, err := fmt.Fprintf(lines.input, "%s\n",
				strings.Replace(callOf("counted", `{}`), `"id":1`, fmt.Sprintf(`"id":%d`, id), 1)); err != nil {
				return
			}
			sent <- id
		}
		close(sent)
	}()
	for id := range sent {
		mu.Lock()
		if ahead := ran; ahead > 64 {
			t.Errorf("%d calls were run, and no answer was read", ahead)
		}
		mu.Unlock()
		if id == 127 {
			break // the next one finds no room
		}
	}
	for range calls {
		if got := lines.next(); !strings.Contains(got, `"result"`) {
			t.Fatalf("answer is %.300s", got)
		}
	}
	for range sent {
	}
	lines.checkOver()
}
