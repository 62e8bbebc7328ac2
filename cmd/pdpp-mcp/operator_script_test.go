package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/pdppmcp/pdpp-mcp/sandbox"
	"github.com/pdppmcp/pdpp-mcp/sandbox/resource"
	"github.com/pdppmcp/pdpp-mcp/sandbox/sample"
)

// TestOperatorScripts runs testdata/operator against a separate sandbox, because these scripts change its records.
func TestOperatorScripts(t *testing.T) {
	runScripts(t, operatorScripts(t, "operator"))
}

// TestChangesScript runs testdata/changes alone, because it sees the changes of every script on its sandbox.
func TestChangesScript(t *testing.T) {
	runScripts(t, operatorScripts(t, "changes"))
}

func operatorScripts(t *testing.T, folder string) testscript.Params {
	t.Helper()
	box := newSandbox(t, resource.ReadsOpen) // docs/terminal.md shows a schema with types
	params := scripts(folder, box)
	setUp := params.Setup
	params.Setup = func(env *testscript.Env) error {
		receiver := newReceiver()
		env.Defer(receiver.server.Close)
		env.Values[receiverKey{}] = receiver
		env.Values[boxKey{}] = box
		env.Setenv("RECEIVER", receiver.server.URL)
		env.Setenv("BLOB", sampleBlob(t))
		return setUp(env)
	}
	params.Cmds["event"] = event
	params.Cmds["unquoted"] = unquoted
	params.Cmds["await"] = await
	params.Cmds["change"] = change
	return params
}

// sampleBlob returns the id of a blob of the personal mailbox.
func sampleBlob(t *testing.T) string {
	t.Helper()
	for _, blob := range sample.Dataset(0).Blobs {
		if blob.ConnectionID == sample.PersonalMail && blob.ContentType == "application/pdf" {
			return blob.ID
		}
	}
	t.Fatal("the sample data has no blob")
	return ""
}

type (
	receiverKey struct{}
	boxKey      struct{}
)

// eventReceiver takes events on loopback and echoes challenges.
type eventReceiver struct {
	server *httptest.Server

	mu     sync.Mutex
	events map[string]chan []byte // by path; whole HTTP requests, without verification
	ids    map[string]bool        // paths and ids of events; a sender repeats one that was slow to be accepted
}

// at returns the channel of the events for one path.
func (r *eventReceiver) at(path string) chan []byte {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.events[path] == nil {
		r.events[path] = make(chan []byte, 100)
	}
	return r.events[path]
}

func (r *eventReceiver) isNew(id string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	isNew := !r.ids[id]
	r.ids[id] = true
	return isNew
}

func newReceiver() *eventReceiver {
	r := &eventReceiver{events: map[string]chan []byte{}, ids: map[string]bool{}}
	r.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		whole, err := httputil.DumpRequest(request, true)
		if err != nil {
			w.WriteHeader(http.StatusInternalServerError)
			return
		}
		var event struct {
			Data struct{ Challenge string }
		}
		_, body, _ := bytes.Cut(whole, []byte("\r\n\r\n"))
		if err := json.Unmarshal(body, &event); err == nil && event.Data.Challenge != "" {
			_, _ = io.WriteString(w, `{"challenge":"`+event.Data.Challenge+`"}`)
			return
		}
		if r.isNew(request.URL.Path + " " + request.Header.Get("webhook-id")) {
			r.at(request.URL.Path) <- whole
		}
	}))
	return r
}

// event waits for the next event and writes it as an HTTP request: event <path of the receiver> <file>. It writes only
// the body to <file>.body.
func event(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: event <path> <file>")
	}
	select {
	case whole := <-ts.Value(receiverKey{}).(*eventReceiver).at(args[0]):
		ts.Check(os.WriteFile(ts.MkAbs(args[1]), whole, 0o600))
		_, body, _ := bytes.Cut(whole, []byte("\r\n\r\n"))
		ts.Check(os.WriteFile(ts.MkAbs(args[1]+".body"), body, 0o600))
	case <-time.After(time.Minute):
		ts.Fatalf("no event came")
	}
}

// await waits until so many subscriptions of the script's token have a status: await <number> <status>.
func await(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: await <number> <status>")
	}
	origin, token := ts.Value(originKey{}).(*origin), ts.Getenv("PDPP_ACCESS_TOKEN")
	for end := time.Now().Add(time.Minute); time.Now().Before(end); {
		request, err := http.NewRequest(http.MethodGet, origin.server.URL+"/v1/event-subscriptions", nil)
		ts.Check(err)
		request.Header.Set("Authorization", "Bearer "+token)
		response, err := http.DefaultClient.Do(request)
		ts.Check(err)
		list, err := io.ReadAll(response.Body)
		ts.Check(errors.Join(err, response.Body.Close()))
		origin.take()
		if fmt.Sprint(bytes.Count(list, []byte(`"status":"`+args[1]+`"`))) == args[0] {
			return
		}
	}
	ts.Fatalf("there were never %s subscriptions that are %s", args[0], args[1])
}

// unquoted replaces the JSON string in a variable with its text: unquoted <variable>.
func unquoted(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: unquoted <variable>")
	}
	var text string
	ts.Check(json.Unmarshal([]byte(ts.Getenv(args[0])), &text))
	ts.Setenv(args[0], text)
}

// change writes a record of a mailbox as its owner does: change <connection> <stream> <key>.
func change(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: change <connection> <stream> <key>")
	}
	origin := ts.Value(originKey{}).(*origin)
	token := ts.Value(boxKey{}).(*sandbox.Sandbox).Tokens()["owner"]
	address := fmt.Sprintf("%s/v1/ingest/%s?connector_instance_id=%s", origin.server.URL, args[1], args[0])
	request, err := http.NewRequest(http.MethodPost, address,
		strings.NewReader(fmt.Sprintf(`{"key":%q,"data":{"id":%[1]q,"subject":"changed"}}`, args[2])))
	ts.Check(err)
	request.Header.Set("Authorization", "Bearer "+token)
	response, err := http.DefaultClient.Do(request)
	ts.Check(err)
	report, err := io.ReadAll(response.Body)
	ts.Check(errors.Join(err, response.Body.Close()))
	if !bytes.Contains(report, []byte(`"records_accepted":1`)) {
		ts.Fatalf("the record was not written: %s %s", response.Status, report)
	}
	origin.take()
}
