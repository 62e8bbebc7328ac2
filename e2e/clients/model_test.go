//go:build clients

package clients_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// call is a tool call that a played model makes.
type call struct {
	Tool      string
	Arguments string // JSON
}

// playedModel stands behind the API of a model. It makes its calls one after the other, and keeps what it is told.
type playedModel[Request modelRequest, Call any] struct {
	URL string // of the server, without a path

	mu    sync.Mutex
	calls []Call
	asked []Request // those that count
}

// modelRequest is a request in the form of one API.
type modelRequest interface {
	// counts is false for the requests by which a client asks for titles and the like.
	counts() bool
}

// playModel serves a model on loopback until the test ends. Write streams the answer to a request with this number:
// a call, or a word when there is none left.
func playModel[Request modelRequest, Call any](
	t *testing.T, pattern string, calls []Call, write func(w http.ResponseWriter, number int, made *Call),
) *playedModel[Request, Call] {
	t.Helper()
	model := &playedModel[Request, Call]{calls: calls}
	mux := http.NewServeMux()
	mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
		var request Request
		if err := json.NewDecoder(r.Body).Decode(&request); err != nil {
			t.Errorf("the client sent no JSON: %v", err)
		}
		number, made := model.next(request)
		w.Header().Set("Content-Type", "text/event-stream")
		write(w, number, made)
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	model.URL = server.URL
	return model
}

// next gives the number of the request, from 1, and the call to make, or none when all are made. A request that
// does not count has the number 0.
func (m *playedModel[Request, Call]) next(request Request) (number int, made *Call) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !request.counts() {
		return 0, nil
	}
	m.asked = append(m.asked, request)
	if number = len(m.asked); number <= len(m.calls) {
		return number, &m.calls[number-1]
	}
	return number, nil
}

// requests are those that count, in their order.
func (m *playedModel[Request, Call]) requests() []Request {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.asked
}

// writeEvents streams events that begin with their type and are named by it.
func writeEvents(w http.ResponseWriter, events ...string) {
	for _, event := range events {
		kind, _, _ := strings.Cut(strings.TrimPrefix(event, `{"type":"`), `"`)
		fmt.Fprintf(w, "event: %s\ndata: %s\n\n", kind, event)
	}
}
