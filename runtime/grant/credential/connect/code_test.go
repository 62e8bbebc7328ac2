package connect_test

import (
	"errors"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"golang.org/x/oauth2"

	"github.com/pdppmcp/pdpp-mcp/e2e/capturetest"
	"github.com/pdppmcp/pdpp-mcp/runtime/grant/credential"
	"github.com/pdppmcp/pdpp-mcp/runtime/grant/credential/connect"
)

var ofIssuer = "iss=" + url.QueryEscape(capturetest.Issuer)

// codeSignIn returns a sign-in at a server that offers only authorization codes. The token endpoint answers with the
// reply.
func codeSignIn(t *testing.T, back string, token reply) (*capturetest.Provider, outcome) {
	t.Helper()
	provider := playing(metadata, []string{"501"}, readable).
		Replace(withoutName...).Replace(`"device_authorization_endpoint"`, `"yet_another_endpoint"`).
		Handle("/oauth/token", replies(token))
	return provider, signInByCode(t, provider, connect.Options{Access: connect.AccessRequest{Source: spotify}}, back)
}

// The query of an endpoint is kept, except for the parameters of the request (RFC 6749, section 3.1).
func TestAuthorizationEndpointWithAQuery(t *testing.T) {
	provider := playing(metadata, []string{"501"}, readable).Replace(withoutName...).
		Replace(`"device_authorization_endpoint"`, `"yet_another_endpoint"`, `/oauth/authorize"`,
			`/oauth/authorize?tenant=t&client_id=theirs"`).
		Handle("/oauth/token",
			replies(reply{200, `{"access_token":"` + agentToken + `","token_type":"Bearer","grant_id":"grt_1"}`}))
	got := signInByCode(t, provider, connect.Options{Access: connect.AccessRequest{Source: spotify}},
		"code=the-code-of-a-test")
	page, err := url.Parse(got.approval[0].URL)
	if err != nil {
		t.Fatal(err)
	}
	if asked := page.Query(); asked.Get("tenant") != "t" || len(asked["client_id"]) != 1 ||
		asked.Get("client_id") == "theirs" {
		t.Errorf("the page was asked with %v", asked)
	}
}

// The code is exchanged with PKCE (RFC 7636), and the refresh token is stored (capture 862b).
func TestAuthorizationCode(t *testing.T) {
	provider, got := codeSignIn(t, "code=the-code-of-a-test",
		reply{200, `{"access_token":"` + agentToken + `","token_type":"Bearer",
		"expires_in":599,"refresh_token":"refresh-token-of-a-test","grant_id":"grt_1"}`})
	got.wantToken(t, agentToken, "grt_1")
	if held := got.entry.Credential; held.RefreshToken.Reveal() != "refresh-token-of-a-test" || held.ExpiresAt.IsZero() {
		t.Errorf("the credential has the refresh token %q and ends at %s", held.RefreshToken.Reveal(), held.ExpiresAt)
	}
	if !strings.Contains(got.landing, "<h1>Back to the terminal</h1>") ||
		!strings.Contains(got.landing, "run pdpp-mcp disconnect") || strings.Contains(got.landing, "code-of-a-test") {
		t.Errorf("the browser shows %s", got.landing)
	}
	if !got.approval[0].OnThisMachine || got.approval[0].ExpiresAt.IsZero() {
		t.Errorf("announced %+v", got.approval[0])
	}
	page, err := url.Parse(got.approval[0].URL)
	if err != nil {
		t.Fatal(err)
	}
	asked, sent := page.Query(), provider.Seen("/oauth/token")
	form, err := url.ParseQuery(sent[0].Body)
	if err != nil || len(sent) != 1 {
		t.Fatalf("asked for a token %d times: %v", len(sent), err)
	}
	if asked.Get("code_challenge") != oauth2.S256ChallengeFromVerifier(form.Get("code_verifier")) ||
		asked.Get("code_challenge_method") != "S256" ||
		asked.Get("response_type") != "code" || asked.Get("resource") != capturetest.Resource {
		t.Errorf("the page was asked with %v", asked)
	}
	if form.Get("grant_type") != "authorization_code" || form.Get("code") != "the-code-of-a-test" ||
		form.Get("redirect_uri") != asked.Get("redirect_uri") ||
		form.Get("client_id") != "cli_f02a0e600ec8e13c" || !strings.HasPrefix(form.Get("redirect_uri"), "http://127.0.0.1:") {
		t.Errorf("the token was asked for with %v", form)
	}
	if body := provider.Seen("/oauth/register")[0].Body; !strings.Contains(body,
		`"redirect_uris":["`+form.Get("redirect_uri")+`"]`) || !strings.Contains(body, `"native"`) {
		t.Errorf("registered %s", body)
	}
}

