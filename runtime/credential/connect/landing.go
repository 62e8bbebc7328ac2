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

// landingPath is the path of the redirect URI.
const landingPath = "/callback"

// landing waits on a local port for the owner's browser (RFC 8252, section 7.3). It rejects requests without the state, since any
// page can send the browser here.
type landing struct {
	address string // the redirect URI
	state   string

	server *http.Server
	came   chan url.Values // query of the first request with the state
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
	// The page is sent first, since the program may end soon after. It does not repeat the provider's text, which the terminal shows.
	message := webpage.Message{Site: landingSite, Title: "Back to the terminal", Text: []string{
		"pdpp-mcp has the answer and shows the result in the terminal. You can close this page.",
		"You can end this access at any time: run pdpp-mcp disconnect, or revoke it where you approved it.",
	}}
	if query.Has("error") {
		message.Title, message.Text = "Nothing was granted", message.Text[:1]
	}
	message.Write(w, http.StatusOK)
	_ = http.NewResponseController(w).Flush()
	select {
	case l.came <- query:
	default: // a repeated request
	}
}

// landingSite is the site name on the pages.
const landingSite = "pdpp-mcp"

// notOfThisSignIn rejects other requests.
func notOfThisSignIn(w http.ResponseWriter, r *http.Request) {
	status := http.StatusBadRequest
	if r.URL.Path != landingPath {
		status = http.StatusNotFound
	}
	webpage.Message{Site: landingSite, Title: "This is not the sign-in", Text: []string{
		"This address does not belong to a current sign-in. Open the link that pdpp-mcp printed.",
	}}.Write(w, status)
}

// close stops listening after the current response, within a second.
func (l *landing) close() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if l.server.Shutdown(ctx) != nil {
		_ = l.server.Close()
	}
}
