//go:build clients

package clients_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"testing"
)

// appServer is a running `codex app-server`, which speaks JSON-RPC over its standard streams.
type appServer struct {
	in    io.Writer
	out   *bufio.Scanner
	asked int
}

// startAppServer runs it until the test ends.
func startAppServer(t *testing.T, u *user) *appServer {
	t.Helper()
	command := u.command(t, "codex", "app-server")
	in, err := command.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = in.Close()
		_ = stop(command) // the error only says that a signal ended it
	})
	app := &appServer{in: in, out: bufio.NewScanner(out)}
	app.out.Buffer(nil, 16<<20)
	app.ask(t, "initialize", `{"clientInfo":{"name":"test","title":"test","version":"1"}}`, new(json.RawMessage))
	app.send(t, `{"method":"initialized"}`)
	return app
}

// ask waits for the answer to a request, past notifications.
func (a *appServer) ask(t *testing.T, method, params string, result any) {
	t.Helper()
	a.asked++
	a.send(t, fmt.Sprintf(`{"id":%d,"method":%q,"params":%s}`, a.asked, method, params))
	for a.out.Scan() {
		var answer struct {
			ID            int
			Result, Error json.RawMessage
		}
		if err := json.Unmarshal(a.out.Bytes(), &answer); err != nil || answer.ID != a.asked {
			continue // a notification, or a request of the server, whose ids are its own
		}
		if answer.Error != nil {
			t.Fatalf("%s %s: %s", method, params, answer.Error)
		}
		if err := json.Unmarshal(answer.Result, result); err != nil {
			t.Fatalf("%s answers %s: %v", method, answer.Result, err)
		}
		return
	}
	t.Fatalf("the app server ended before it answered %s", method)
}

func (a *appServer) send(t *testing.T, message string) {
	t.Helper()
	if _, err := io.WriteString(a.in, message+"\n"); err != nil {
		t.Fatal(err)
	}
}
