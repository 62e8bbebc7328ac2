package rs_test

import (
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
)

const bearer = "tok_3fKq9/aB+cD=="

// seen records the requests that reached a server.
type seen struct {
	mutex    sync.Mutex
	requests []*http.Request
}

func (s *seen) add(request *http.Request) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.requests = append(s.requests, request)
}

func (s *seen) all() []*http.Request {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return append([]*http.Request(nil), s.requests...)
}

// serve starts a resource server with a handler, and returns a client.
func serve(t *testing.T, handler http.HandlerFunc, change ...func(*rs.Options)) (*rs.Client, *seen) {
	t.Helper()
	requests := &seen{}
	server := httptest.NewServer(http.HandlerFunc(func(writer http.ResponseWriter, request *http.Request) {
		requests.add(request)
		handler(writer, request)
	}))
	t.Cleanup(server.Close)
	transport := rs.NewTransport()
	t.Cleanup(transport.CloseIdleConnections)
	options := rs.Options{BaseURL: server.URL, Bearer: rs.NewSecret(bearer), Transport: transport, Timeout: time.Minute}
	for _, apply := range change {
		apply(&options)
	}
	client, err := rs.NewClient(options)
	if err != nil {
		t.Fatal(err)
	}
	return client, requests
}

// timeoutFor returns a short timeout for tests that expect a timeout, and a long one for others.
func timeoutFor(reason rs.Reason) func(*rs.Options) {
	return func(o *rs.Options) {
		if reason == rs.Timeout {
			o.Timeout = time.Second
		}
	}
}

func body(text string) http.HandlerFunc {
	return func(writer http.ResponseWriter, _ *http.Request) {
		writer.Header().Set("Content-Type", "application/json")
		_, _ = writer.Write([]byte(text))
	}
}
