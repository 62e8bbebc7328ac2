package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/oauthex"

	"github.com/pdppmcp/pdpp-mcp/e2e/browsertest"
	"github.com/pdppmcp/pdpp-mcp/e2e/hosttest"
	"github.com/pdppmcp/pdpp-mcp/sandbox/sample"
)

// everywhere is a search word that has hits in each connection that the owner may tick.
const everywhere = "fog"

// R-HOST-1, R-HOST-2, R-HOST-3, R-HOST-4, R-PKG-1: a client that knows only the URL of the adapter signs in through a
// browser and reads what the owner ticked there.
func TestSignInThroughABrowser(t *testing.T) {
	browser, ok := browsertest.Open(t)
	if !ok {
		return
	}
	ready := startReady(t)
	t.Run("two connections", func(t *testing.T) { approvesTwoConnections(t, browser, ready) })
	t.Run("one connection", func(t *testing.T) { approvesOneConnection(t, browser, ready) })
	t.Run("none", func(t *testing.T) { denies(t, browser, ready) })
}

func approvesTwoConnections(t *testing.T, browser browsertest.Browser, ready readiness) {
	t.Helper()
	all, err := connect(t, ready.URL, hosttest.WithBearer{Token: ready.Tokens[readyGrants[oneGrant][0]]}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, connectionID := range []string{sample.PersonalMail, sample.WorkMail, sample.TeamChat, sample.Music} {
		if seen := searched(t, all, everywhere, connectionID); len(seen) != 1 {
			t.Fatalf("%q is not found in %s, so this tests nothing", everywhere, connectionID)
		}
	}

	steps := &trail{}
	session, err := connect(t, ready.URL, steps, newSignIn(t, browser, steps, func(tab browsertest.Tab) {
		// The form works with the keyboard alone.
		tab.Do(chromedp.Focus(chromedp.CSS(choiceOf(sample.Music))), chromedp.KeyEvent(" "))
		tab.Do(chromedp.Click(chromedp.CSS(choiceOf(sample.WorkMail))))
		if ticked := browsertest.Evaluate[[]string](tab,
			`[...document.querySelectorAll("input:checked")].map(box => box.value)`); len(ticked) != 2 {
			tab.Errorf("ticked are %q", ticked)
		}
		tab.Do(chromedp.Focus(chromedp.CSS(`button[value="approve"]`)), chromedp.KeyEvent("\r"))
	}))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(servedTools(), toolNames(t, session)); diff != "" {
		t.Errorf("tools (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{sample.WorkMail, sample.Music}, searched(t, session, everywhere, "")); diff != "" {
		t.Errorf("connections that are read (-ticked +read):\n%s", diff)
	}
	if unticked := call(t, session, "query_records",
		map[string]any{"stream": "messages", "connection_id": sample.PersonalMail}); !unticked.IsError {
		t.Errorf("a connection that was not ticked gives %v", unticked.StructuredContent)
	}
	if diff := cmp.Diff([]step{
		{"POST", "/mcp", 401},
		{"GET", "/.well-known/oauth-protected-resource/mcp", 200},
		{"GET", "/.well-known/oauth-authorization-server", 200},
		{"POST", "/oauth/register", 201},
		{"POST", "/oauth/token", 200},
		{"POST", "/mcp", 200},
	}, steps.taken()[:6]); diff != "" {
		t.Errorf("the way in (-want +taken):\n%s", diff)
	}
}

func approvesOneConnection(t *testing.T, browser browsertest.Browser, ready readiness) {
	t.Helper()
	steps := &trail{}
	session, err := connect(t, ready.URL, steps, newSignIn(t, browser, steps, func(tab browsertest.Tab) {
		// Without a choice the page names what is missing and asks again.
		tab.Do(chromedp.Click(chromedp.CSS(`button[value="approve"]`)), chromedp.WaitVisible(chromedp.CSS(`[role="alert"]`)))
		tab.Do(chromedp.Click(chromedp.CSS(choiceOf(sample.TeamChat))),
			chromedp.Click(chromedp.CSS(`button[value="approve"]`)))
	}))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{sample.TeamChat}, searched(t, session, everywhere, "")); diff != "" {
		t.Errorf("connections that are read (-ticked +read):\n%s", diff)
	}
}

// denies: the client gets the error, no token and no session.
func denies(t *testing.T, browser browsertest.Browser, ready readiness) {
	t.Helper()
	steps := &trail{}
	_, err := connect(t, ready.URL, steps, newSignIn(t, browser, steps, func(tab browsertest.Tab) {
		tab.Do(chromedp.Click(chromedp.CSS(choiceOf(sample.Music))), chromedp.Click(chromedp.CSS(`button[value="deny"]`)))
	}))
	var refused *refusedError
	if !errors.As(err, &refused) || refused.code != "access_denied" {
		t.Errorf("the client ends with %v", err)
	}
	for _, taken := range steps.taken() {
		if taken.Path == "/oauth/token" || taken.Path == "/mcp" && taken.Status != http.StatusUnauthorized {
			t.Errorf("the client went on to %+v", taken)
		}
	}
}

func choiceOf(connectionID string) string { return fmt.Sprintf("input[value=%q]", connectionID) }

// returnsWithin bounds the time from a decision to the callback.
const returnsWithin = time.Minute

// refusedError reports that the authorization server redirected the browser without a code.
type refusedError struct{ code string }

func (e *refusedError) Error() string { return "the sign-in was refused: " + e.code }

// newSignIn returns the SDK's sign-in handler with the owner's browser and a loopback callback, as native clients have
// one (RFC 8252). Decide uses the consent page.
func newSignIn(t *testing.T, browser browsertest.Browser, transport http.RoundTripper,
	decide func(browsertest.Tab),
) auth.OAuthHandler {
	t.Helper()
	returned := make(chan url.Values, 1)
	callback := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = fmt.Fprint(w, "<title>Back</title>")
		if r.URL.Path == "/callback" { // not a request for the icon
			returned <- r.URL.Query()
		}
	}))
	t.Cleanup(callback.Close)
	handler, err := auth.NewAuthorizationCodeHandler(&auth.AuthorizationCodeHandlerConfig{
		DynamicClientRegistrationConfig: &auth.DynamicClientRegistrationConfig{Metadata: &oauthex.ClientRegistrationMetadata{
			ClientName: "Test client", RedirectURIs: []string{callback.URL + "/callback"},
			GrantTypes: []string{"authorization_code", "refresh_token"}, ResponseTypes: []string{"code"},
			TokenEndpointAuthMethod: "none",
		}},
		Client: &http.Client{Transport: transport},
		AuthorizationCodeFetcher: func(ctx context.Context, asked *auth.AuthorizationArgs) (*auth.AuthorizationResult, error) {
			tab := browser.Tab(t)
			problems := tab.Problems()
			tab.Do(chromedp.Navigate(asked.URL), chromedp.WaitVisible(chromedp.CSS("form")))
			if title := browsertest.Evaluate[string](tab,
				"document.title"); title != "Share data with Test client · PDPP sandbox" {
				t.Errorf("the consent page is called %q", title)
			}
			if seen := problems(); len(seen) > 0 {
				t.Errorf("the console has %q", seen)
			}
			decide(tab)
			waiting, cancel := context.WithTimeout(ctx, returnsWithin)
			defer cancel()
			select {
			case values := <-returned:
				if values.Get("error") != "" {
					return nil, &refusedError{values.Get("error")}
				}
				return &auth.AuthorizationResult{Code: values.Get("code"), State: values.Get("state"), Iss: values.Get("iss")}, nil
			case <-waiting.Done():
				return nil, fmt.Errorf("wait for the browser to come back: %w", waiting.Err())
			}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return handler
}
