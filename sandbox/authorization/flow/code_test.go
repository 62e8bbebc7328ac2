package flow_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"golang.org/x/oauth2"

	"github.com/pdppmcp/pdpp-mcp/e2e/flowtest"
)

const verifier = "a-verifier-that-is-long-enough-for-RFC-7636-0123456789"

// authorizationRequest returns a request that is granted, changed by pairs of names and values; an empty value leaves
// the parameter out.
func authorizationRequest(config *oauth2.Config, changes ...string) string {
	address, _ := url.Parse(config.AuthCodeURL("s", oauth2.S256ChallengeOption(verifier)))
	query := address.Query()
	for i := 0; i < len(changes); i += 2 {
		query.Set(changes[i], changes[i+1])
		if changes[i+1] == "" {
			query.Del(changes[i])
		}
	}
	address.RawQuery = query.Encode()
	return address.String()
}

func TestAuthorizationRequests(t *testing.T) {
	f := newFixture(t)
	config := f.register()
	detail := func(source, streams string) string {
		return `[{"type":"https://pdpp.dev/data-access","source":{"kind":"connector","id":"` + source + `"},
			"access_mode":"continuous","purpose_code":"https://pdpp.dev/purpose/personal_ai_assistant","streams":` + streams +
			`}]`
	}
	cases := map[string]struct {
		changes []string
		status  int
		code    string // of the redirect, for status 303
	}{
		"as registered":                   {nil, 200, ""},
		"loopback on another port":        {[]string{"redirect_uri", "http://127.0.0.1:61234/callback"}, 200, ""},
		"origin as resource":              {[]string{"resource", issuer}, 200, ""},
		"origin with a slash as resource": {[]string{"resource", issuer + "/"}, 200, ""},
		"adapter as resource":             {[]string{"resource", issuer + "/mcp"}, 200, ""},
		"details of another registry": {
			[]string{"authorization_details", detail("https://registry.example/connectors/slack", `[{"name":"*"}]`)}, 200, "",
		},
		"no PKCE": {
			[]string{"code_challenge", "", "code_challenge_method", ""},
			303,
			"invalid_request",
		},
		"plain PKCE": {
			[]string{"code_challenge", verifier, "code_challenge_method", "plain"},
			303,
			"invalid_request",
		},
		"PKCE without a method":        {[]string{"code_challenge_method", ""}, 303, "invalid_request"},
		"another resource":             {[]string{"resource", "http://elsewhere.example"}, 303, "invalid_target"},
		"a resource below the adapter": {[]string{"resource", issuer + "/mcp/x"}, 303, "invalid_target"},
		"unknown scope":                {[]string{"scope", "everything"}, 303, "invalid_scope"},
		"OpenID":                       {[]string{"scope", "openid"}, 303, "invalid_scope"},
		"implicit flow": {
			[]string{"response_type", "token", "response_mode", "query"},
			303,
			"invalid_request",
		},
		"details that are no JSON": {[]string{"authorization_details", "["}, 303, "invalid_authorization_details"},
		"details of an unknown type": {
			[]string{"authorization_details", `[{"type":"other"}]`},
			303,
			"invalid_authorization_details",
		},
		"details of an unknown source": {[]string{
			"authorization_details",
			detail("https://registry.example/connectors/nope", `[{"name":"*"}]`),
		}, 303, "invalid_authorization_details"},
		"details of an unknown stream": {[]string{
			"authorization_details",
			detail("https://registry.example/connectors/gmail", `[{"name":"nope"}]`),
		}, 303, "invalid_authorization_details"},
		"details of an unknown field": {
			[]string{
				"authorization_details",
				detail("https://registry.example/connectors/gmail", `[{"name":"messages","fields":["nope"]}]`),
			},
			303,
			"invalid_authorization_details",
		},
		"details of another's connection": {[]string{
			"authorization_details",
			detail("https://registry.example/connectors/gmail", `[{"name":"*","instance_ids":["cin_spotify"]}]`),
		}, 400, ""},
		"details with an invalid time": {
			[]string{
				"authorization_details",
				detail("https://registry.example/connectors/gmail", `[{"name":"messages","time_constraint":{"since":"May"}}]`),
			},
			303,
			"invalid_authorization_details",
		},
		"unknown client":               {[]string{"client_id", "cli_unknown"}, 400, ""},
		"no client":                    {[]string{"client_id", ""}, 400, ""},
		"redirect to another path":     {[]string{"redirect_uri", "http://127.0.0.1:5555/other"}, 400, ""},
		"redirect to another host":     {[]string{"redirect_uri", "http://192.0.2.1:5555/callback"}, 400, ""},
		"redirect to another loopback": {[]string{"redirect_uri", "http://localhost:5555/callback"}, 400, ""},
		"no redirect":                  {[]string{"redirect_uri", ""}, 400, ""},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			page, err := f.owner.Open(f.ctx, authorizationRequest(config, c.changes...))
			if err != nil || page.Status != c.status {
				t.Fatalf("answered %d, want %d: %v: %s", page.Status, c.status, err, page.Body)
			}
			if c.status != 303 {
				if page.Location != nil {
					t.Errorf("sent to %s", page.Location)
				}
				return
			}
			answer := page.Location.Query()
			if answer.Get("error") != c.code || answer.Get("state") != "s" || answer.Get("iss") != issuer || answer.Has("code") {
				t.Errorf("sent to %s, want %s", page.Location, c.code)
			}
		})
	}
}

