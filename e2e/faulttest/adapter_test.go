package faulttest_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pdppmcp/pdpp-mcp/e2e/faulttest"
	"github.com/pdppmcp/pdpp-mcp/gen"
	"github.com/pdppmcp/pdpp-mcp/runtime/grant/admission"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/server/auth"
	"github.com/pdppmcp/pdpp-mcp/runtime/server/host"
	"github.com/pdppmcp/pdpp-mcp/runtime/server/toolcall"
	"github.com/pdppmcp/pdpp-mcp/sandbox"
	"github.com/pdppmcp/pdpp-mcp/sandbox/authorization"
)

// deadlines are those of an adapter under test.
type deadlines struct {
	read time.Duration // of a read of the resource server, or of each source of a package
	ask  time.Duration // of the authorization server
}

const (
	// shortly is for a deadline that a test waits for. A busy machine answers within it.
	shortly = 8 * time.Second

	// amply is for all others: no busy machine reaches it.
	amply = time.Minute

	callWithin = 3 * time.Minute

	// slack is the time that a call may take beyond a deadline, for the rest of the adapter's work on a busy machine.
	slack = 20 * time.Second
)

var ample = deadlines{amply, amply}

// box is the provider of all tests. Its records never change.
var box = sync.OnceValue(func() *sandbox.Sandbox {
	opened, err := sandbox.New(context.Background(), sandbox.Options{PublicURL: "http://provider.test", Seed: 1})
	if err != nil {
		panic(err)
	}
	return opened
})

// provider answers as box does. Each read is computed once and its answer repeated, because records never change.
var provider = sync.OnceValue(func() http.Handler {
	return &repeating{server: box().Handler(), answers: map[string]*httptest.ResponseRecorder{}}
})

type repeating struct {
	server http.Handler

	mu      sync.Mutex
	answers map[string]*httptest.ResponseRecorder // by what is asked for, and who asks
}

func (r *repeating) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	if request.Method != http.MethodGet {
		r.server.ServeHTTP(w, request)
		return
	}
	question := strings.Join([]string{
		request.URL.RequestURI(), request.Header.Get("Authorization"),
		request.Header.Get("Accept-Encoding"),
	}, "\n")
	r.mu.Lock()
	answer := r.answers[question]
	r.mu.Unlock()
	if answer == nil {
		answer = httptest.NewRecorder()
		r.server.ServeHTTP(answer, request)
		if answer.Code == http.StatusOK {
			r.mu.Lock()
			r.answers[question] = answer
			r.mu.Unlock()
		}
	}
	maps.Copy(w.Header(), answer.Header())
	w.WriteHeader(answer.Code)
	_, _ = w.Write(answer.Body.Bytes())
}