// Responses without a code or without a token.
func TestAuthorizationCodeIsRefused(t *testing.T) {
	tests := []struct {
		name, back string
		token      reply
		class      credential.Class
		text       string
	}{
		{
			"denied", ofIssuer + "&error=access_denied&error_description=no%1b",
			reply{},
			credential.Refused,
			"the owner denied the request",
		},
		{
			"refused", ofIssuer + "&error=invalid_authorization_details&error_description=Unknown+stream",
			reply{},
			credential.Configuration, "Unknown stream",
		},
		{
			"another server", "iss=https%3A%2F%2Fevil.example&code=c",
			reply{},
			credential.Configuration,
			"the answer names another issuer: https://evil.example",
		},
		{"no code", ofIssuer, reply{}, credential.Configuration, "without a code"},
		{"code refused", "code=" + pollingCode, reply{400, `{"error":"invalid_grant","error_description":"unknown ` +
			pollingCode + `"}`}, credential.Configuration, "invalid_grant: unknown [redacted]"},
		{"no token", "code=c", reply{200, `{}`}, credential.Configuration, "issued a token that is empty"},
		{
			"owner token", "code=c",
			reply{200, `{"access_token":"` + ownerToken + `","pdpp_token_kind":"owner"}`},
			credential.Refused, "owner token, which is never used here; it was not stored; its owner can end it",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			provider, got := codeSignIn(t, test.back, test.token)
			got.wantError(t, test.class, test.text)
			if asked := provider.Seen("/oauth/token"); test.token.status == 0 && len(asked) > 0 {
				t.Errorf("asked for a token with %s", asked[0].Body)
			}
		})
	}
	_, denied := codeSignIn(t, ofIssuer+"&error=access_denied&error_description=%3Cb%3Esaid-by-the-server", reply{})
	if !strings.Contains(denied.landing, "<h1>Nothing was granted</h1>") ||
		strings.Contains(denied.landing, "said-by-the-server") {
		t.Errorf("the browser shows %s", denied.landing)
	}
	if !errors.Is(denied.err, connect.ErrDenied) {
		t.Error("the denial does not wrap ErrDenied")
	}
}

// Covers R-LOCAL-4: a package is revoked if the server can, the refresh token before the access token, and is
// explained.
func TestPackageIsRevoked(t *testing.T) {
	token := replies(reply{200, `{"access_token":"` + agentToken +
		`","token_type":"Bearer","refresh_token":"refresh-token-of-a-test","grant_package_id":"gpkg_1"}`})
	for name, test := range map[string]struct {
		revoked reply
		texts   []string
		tokens  int
	}{
		"revoked": {
			reply{200, `{}`},
			[]string{"package token", "it was not stored, and was revoked", "--source and --connection"},
			2,
		},
		"refused": {oauthReply(400, "invalid_client"), []string{"could not be revoked"}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			provider := playing(metadata, []string{"501"}).Handle("/oauth/token", token).Handle("/oauth/revoke",
				replies(test.revoked)).
				Replace(`"registration_endpoint"`,
					`"revocation_endpoint": "`+capturetest.Issuer+`/oauth/revoke", "registration_endpoint"`)
			got := signInByCode(t, provider, connect.Options{Flow: connect.AuthorizationCode}, "code=c")
			got.wantError(t, credential.Refused, test.texts...)
			asked := provider.Seen("/oauth/revoke")
			if len(asked) != test.tokens || !strings.Contains(asked[0].Body, "token=refresh-token-of-a-test") {
				t.Errorf("revoked %+v", asked)
			}
			if asked := provider.Seen("/v1"); len(asked) > 0 {
				t.Error("the package token was tried")
			}
		})
	}
}

// A flow that the server lacks is refused before the owner is asked.
func TestFlowIsNamed(t *testing.T) {
	provider := playing(metadata, agentStart, []string{"565", "569"}, readable).Handle("/agent-connect",
		func(http.ResponseWriter, *http.Request) { t.Error("asked for agent connect") }).
		Replace("dc_owner_bdaa20bbb5241848", "dc_2d7dac328fb606eb")
	got := signIn(t, provider,
		connect.Options{
			Access: connect.AccessRequest{Source: reddit}, ClientID: "cli_859c394ae6f7fbd0",
			Flow: connect.DeviceAuthorization,
		})
	got.wantToken(t, deviceToken, "grt_6334fc20a223cf08")
	got = signIn(t, playing(metadata).Replace(withoutName...), connect.Options{Flow: connect.AgentConnect})
	got.wantError(t, credential.Configuration, `does not offer the sign-in "agent-connect"`, "pass --flow device")
}

// Covers R-MCP-3: a client with a metadata document is not registered. It is used only if the server supports such
// clients.
func TestClientOfADocument(t *testing.T) {
	const id = "https://app.example/client.json"
	const supported = `"client_id_metadata_document_supported": true`
	provider := playing(metadata, readable).Handle("/oauth/token", replies(agentApproved))
	got := signInByCode(t, provider,
		connect.Options{Access: connect.AccessRequest{Source: spotify}, ClientID: id, Flow: connect.AuthorizationCode},
		"code=c")
	got.wantToken(t, agentToken, "grt_1")
	if got.entry.Client.ClientID != id || !strings.Contains(got.approval[0].URL, url.QueryEscape(id)) ||
		len(provider.Seen("/oauth/register")) > 0 {
		t.Errorf("the client is %+v, the page %s", got.entry.Client, got.approval[0].URL)
	}
	refused := signIn(t, playing(metadata, agentStart).Replace(supported, `"x": true`),
		connect.Options{Access: connect.AccessRequest{Source: spotify}, ClientID: id})
	refused.wantError(t, credential.Configuration, "does not support client metadata documents", "--client-id")
}