// A client other than a browser gets an OAuth error if there is no redirect URI.
func TestAuthorizationErrorsForPrograms(t *testing.T) {
	f := newFixture(t)
	request, err := http.NewRequestWithContext(f.ctx, http.MethodGet,
		authorizationRequest(f.register(), "redirect_uri", "http://elsewhere.example/"), nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Accept", "application/json")
	if refused := f.send(request); refused.status != 400 || refused.code() != "invalid_request" ||
		!strings.Contains(refused.text("error_description"), "redirect_uri") {
		t.Errorf("answered %d %s", refused.status, refused.body)
	}
}

func TestRefusedCodes(t *testing.T) {
	cases := map[string]struct {
		form func(f *fixture, config *oauth2.Config) []string // what differs from a good request
		wait time.Duration
		code string
	}{
		"wrong verifier": {form: changed("code_verifier", verifier+"x"), code: "invalid_grant"},
		"no verifier":    {form: changed("code_verifier", ""), code: "invalid_grant"},
		"the redirect of another port": {
			form: changed("redirect_uri", "http://127.0.0.1:61234/callback"), code: "invalid_grant",
		},
		"unknown code":     {form: changed("code", "unknown"), code: "invalid_grant"},
		"no code":          {form: changed("code", ""), code: "invalid_request"},
		"unknown client":   {form: changed("client_id", "cli_unknown"), code: "invalid_client"},
		"no client":        {form: changed("client_id", ""), code: "invalid_client"},
		"another resource": {form: changed("resource", "http://elsewhere.example"), code: "invalid_target"},
		"unknown grant":    {form: changed("grant_type", "password"), code: "unsupported_grant_type"},
		"expired code":     {form: changed(), wait: 61 * time.Second, code: "invalid_grant"},
		"another client": {form: func(f *fixture, _ *oauth2.Config) []string {
			return []string{"client_id", f.register().ClientID}
		}, code: "invalid_grant"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			config := f.register()
			good := map[string]string{
				"grant_type": "authorization_code", "client_id": config.ClientID, "redirect_uri": flowtest.Redirect,
				"code": f.code(config, verifier), "code_verifier": verifier,
			}
			changes := c.form(f, config)
			for i := 0; i < len(changes); i += 2 {
				good[changes[i]] = changes[i+1]
			}
			var pairs []string
			for name, value := range good {
				pairs = append(pairs, name, value)
			}
			f.advance(c.wait)
			refused := f.postForm("/oauth/token", pairs...)
			wantStatus := 400
			if c.code == "invalid_client" {
				wantStatus = 401
			}
			if refused.status != wantStatus || refused.code() != c.code || refused.text("error_description") == "" {
				t.Errorf("answered %d %s %s, want %s", refused.status, refused.code(), refused.text("error_description"), c.code)
			}
			if _, issued := refused.body["access_token"]; issued {
				t.Error("a token was issued")
			}
		})
	}
}

func changed(pairs ...string) func(*fixture, *oauth2.Config) []string {
	return func(*fixture, *oauth2.Config) []string { return pairs }
}

// A code that comes back ends what it gave (RFC 6749, section 4.1.2).
func TestACodeWorksOnce(t *testing.T) {
	f := newFixture(t)
	config := f.register()
	code := f.code(config, verifier, "cin_spotify", "cin_slack_team")
	token, err := config.Exchange(f.ctx, code, oauth2.VerifierOption(verifier))
	if err != nil {
		t.Fatal(err)
	}
	if !f.active(token.AccessToken) {
		t.Fatal("the token is not active")
	}
	for range 2 {
		refused := f.postForm("/oauth/token", "grant_type", "authorization_code", "client_id", config.ClientID,
			"redirect_uri", flowtest.Redirect, "code", code, "code_verifier", verifier)
		if refused.code() != "invalid_grant" {
			t.Errorf("the second time answered %d %s", refused.status, refused.code())
		}
		if f.active(token.AccessToken) {
			t.Error("the token outlived the reuse of its code")
		}
	}
	if refused := f.postForm("/oauth/token", "grant_type", "refresh_token", "client_id", config.ClientID, "refresh_token",
		token.RefreshToken); refused.code() != "invalid_grant" {
		t.Errorf("the refresh token outlived it: %d %s", refused.status, refused.code())
	}
}

