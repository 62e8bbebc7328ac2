package connect

import (
	"context"
	"crypto/subtle"
	"io"
	"net"
	"net/http"
	"net/url"
	"time"
)

// landingPath is where the browser comes back to.
const landingPath = "/callback"

// landing waits on a port of this machine for the owner's browser (RFC 8252, section 7.3). What comes without the state is
// turned away and waited past: any page that the browser shows can send it here.
type landing struct {
	address string // the redirect URI
	state   string

	server *http.Server
	came   chan url.Values // of the one request that had the state
	failed chan error
}

func newLanding() (*landing, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	l := &landing{
		address: "http://" + listener.Addr().String() + landingPath, state: random(),
		came: make(chan url.Values, 1), failed: make(chan error, 1),
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+landingPath, l.land)
	l.server = &http.Server{Handler: mux, ReadTimeout: askTimeout, WriteTimeout: askTimeout, MaxHeaderBytes: 64 << 10}
	go func() { l.failed <- l.server.Serve(listener) }()
	return l, nil
}

func (l *landing) land(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	header.Set("Content-Type", "text/plain; charset=utf-8")
	header.Set("Cache-Control", "no-store")
	header.Set("Referrer-Policy", "no-referrer") // the address has the code
	header.Set("X-Content-Type-Options", "nosniff")
	query := r.URL.Query()
	if subtle.ConstantTimeCompare([]byte(query.Get("state")), []byte(l.state)) != 1 {
		w.WriteHeader(http.StatusBadRequest)
		_, _ = io.WriteString(w, "This address is of another sign-in, or of none. Open the link that pdpp-mcp printed.\n")
		return
	}
	// Sent before it is handed on, since the program may end soon after.
	_, _ = io.WriteString(w, "pdpp-mcp has the answer, and says in the terminal what came of it. You can close this page.\n")
	_ = http.NewResponseController(w).Flush()
	select {
	case l.came <- query:
	default: // it came twice
	}
}

// await gives the parameters with which the browser came back, or the cause for which the context ended.
func (l *landing) await(ctx context.Context) (url.Values, error) {
	select {
	case query := <-l.came:
		return query, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	case err := <-l.failed:
		return nil, err
	}
}

// close stops listening. A page that is being sent has a moment to arrive.
func (l *landing) close() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if l.server.Shutdown(ctx) != nil {
		_ = l.server.Close()
	}
}
