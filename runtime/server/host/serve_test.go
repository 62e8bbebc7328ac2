package host_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/server/host"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// serving runs Serve on a new listener, and returns its URL, a function that ends it, and its result.
func serving(t *testing.T, h *hosted,
	options host.ServeOptions,
) (url string, end context.CancelFunc, ended chan error) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, end := context.WithCancel(t.Context())
	ended = make(chan error, 1)
	go func() { ended <- host.Serve(ctx, listener, host.NewCurrent(h.Handler), options) }()
	t.Cleanup(end)
	return "http://" + listener.Addr().String(), end, ended
}

// untilNotReady polls until the server is not ready.
func untilNotReady(t *testing.T, url string) string {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); {
		response, err := http.Get(url + "/readyz")
		if err != nil {
			t.Fatalf("the listener is closed before readiness has gone: %v", err)
		}
		body, err := io.ReadAll(response.Body)
		response.Body.Close()
		if err != nil {
			t.Fatal(err)
		}
		if response.StatusCode == http.StatusServiceUnavailable {
			return string(body)
		}
	}
	t.Fatal("the server is still ready")
	return ""
}

// blocking returns a resource server that reports a read, and answers it when the test says so.
func blocking(arrived, release chan struct{}) func(*hostedWith) {
	return func(with *hostedWith) {
		with.answer = func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/v1/echo" {
				close(arrived)
				<-release
			}
			_, _ = io.WriteString(w, `{}`)
		}
	}
}

// Covers R-HOST-9: a server that shuts down is not ready at once, finishes the running call, and ends.
func TestDrain(t *testing.T) {
	arrived, release := make(chan struct{}), make(chan struct{})
	let := sync.OnceFunc(func() { close(release) })
	defer let() // the resource server waits for it, however the test ends
	h := newHosted(t, blocking(arrived, release))
	url, end, ended := serving(t, h, host.ServeOptions{DrainTimeout: time.Minute})
	h.url = url
	answers := make(chan answered, 1)
	go func() { answers <- h.post(t, callOf("fetch", "{}")) }()
	<-arrived
	end()
	if body := untilNotReady(t, url); !strings.Contains(body, `"status":"draining"`) {
		t.Errorf("readiness says %s", body)
	}
	select {
	case err := <-ended:
		t.Fatalf("the server ended with %v while a call was under way", err)
	case got := <-answers:
		t.Fatalf("the call ended too early: %d %s", got.status, got.body)
	default:
	}
	let()
	if got := <-answers; got.status != 200 || !strings.Contains(got.body, "fetch {}") {
		t.Errorf("the call under way got %d %s", got.status, got.body)
	}
	if err := <-ended; err != nil {
		t.Errorf("the server ended with %v", err)
	}
	if _, err := http.Get(url + "/healthz"); err == nil {
		t.Error("the listener is still open")
	}
}

// A call that does not end is cut off at the timeout.
func TestDrainIsBounded(t *testing.T) {
	arrived, release := make(chan struct{}), make(chan struct{})
	h := newHosted(t, blocking(arrived, release))
	defer close(release)
	url, end, ended := serving(t, h, host.ServeOptions{DrainTimeout: 20 * time.Millisecond})
	request := h.request(t, http.MethodPost, "/mcp", callOf("fetch", "{}"), "Authorization", "Bearer "+bearer)
	request.URL.Host = strings.TrimPrefix(url, "http://")
	cut := make(chan error, 1)
	go func() {
		_, err := http.DefaultTransport.RoundTrip(request)
		cut <- err
	}()
	<-arrived
	end()
	if err := <-ended; err != nil {
		t.Errorf("the server ended with %v", err)
	}
	if err := <-cut; err == nil {
		t.Error("the call got an answer, want a connection that was cut")
	}
}

// With a delay, connections are still accepted after /readyz fails.
func TestDrainDelay(t *testing.T) {
	h := newHosted(t)
	url, end, _ := serving(t, h, host.ServeOptions{DrainDelay: time.Hour, DrainTimeout: time.Hour})
	end()
	untilNotReady(t, url)
	h.url = url
	if got := h.post(t, ping); got.status != 200 {
		t.Errorf("answer is %d %s", got.status, got.body)
	}
}