// However many ask at once, one is answered; the others' reuse ends what it got.
func TestACodeIsRedeemedOnceAtATime(t *testing.T) {
	f := newFixture(t)
	config := f.register()
	code := f.code(config, verifier)
	answers := make(chan answer)
	for range 8 {
		go func() {
			answers <- f.postForm("/oauth/token", "grant_type", "authorization_code", "client_id", config.ClientID,
				"redirect_uri", flowtest.Redirect, "code", code, "code_verifier", verifier)
		}()
	}
	var tokens []string
	for range 8 {
		if got := <-answers; got.status == 200 {
			tokens = append(tokens, got.text("access_token"))
		}
	}
	if len(tokens) != 1 || f.active(tokens[0]) {
		t.Errorf("%d tokens were issued for one code", len(tokens))
	}
}

func TestRefresh(t *testing.T) {
	f := newFixture(t)
	config := f.register()
	refresh := func(token, clientID string) answer {
		return f.postForm("/oauth/token", "grant_type", "refresh_token", "client_id", clientID, "refresh_token", token)
	}
	first := f.signIn(config)
	f.advance(11 * time.Minute)
	if f.active(first.AccessToken) {
		t.Error("the access token outlived its ten minutes")
	}
	second := refresh(first.RefreshToken, config.ClientID)
	if second.status != 200 || !f.active(second.text("access_token")) ||
		second.text("grant_id") != first.Extra("grant_id") {
		t.Fatalf("the refresh answered %d %s", second.status, second.body)
	}
	if other := refresh(second.text("refresh_token"), f.register().ClientID); other.code() != "invalid_grant" {
		t.Errorf("another client's refresh answered %d %s", other.status, other.code())
	}
	// RFC 9700, section 4.14.2; captures 871 and 872.
	if reused := refresh(first.RefreshToken, config.ClientID); reused.code() != "invalid_grant" ||
		string(reused.body["fresh_authorization_required"]) != "true" {
		t.Errorf("the reuse answered %d %s", reused.status, reused.body)
	}
	if unknown := refresh("rt_nope", config.ClientID); unknown.text("error_description") != "Refresh token is invalid" {
		t.Errorf("an unknown token answered %d %s", unknown.status, unknown.body)
	}
	if f.active(second.text("access_token")) ||
		refresh(second.text("refresh_token"), config.ClientID).code() != "invalid_grant" {
		t.Error("the family outlived the reuse")
	}
	old := f.signIn(config)
	f.advance(31 * 24 * time.Hour)
	if expired := refresh(old.RefreshToken, config.ClientID); expired.code() != "invalid_grant" {
		t.Errorf("a refresh after 31 days answered %d %s", expired.status, expired.code())
	}
}

func TestRevocationBelongsToTheClient(t *testing.T) {
	f := newFixture(t)
	config := f.register()
	token := f.signIn(config)
	if refused := f.postForm("/oauth/revoke", "token", token.AccessToken, "client_id",
		f.register().ClientID); refused.code() != "access_denied" {
		t.Errorf("another client's revocation answered %d %s", refused.status, refused.code())
	}
	if refused := f.postForm("/oauth/revoke", "token", token.AccessToken); refused.code() != "invalid_client" {
		t.Errorf("a stranger's revocation answered %d %s", refused.status, refused.code())
	}
	if !f.active(token.AccessToken) {
		t.Error("a refused revocation ended the token")
	}
	for _, unknown := range []string{"unknown", f.server.Tokens()["everything"]} {
		if fine := f.postForm("/oauth/revoke", "token", unknown, "client_id", config.ClientID); fine.status != 200 {
			t.Errorf("an unknown token answered %d %s", fine.status, fine.code())
		}
	}
	if !f.active(f.server.Tokens()["everything"]) {
		t.Error("a client revoked a ready token")
	}
	ready := f.server.Tokens()["slack"]
	if fine := f.postForm("/oauth/revoke", "token", ready, "client_id", "pdpp_sandbox_client"); fine.status != 200 ||
		f.active(ready) {
		t.Errorf("the revocation of a ready token by its client answered %d %s", fine.status, fine.code())
	}
}
