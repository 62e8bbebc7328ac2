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

// call is a tool call that a scripted model makes.
type call struct {
	Tool      string
	Arguments string // JSON
}

// playedModel is a scripted model behind the API of a real one. It makes its calls in order, and keeps the requests.
type playedModel[Request modelRequest, Call any] struct {
	URL string // of the server, without a path

	mu    sync.Mutex
	calls []Call
	asked []Request // those that count
}

// modelRequest is a request in the form of one API.
type modelRequest interface {
	// counts reports whether a request belongs to the conversation; requests for titles and the like do not.
	counts() bool
}

// playModel serves a scripted model on loopback until the test ends. write streams the answer to a request by its
// number: a call, or a word if none is left.
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

// next returns the number of the request, from 1, and the call to make, or none if all are made. A request that
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

// requests returns the requests that count, in order.
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
