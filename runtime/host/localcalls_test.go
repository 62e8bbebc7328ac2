package host_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/runtime/host"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// localLines is a local server that is asked and answers line by line.
type localLines struct {
	t       *testing.T
	input   *io.PipeWriter
	answers *bufio.Reader
	ended   chan error
}

func serveLines(t *testing.T, surface tool.Surface) *localLines {
	t.Helper()
	input, toServer := io.Pipe()
	fromServer, output := io.Pipe()
	lines := &localLines{t: t, input: toServer, answers: bufio.NewReader(fromServer), ended: make(chan error, 1)}
	go func() {
		streams := host.Streams{In: input, Out: output}
		lines.ended <- host.ServeStdio(t.Context(), surface, host.Options{Name: "pdpp-mcp", Version: "test"}, reporting(clientSchema), streams)
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

// bySDK is the same message, spelled in a way that no client does, so that the SDK answers it.
func bySDK(message string) string {
	return strings.Replace(message, `"tools/call"`, `"tools\/call"`, 1)
}

// Over stdio too, plain calls are answered as the SDK answers them, byte for byte, and errors as well.
func TestLocalCallsAreAnsweredAsBySDK(t *testing.T) {
	lines := serveLines(t, plainCallSurface())
	lines.send(initialize)
	lines.next()
	for _, message := range []string{
		callOf("whole", `{"a":"x"}`),
		callOf("whole", `null`),
		callOf("pointing", `{"a":[1.0, 2]}`),
		callOf("failing", `{}`),
		callOf("panicking", `{}`),
		callOf("unknown", `{}`),
		strings.Replace(callOf("whole", `{}`), `"id":1`, `"id":"a b"`, 1),
		strings.Replace(callOf("whole", `{}`), `"id":1`, `"id":"<\u00e9>"`, 1),
		strings.Replace(callOf("whole", `{}`), `{"name"`, `{"_meta":{"progressToken":"p"},"name"`, 1),
		strings.Replace(callOf("whole", `{}`), `{"name"`, `{"more":1,"name"`, 1),
	} {
		lines.send(bySDK(message) + "\n")
		want := lines.next()
		lines.send(message + "\n")
		if got := lines.next(); got != want {
			t.Errorf("%s:\n got %.500s\nwant %.500s", message, got, want)
		}
	}
}

// A call that comes before the handshake is refused, as the SDK refuses it.
func TestLocalCallsWaitForTheHandshake(t *testing.T) {
	lines := serveLines(t, plainCallSurface())
	lines.send(callOf("whole", `{}`) + "\n")
	if got := lines.next(); !strings.Contains(got, `"error"`) || strings.Contains(got, `"result"`) {
		t.Errorf("a call before the handshake got %.300s", got)
	}
}

// A call that is cancelled ends at once, gets no answer, and leaves the others alone.
func TestLocalCallsCanBeCancelled(t *testing.T) {
	begun, cancelled := make(chan struct{}), make(chan struct{})
	lines := serveLines(t, testSurface(
		whole(),
		running("waiting", func(ctx context.Context, _ tool.Env, _ json.RawMessage) (*tool.Result, error) {
			close(begun)
			<-ctx.Done()
			close(cancelled)
			return nil, ctx.Err()
		}),
	))
	lines.send(initialize)
	lines.next()
	lines.send(strings.Replace(callOf("waiting", `{}`), `"id":1`, `"id":7`, 1) + "\n")
	<-begun
	lines.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}` + "\n")
	<-cancelled
	lines.send(fmt.Sprintf(wholeCall, 8, 8) + "\n")
	checkWhole(t, []byte(lines.next()))
	_ = lines.input.Close()
	if rest, err := io.ReadAll(lines.answers); len(rest) > 0 || err != nil {
		t.Errorf("after it came %.300s (%v)", rest, err)
	}
	if err := <-lines.ended; err != nil {
		t.Errorf("the session ended with %v", err)
	}
}
