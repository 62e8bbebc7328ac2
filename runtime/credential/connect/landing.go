package connect

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"net"
	"net/http"
	"net/url"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/webpage"
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
}

func newLanding() (*landing, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	l := &landing{
		address: "http://" + listener.Addr().String() + landingPath, state: rand.Text(),
		came: make(chan url.Values, 1),
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+landingPath, l.land)
	mux.HandleFunc("/", notOfThisSignIn)
	l.server = &http.Server{Handler: mux, ReadTimeout: askTimeout, WriteTimeout: askTimeout, MaxHeaderBytes: 64 << 10}
	go func() { _ = l.server.Serve(listener) }() // until it is closed
	return l, nil
}

func (l *landing) land(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	if subtle.ConstantTimeCompare([]byte(query.Get("state")), []byte(l.state)) != 1 {
		notOfThisSignIn(w, r)
		return
	}
	// Sent before it is handed on, since the program may end soon after. What the provider says does not stand on it: the terminal
	// shows that.
	message := webpage.Message{Site: landingSite, Title: "Back to the terminal", Text: []string{
		"pdpp-mcp has the answer, and says in the terminal what came of it. You can close this page.",
		"You can end this access at any time: run pdpp-mcp disconnect, or take it back where you approved it.",
	}}
	if query.Has("error") {
		message.Title, message.Text = "Nothing was granted", message.Text[:1]
	}
	message.Write(w, http.StatusOK)
	_ = http.NewResponseController(w).Flush()
	select {
	case l.came <- query:
	default: // it came twice
	}
}

// landingSite is what the pages here are called.
const landingSite = "pdpp-mcp"

// notOfThisSignIn turns away what this landing does not wait for.
func notOfThisSignIn(w http.ResponseWriter, r *http.Request) {
	status := http.StatusBadRequest
	if r.URL.Path != landingPath {
		status = http.StatusNotFound
	}
	webpage.Message{Site: landingSite, Title: "This is not the sign-in", Text: []string{
		"This address is of another sign-in, or of none. Open the link that pdpp-mcp printed.",
	}}.Write(w, status)
}

// close stops listening. A page that is being sent has a moment to arrive.
func (l *landing) close() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if l.server.Shutdown(ctx) != nil {
		_ = l.server.Close()
	}
}
