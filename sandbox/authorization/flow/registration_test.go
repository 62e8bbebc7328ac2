package flow_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/oauth2"

	"github.com/pdppmcp/pdpp-mcp/e2e/flowtest"
)

func TestRegistration(t *testing.T) {
	f := newFixture(t)
	for name, c := range map[string]struct {
		metadata  string
		redirects []string
		code      string // empty: registered
	}{
		"a name only": {`{"client_name":"CLI","token_endpoint_auth_method":"none"}`, nil, ""},
		"nothing":     {`{}`, nil, ""},
		"as MCP SDKs do": {`{"client_name":"x","redirect_uris":["http://localhost:3000/cb"],` +
			`"grant_types":["authorization_code","refresh_token"],"response_types":["code"],` +
			`"token_endpoint_auth_method":"none","scope":"mcp"}`, []string{"http://localhost:3000/cb"}, ""},
		"as chat hosts do": {`{"redirect_uris":["https://chat.example/cb"],"application_type":"web",` +
			`"token_endpoint_auth_method":"client_secret_post"}`, []string{"https://chat.example/cb"}, ""},
		"as editors do": {`{"redirect_uris":["https://editor.example/cb","http://127.0.0.1/",` +
			`"editor://mcp/cb"]}`, []string{"https://editor.example/cb", "http://127.0.0.1/", "editor://mcp/cb"}, ""},
		"web on loopback": {
			`{"application_type":"web","redirect_uris":["http://127.0.0.1:9999/cb"]}`, nil,
			"invalid_client_metadata",
		},
		"http elsewhere":             {`{"redirect_uris":["http://chat.example/cb"]}`, nil, "invalid_client_metadata"},
		"a script":                   {`{"redirect_uris":["javascript:alert(1)"]}`, nil, "invalid_redirect_uri"},
		"a fragment":                 {`{"redirect_uris":["https://chat.example/cb#x"]}`, nil, "invalid_redirect_uri"},
		"a relative redirect":        {`{"redirect_uris":["/cb"]}`, nil, "invalid_redirect_uri"},
		"a host that breaks a CSP":   {`{"redirect_uris":["https://a;script-src/cb"]}`, nil, "invalid_redirect_uri"},
		"redirects that are no list": {`{"redirect_uris":"https://chat.example/cb"}`, nil, "invalid_redirect_uri"},
		"an unknown grant type":      {`{"grant_types":["client_credentials"]}`, nil, "invalid_client_metadata"},
		"an unknown method":          {`{"token_endpoint_auth_method":"private_key_jwt"}`, nil, "invalid_client_metadata"},
		"no JSON":                    {`{`, nil, "invalid_client_metadata"},
	} {
		t.Run(name, func(t *testing.T) {
			registered := f.postJSON("/oauth/register", c.metadata)
			if c.code != "" {
				if registered.status != 400 || registered.code() != c.code {
					t.Errorf("answered %d %s, want %s", registered.status, registered.code(), c.code)
				}
				return
			}
			if registered.status != 201 || registered.text("client_id") == "" || registered.body["client_id_issued_at"] == nil {
				t.Fatalf("answered %d %s", registered.status, registered.body)
			}
			var redirects []string
			_ = json.Unmarshal(registered.body["redirect_uris"], &redirects)
			if diff := cmp.Diff(c.redirects, redirects); diff != "" {
				t.Errorf("redirects (-want +got):\n%s", diff)
			}
			method := registered.text("token_endpoint_auth_method")
			if (method == "none") == (registered.text("client_secret") != "") {
				t.Errorf("method %s with a secret: %v", method, registered.text("client_secret") != "")
			}
		})
	}
}

// A confidential client is held to its secret.
func TestConfidentialClients(t *testing.T) {
	for method, style := range map[string]oauth2.AuthStyle{
		"client_secret_basic": oauth2.AuthStyleInHeader, "client_secret_post": oauth2.AuthStyleInParams,
	} {
		t.Run(method, func(t *testing.T) {
			f := newFixture(t)
			config := f.register()
			registered := f.postJSON("/oauth/register",
				`{"redirect_uris":["`+flowtest.Redirect+`"],"token_endpoint_auth_method":"`+method+`"}`)
			config.ClientID, config.ClientSecret, config.Endpoint.AuthStyle = registered.text("client_id"), registered.text(
				"client_secret"), style
			if token := f.signIn(config); !f.active(token.AccessToken) {
				t.Error("the token is not active")
			}
			code := f.code(config, verifier)
			config.ClientSecret = "wrong"
			if _, err := config.Exchange(f.ctx, code, oauth2.VerifierOption(verifier)); err == nil {
				t.Error("a wrong secret was accepted")
			}
		})
	}
}

// RFC 8252, section 7.3: an application listens where it finds a free port.
func TestPrivateAndLoopbackRedirects(t *testing.T) {
	f := newFixture(t)
	config := f.register()
	registered := f.postJSON("/oauth/register",
		`{"redirect_uris":["editor://mcp/cb","http://localhost:3000/cb","http://[::1]/cb"]}`)
	config.ClientID = registered.text("client_id")
	for redirect, fine := range map[string]bool{
		"editor://mcp/cb": true, "http://localhost:3000/cb": true, "http://localhost:41234/cb": true,
		"http://localhost/cb":   true,
		"http://[::1]:41234/cb": true, "editor://mcp/other": false, "http://127.0.0.1:3000/cb": false,
		"http://localhost:3000/cb?x=1": false,
	} {
		config.RedirectURL = redirect
		page, err := f.owner.Approve(f.ctx, config.AuthCodeURL("s", oauth2.S256ChallengeOption(verifier)), "cin_spotify")
		if (page.Location != nil) != fine {
			t.Errorf("%s: %d, %v", redirect, page.Status, err)
		}
		if fine && page.Location != nil {
			if _, err := config.Exchange(f.ctx, page.Location.Query().Get("code"), oauth2.VerifierOption(verifier)); err != nil {
				t.Errorf("%s: %v", redirect, err)
			}
		}
	}
}