func TestMain(m *testing.M) {
	flag.Parse()
	// Tests run in parallel that wait for deadlines; they do next to nothing meanwhile.
	if err := flag.Set("test.parallel", "16"); err != nil {
		panic(err)
	}
	code := m.Run()
	if err := box().Close(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

// outcome is the result that a caller of an adapter gets.
type outcome struct {
	status     int         // HTTP, 0 for stdio
	header     http.Header // HTTP
	body       string      // of an HTTP response that is not an MCP message
	text       string
	structured json.RawMessage
	isError    bool
	took       time.Duration
}

// adapter is one way to call the tools, with proxies in front of the servers that it reads.
type adapter struct {
	t        *testing.T
	rs, as   *faulttest.Proxy // as is nil if no authorization server is asked
	carrier  *http.Transport
	recorder *readings // nil for stdio
	children int       // how many sources a search reads
	within   deadlines

	call func(tool, arguments string) outcome
}

// transport returns the adapter's, which ends with the test.
func transport(t *testing.T) *http.Transport {
	made := rs.NewTransport()
	t.Cleanup(made.CloseIdleConnections)
	return made
}

// overStdio returns a local server with a client token.
func overStdio(t *testing.T, resource *faulttest.Proxy, carrier *http.Transport, within deadlines) *adapter {
	t.Helper()
	reader, err := rs.NewClient(rs.Options{
		BaseURL: resource.URL, ProviderURL: box().PublicURL(), Bearer: rs.NewSecret(box().Tokens()["everything"]),
		Transport: carrier, Timeout: within.read,
	})
	if err != nil {
		t.Fatal(err)
	}
	input, toServer := io.Pipe()
	fromServer, output := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		local := admission.New(t.Context(), reader, "", nil)
		ended <- host.ServeLocal(t.Context(), gen.Surface(),
			host.Options{Name: "pdpp-mcp", Version: "test", Options: toolcall.Options{Timeout: callWithin}}, local,
			host.Streams{In: input, Out: output})
		_ = output.Close()
	}()
	t.Cleanup(func() {
		_ = toServer.Close()
		if err := <-ended; err != nil {
			t.Errorf("the server ended with %v", err)
		}
	})
	lines := bufio.NewReader(fromServer)
	exchange := func(message string) []byte {
		if _, err := io.WriteString(toServer, message+"\n"); err != nil {
			t.Fatal(err)
		}
		line, err := lines.ReadBytes('\n')
		if err != nil {
			t.Fatal(err)
		}
		return line
	}
	exchange(`{"jsonrpc":"2.0","id":"init","method":"initialize","params":{"protocolVersion":"2025-06-18",` +
		`"capabilities":{},` +
		`"clientInfo":{"name":"test","version":"1"}}}`)
	return &adapter{
		t: t, rs: resource, carrier: carrier, children: 1, within: within,
		call: func(tool, arguments string) outcome {
			started := time.Now()
			answer := result(t, exchange(callOf(tool, arguments)))
			answer.took = time.Since(started)
			return answer
		},
	}
}

// overHTTP returns a hosted server with one of the sandbox's ready tokens.
func overHTTP(t *testing.T, resource, authority *faulttest.Proxy, token string, carrier *http.Transport,
	within deadlines,
) *adapter {
	t.Helper()
	known := box().Authorization().Caller()
	verifier, err := auth.NewVerifier(auth.Options{
		AuthorizationServer: box().PublicURL(), IntrospectionURL: authority.URL + authorization.IntrospectionPath,
		ClientID: known.ID, ClientSecret: rs.NewSecret(known.Secret), Audiences: []string{box().PublicURL()},
		Transport: carrier, Timeout: within.ask,
	})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewUnstartedServer(nil)
	recorder := &readings{}
	children := max(1, len(box().Authorization().Members(token)))
	readWithin := within.read
	if children > 1 {
		readWithin = callWithin // so that the deadline of a source is what ends a read
	}
	handler, err := host.NewHandler(gen.Surface(), host.HandlerOptions{
		Options: host.Options{
			Name: "pdpp-mcp", Version: "test",
			Options: toolcall.Options{Timeout: callWithin, Recorder: recorder},
		}, Verifier: verifier,
		AuthorizationServer: box().PublicURL(), ProviderURL: box().PublicURL(), ResourceURL: resource.URL,
		ListenAddress: server.Listener.Addr().String(), Transport: carrier, RSTimeout: readWithin, ChildTimeout: within.read,
	})
	if err != nil {
		t.Fatal(err)
	}
	server.Config.Handler = handler
	server.Start()
	client := &http.Client{Transport: &http.Transport{}}
	t.Cleanup(func() {
		client.CloseIdleConnections()
		server.Close()
	})
	return &adapter{
		t: t, rs: resource, as: authority, carrier: carrier, recorder: recorder, children: children, within: within,
		call: func(tool, arguments string) outcome {
			return post(t, client, server.URL, box().Tokens()[token], callOf(tool, arguments))
		},
	}
}

func post(t *testing.T, client *http.Client, url, bearer, message string) outcome {
	t.Helper()
	started := time.Now()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url+auth.MCPPath,
		bytes.NewReader([]byte(message)))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json, text/event-stream")
	request.Header.Set("Authorization", "Bearer "+bearer)
	response, err := client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	answer := outcome{body: string(body)}
	if response.StatusCode == http.StatusOK {
		answer = result(t, body)
	}
	answer.status, answer.header, answer.took = response.StatusCode, response.Header, time.Since(started)
	return answer
}

func callOf(tool, arguments string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, tool,
		arguments)
}

// result reads the answer to a call. A protocol error fails the test: a model would not see it.
func result(t *testing.T, message []byte) outcome {
	t.Helper()
	var decoded struct {
		Result *struct {
			IsError bool `json:"isError"`
			Content []struct {
				Text string `json:"text"`
			} `json:"content"`
			Structured json.RawMessage `json:"structuredContent"`
		} `json:"result"`
	}
	if err := json.Unmarshal(message, &decoded); err != nil || decoded.Result == nil || len(decoded.Result.Content) != 1 {
		t.Fatalf("%.500q is no result of a call: %v", message, err)
	}
	return outcome{
		text: decoded.Result.Content[0].Text, structured: decoded.Result.Structured,
		isError: decoded.Result.IsError,
	}
}

// readings counts the statuses of what was sent to the resource server. It is a host.Recorder.
type readings struct {
	mu       sync.Mutex
	statuses []int
}

// Read counts a status.
func (r *readings) Read(status int, _ time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.statuses = append(r.statuses, status)
}

func (r *readings) take() []int {
	r.mu.Lock()
	defer r.mu.Unlock()
	taken := r.statuses
	r.statuses = nil
	return taken
}

// Request, Call and Child count nothing.
func (r *readings) Request(string, int, time.Duration) {}
func (r *readings) Call(string, string, time.Duration) {}
func (r *readings) Reading(string, bool, int64)        {}
func (r *readings) Child(string, time.Duration)        {}