func TestBrokenListener(t *testing.T) {
	h := newHosted(t)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}
	if err := host.Serve(t.Context(), listener, host.NewCurrent(h.Handler),
		host.ServeOptions{}); !errors.Is(err, net.ErrClosed) {
		t.Errorf("error is %v", err)
	}
}

// Covers R-HOST-9: a client that sends its header or body slowly is cut off.
func TestSlowClients(t *testing.T) {
	const soon = 50 * time.Millisecond
	h := newHosted(t, func(with *hostedWith) { with.options.BodyTimeout = soon })
	for name, text := range map[string]string{
		"header": "POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthor",
		"body": "POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + bearer +
			"\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{",
	} {
		t.Run(name, func(t *testing.T) {
			listener, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			server := host.NewHTTPServer(h.Handler, slog.New(slog.DiscardHandler))
			if server.ReadHeaderTimeout <= 0 || server.IdleTimeout <= 0 || server.WriteTimeout <= 0 ||
				server.MaxHeaderBytes <= 0 {
				t.Errorf("a bound is missing: %+v", server)
			}
			server.ReadHeaderTimeout = soon
			go func() { _ = server.Serve(listener) }()
			t.Cleanup(func() { _ = server.Close() })
			connection, err := net.Dial("tcp", listener.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			defer connection.Close()
			if err := connection.SetDeadline(time.Now().Add(time.Minute)); err != nil {
				t.Fatal(err)
			}
			if _, err := io.WriteString(connection, text); err != nil {
				t.Fatal(err)
			}
			answer, err := io.ReadAll(connection) // returns when the server has closed it
			if err != nil && !errors.Is(err, net.ErrClosed) && !strings.Contains(err.Error(), "reset") {
				t.Fatal(err)
			}
			if len(answer) > 0 && !strings.HasPrefix(string(answer), "HTTP/1.1 4") {
				t.Errorf("answer is %q", answer)
			}
		})
	}
	if seen := h.rs.seen(); len(seen) > 0 {
		t.Errorf("the RS saw %d requests", len(seen))
	}
}

// A call may take longer than a client may take to send it.
func TestTheTimeForABodyDoesNotBoundTheCall(t *testing.T) {
	h := newHosted(t, func(with *hostedWith) {
		with.options.BodyTimeout = time.Second // for a busy machine
		with.surface = testSurface(running("slow", waitLonger))
	})
	body, header := message(newestRevision, "tools/call", "slow", `"name":"slow"`)
	if got := h.post(t, body, header...); got.status != 200 || !strings.Contains(got.body, `"patience"`) {
		t.Errorf("answer is %d %s", got.status, got.body)
	}
}

// waitLonger takes longer than a body may, unless its request is given up.
func waitLonger(ctx context.Context, _ tool.Env, _ json.RawMessage) (*tool.Result, error) {
	select {
	case <-time.After(1100 * time.Millisecond):
		return &tool.Result{Text: "done", Structured: json.RawMessage(`{"patience":true}`)}, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Covers R-HOST-9: lines that are not HTTP are refused.
func TestMalformedRequests(t *testing.T) {
	h := newHosted(t)
	for _, text := range []string{
		"POST /mcp HTTP/1.1\r\n\r\n",
		"POST /mcp HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n",
		"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
		"POST /mcp HTTP/1.1\r\nHost: localhost\r\nX: " + strings.Repeat("y", 64<<10) + "\r\n\r\n",
		"\x16\x03\x01\x02\x00\x01\r\n\r\n",
	} {
		connection, err := net.Dial("tcp", strings.TrimPrefix(h.url, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		// The server may close while this is written.
		_, _ = io.WriteString(connection, text)
		status, err := bufio.NewReader(iotest.OneByteReader(connection)).ReadString('\n')
		if err == nil && !strings.HasPrefix(status, "HTTP/1.1 4") {
			t.Errorf("%.60q is answered with %q", text, status)
		}
		connection.Close()
	}
	if seen := h.as.seen(); len(seen) > 0 {
		t.Errorf("the AS was asked about %v", seen)
	}
}
