package connect

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"net"
	"net/http"
	"net/url"
	"time"

	"golang.org/x/oauth2"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/webpage"
	"github.com/pdppmcp/pdpp-mcp/runtime/grant/credential"
)

const codePatience = 10 * time.Minute // servers do not say how long their page lasts

// authorizationCode runs the authorization code flow: a page redirects the owner's browser to this machine with a code
// (RFC 6749, section 4.1; RFC 7636; RFC 8252). The parameters are in the URL, since PDPP's pushed requests have no
// redirect (capture 857).
func (s *signIn) authorizationCode(ctx context.Context) (*issued, error) {
	callback, err := newCallbackServer()
	if err != nil {
		return nil, &credential.Error{
			Class: credential.Internal, Message: "cannot listen on a local port: " + err.Error(),
			NextStep: "allow it, or pass --flow with another sign-in", Cause: err,
		}
	}
	defer callback.close()
	client, err := s.client(ctx, registration{
		ApplicationType: "native", GrantTypes: []string{"authorization_code", "refresh_token"}, // capture 501
		ResponseTypes: []string{"code"}, RedirectURIs: []string{callback.address},
	})
	if err != nil {
		return nil, err
	}
	verifier := oauth2.GenerateVerifier()
	expiresAt := time.Now().Add(codePatience)
	s.announce(Approval{URL: s.authorizationPage(client.ClientID, callback, verifier), ExpiresAt: expiresAt, OnThisMachine: true})
	var query url.Values
	select {
	case query = <-callback.answer:
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-time.After(time.Until(expiresAt)):
		return nil, s.expiredError(nil)
	}
	code, err := s.returnedCode(query)
	if err != nil {
		return nil, err
	}
	answer, err := s.requester.postForm(ctx, s.server.Token, url.Values{
		"grant_type": {"authorization_code"}, "client_id": {client.ClientID}, "code": {code},
		"code_verifier": {verifier}, "redirect_uri": {callback.address},
	})
	given := granted{answer: answer}
	if err := s.decodeSuccess(answer, err, &given, code, verifier); err != nil {
		return nil, err
	}
	return given.issued(client)
}

func (s *signIn) authorizationPage(clientID string, callback *callbackServer, verifier string) string {
	page, _ := url.Parse(s.server.Authorization) // admitted
	query := page.Query()                        // an endpoint may have a query, without duplicates (RFC 6749, section 3.1)
	for name, value := range map[string]string{
		"client_id": clientID, "redirect_uri": callback.address, "response_type": "code", "state": callback.state, "resource": s.server.resource,
		"code_challenge": oauth2.S256ChallengeFromVerifier(verifier), "code_challenge_method": "S256",
	} {
		query.Set(name, value)
	}
	if s.Access.namesAnything() {
		query.Set("authorization_details", s.detailsText())
	} else {
		query.Set("scope", Scope)
	}
	page.RawQuery = query.Encode()
	return page.String()
}

// returnedCode returns the code. It returns an error if another server sent it (RFC 9207), or if it is missing.
func (s *signIn) returnedCode(query url.Values) (string, error) {
	from := query.Get("iss")
	if from != s.server.Issuer && (from != "" || s.server.NamesItself) {
		return "", protocolError(s.server.Issuer, "was asked, but the answer names another issuer: "+printable(from), nil)
	}
	if refused := query.Get("error"); refused != "" {
		return "", s.failed(&refusal{url: s.server.Authorization, code: printable(refused), description: printable(query.Get("error_description"))})
	}
	if query.Get("code") == "" {
		return "", protocolError(s.server.Authorization, "sent the browser back without a code", nil)
	}
	return query.Get("code"), nil
}

const (
	callbackPath = "/callback"
	site         = "pdpp-mcp" // the name on the pages
)

// callbackServer waits on a local port for the owner's browser (RFC 8252, section 7.3). Any page can send the browser
// here.
type callbackServer struct {
	address string // the redirect URI
	state   string

	server *http.Server
	answer chan url.Values // query of the first request with the state
}

func newCallbackServer() (*callbackServer, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	l := &callbackServer{
		address: "http://" + listener.Addr().String() + callbackPath, state: rand.Text(),
		answer: make(chan url.Values, 1),
	}
	l.server = &http.Server{Handler: http.HandlerFunc(l.handle), ReadTimeout: askTimeout, WriteTimeout: askTimeout, MaxHeaderBytes: 64 << 10}
	go func() { _ = l.server.Serve(listener) }() // until it is closed
	return l, nil
}

func (l *callbackServer) handle(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	hasState := subtle.ConstantTimeCompare([]byte(query.Get("state")), []byte(l.state)) == 1
	if r.URL.Path != callbackPath || r.Method != http.MethodGet || !hasState {
		status := http.StatusBadRequest
		if r.URL.Path != callbackPath {
			status = http.StatusNotFound
		}
		webpage.Message{Site: site, Title: "This is not the sign-in", Text: []string{
			"This address does not belong to a current sign-in. Open the link that pdpp-mcp printed.",
		}}.Write(w, status)
		return
	}
	// The page is sent first, since the program may end soon after. It does not repeat the provider's text, which the
	// terminal shows.
	message := webpage.Message{Site: site, Title: "Back to the terminal", Text: []string{
		"pdpp-mcp has the answer and shows the result in the terminal. You can close this page.",
		"You can end this access at any time: run pdpp-mcp disconnect, or revoke it where you approved it.",
	}}
	if query.Has("error") {
		message.Title, message.Text = "Nothing was granted", message.Text[:1]
	}
	message.Write(w, http.StatusOK)
	_ = http.NewResponseController(w).Flush()
	select {
	case l.answer <- query:
	default: // a repeated request
	}
}

// close stops listening after the current response, within a second.
func (l *callbackServer) close() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if l.server.Shutdown(ctx) != nil {
		_ = l.server.Close()
	}
}
