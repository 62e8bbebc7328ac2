package connect

import (
	"context"
	"net/url"
	"time"

	"golang.org/x/oauth2"

	"github.com/pdppmcp/pdpp-mcp/runtime/credential"
)

// codePatience limits the wait for the owner's browser. Servers do not say how long their page lasts.
const codePatience = 10 * time.Minute

// codeGrants are the grant types of a client with a redirect (capture 501).
var codeGrants = []string{"authorization_code", "refresh_token"}

// authorizationCode runs the authorization code flow: a page redirects the owner's browser to this machine with a code (RFC 6749,
// section 4.1; RFC 7636; RFC 8252). The parameters are in the URL, since PDPP's pushed requests have no redirect (capture 857).
func (s *signIn) authorizationCode(ctx context.Context) (*issued, error) {
	back, err := newLanding()
	if err != nil {
		return nil, &credential.Error{
			Class: credential.Internal, Message: "cannot listen on a local port: " + err.Error(),
			NextStep: "allow it, or pass --flow with another sign-in", Cause: err,
		}
	}
	defer back.close()
	client, err := s.identified(ctx, registration{
		ApplicationType: "native", GrantTypes: codeGrants, ResponseTypes: []string{"code"}, RedirectURIs: []string{back.address},
	})
	if err != nil {
		return nil, err
	}
	verifier := oauth2.GenerateVerifier()
	expiresAt := time.Now().Add(codePatience)
	s.announce(Approval{URL: s.authorizationPage(client.ClientID, back, verifier), ExpiresAt: expiresAt, OnThisMachine: true})
	var came url.Values
	select {
	case came = <-back.came:
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-time.After(time.Until(expiresAt)):
		return nil, s.expired(nil)
	}
	code, err := s.returnedCode(came)
	if err != nil {
		return nil, err
	}
	return s.exchange(ctx, client, url.Values{
		"grant_type": {"authorization_code"}, "client_id": {client.ClientID}, "code": {code},
		"code_verifier": {verifier}, "redirect_uri": {back.address},
	}, code, verifier)
}

// authorizationPage returns the URL of the owner's page.
func (s *signIn) authorizationPage(clientID string, back *landing, verifier string) string {
	page, _ := url.Parse(s.server.Authorization) // admitted
	query := page.Query()                        // an endpoint may have a query, without duplicates (RFC 6749, section 3.1)
	for name, value := range map[string]string{
		"client_id": clientID, "redirect_uri": back.address, "response_type": "code", "state": back.state, "resource": s.server.resource,
		"code_challenge": oauth2.S256ChallengeFromVerifier(verifier), "code_challenge_method": "S256",
	} {
		query.Set(name, value)
	}
	if s.Asked.namesAnything() {
		query.Set("authorization_details", s.detailsText())
	} else {
		query.Set("scope", Scope)
	}
	page.RawQuery = query.Encode()
	return page.String()
}

// returnedCode returns the code. It returns an error if another server sent it (RFC 9207), or if there is none.
func (s *signIn) returnedCode(came url.Values) (string, error) {
	from := came.Get("iss")
	if from != s.server.Issuer && (from != "" || s.server.NamesItself) {
		return "", unfit(s.server.Issuer, "was asked, and another server answered: "+shown(from), nil)
	}
	if refused := came.Get("error"); refused != "" {
		return "", s.failed(&refusal{from: s.server.Authorization, code: shown(refused), description: shown(came.Get("error_description"))})
	}
	if came.Get("code") == "" {
		return "", unfit(s.server.Authorization, "sent the browser back without a code", nil)
	}
	return came.Get("code"), nil
}

// exchange posts a form to the token endpoint. The secrets of the form are kept out of errors.
func (s *signIn) exchange(ctx context.Context, client credential.Client, form url.Values, secrets ...string) (*issued, error) {
	answer, err := s.asker.postForm(ctx, s.server.Token, form)
	given := granted{answer: answer}
	if err := s.accepted(answer, err, &given, secrets...); err != nil {
		return nil, err
	}
	return given.issued(client)
}
