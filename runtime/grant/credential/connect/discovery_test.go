package connect_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/e2e/capturetest"
	"github.com/pdppmcp/pdpp-mcp/runtime/grant/credential"
	"github.com/pdppmcp/pdpp-mcp/runtime/grant/credential/connect"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
)

const (
	resourcePath = "/.well-known/oauth-protected-resource"
	serverPath   = "/.well-known/oauth-authorization-server"
)

// Untrusted metadata are refused, and nothing is requested from the URLs in them.
func TestDiscoveryRefuses(t *testing.T) {
	const remote = "https://pdpp.example"
	named := func(issuer string) reply { return reply{200, `{"authorization_servers":["` + issuer + `"]}`} }
	server := func(members string) reply {
		return reply{200, `{"issuer":"https://as.example"` + members + `}`}
	}
	offer := `,"agent_connect_endpoint":"https://as.example/agent-connect"`
	tests := []struct {
		name             string
		provider         string
		resource, server reply // zero: not found
		class            credential.Class
		text             string
	}{
		{name: "plain http elsewhere", provider: "http://pdpp.example", class: credential.Usage, text: "unencrypted"},
		{name: "no URL", provider: "pdpp.example", class: credential.Usage, text: "https://"},
		{name: "no metadata", provider: remote, class: credential.Configuration, text: "has no metadata"},
		{
			name: "metadata moved", provider: remote, resource: reply{302, ``}, class: credential.Configuration,
			text: "redirect, which is not followed",
		},
		{
			name: "a page", provider: remote, resource: reply{200, `<!DOCTYPE html>`}, class: credential.Configuration,
			text: "not answer with a JSON object",
		},
		{name: "out of order", provider: remote, resource: reply{503, ``}, class: credential.Unreachable, text: "503"},
		{
			name: "cut off", provider: remote, resource: reply{200, `{"authorization_servers":`},
			class: credential.Configuration, text: "not answer with a JSON object",
		},
		{
			name: "mistyped", provider: remote, resource: reply{200, `{"authorization_servers":"x"}`},
			class: credential.Configuration, text: "authorization_servers is of the wrong type",
		},
		{
			name: "too large", provider: remote, resource: reply{200, `{"x":"` + strings.Repeat("x", 256<<10) + `"}`},
			class: credential.Configuration, text: "262144 bytes",
		},
		{
			name: "no server", provider: remote, resource: reply{200, `{}`}, class: credential.Configuration,
			text: "names no authorization server",
		},
		{
			name: "another resource", provider: remote,
			resource: reply{200, `{"resource":"https://bank.example","authorization_servers":["https://as.example"]}`},
			class:    credential.Configuration, text: "describes another resource in its metadata: https://bank.example",
		},
		{
			name: "server on http", provider: remote, resource: named("http://as.example"), class: credential.Configuration,
			text: "is not https",
		},
		{
			name: "server on this machine", provider: remote, resource: named("https://localhost"),
			class: credential.Configuration, text: "leads to this machine",
		},
		{
			name: "server on this machine by number", provider: remote, resource: named("https://[::ffff:127.0.0.1]:7"),
			class: credential.Configuration, text: "leads to this machine",
		},
		{
			name: "server on http, from this machine", provider: "http://127.0.0.1:1", resource: named("http://as.example"),
			class: credential.Configuration, text: "is not https",
		},
		{
			name: "server with a password", provider: remote, resource: named("https://u:p@as.example"),
			class: credential.Configuration, text: "user name",
		},
		{
			name: "server is a file", provider: remote, resource: named("file:///etc/passwd"), class: credential.Configuration,
			text: "must begin with http",
		},
		{
			name: "server without metadata", provider: remote, resource: named("https://as.example"),
			class: credential.Configuration, text: "has no metadata",
		},
		{
			name: "server moved", provider: remote, resource: named("https://as.example"), server: reply{301, ``},
			class: credential.Configuration, text: "redirect",
		},
		{
			name: "another issuer", provider: remote, resource: named("https://as.example"),
			server: reply{200, `{"issuer":"https://evil.example"}`}, class: credential.Configuration,
			text: "another issuer: https://evil.example",
		},
		{
			name: "issuer with two slashes", provider: remote, resource: named("https://as.example"),
			server: reply{200, `{"issuer":"https://as.example//"}`}, class: credential.Configuration, text: "another issuer",
		},
		{
			name: "issuer with the slash of an empty path", provider: remote, resource: named("https://as.example"),
			server: reply{200, `{"issuer":"https://as.example/"}`}, class: credential.Configuration,
			text: "neither agent_connect_endpoint",
		},
		{
			name: "neither flow", provider: remote, resource: named("https://as.example"), server: server(``),
			class: credential.Configuration, text: "neither agent_connect_endpoint nor device_authorization_endpoint",
		},
		{
			name: "device without tokens", provider: remote, resource: named("https://as.example"),
			server: server(`,"device_authorization_endpoint":"https://as.example/device"`), class: credential.Configuration,
			text: "with token_endpoint",
		},
		{
			name: "endpoint on this machine", provider: remote, resource: named("https://as.example"),
			server: server(`,"agent_connect_endpoint":"https://127.0.0.1/agent-connect"`), class: credential.Configuration,
			text: "agent_connect_endpoint leads to this machine",
		},
		{
			name: "registration on http", provider: remote, resource: named("https://as.example"),
			server: server(offer + `,"registration_endpoint":"http://as.example/register"`), class: credential.Configuration,
			text: "registration_endpoint is not https",
		},
		{
			name: "device without a client", provider: remote, resource: named("https://as.example"),
			server: server(`,"device_authorization_endpoint":"https://as.example/device",` +
				`"token_endpoint":"https://as.example/token"`),
			class: credential.Configuration, text: "--client-id",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			provider := capturetest.New()
			for path, answered := range map[string]reply{resourcePath: test.resource, serverPath: test.server} {
				if answered.status != 0 {
					provider.Handle(path, replies(answered))
				}
			}
			got := signIn(t, provider, connect.Options{ProviderURL: test.provider})
			got.wantError(t, test.class, test.text)
			for _, request := range provider.Seen("/") {
				if !strings.Contains(request.URL, "/.well-known/") {
					t.Errorf("asked %s", request.URL)
				}
			}
		})
	}
}

// The error of a wrong address says what it is, and names the provider's own address if that can be found.
func TestWrongAddressIsExplained(t *testing.T) {
	const elsewhere = "https://bank.example"
	for name, test := range map[string]struct {
		address, resources string // resources that the authorization server names
		says               []string
		provider           string
	}{
		"an authorization server": {
			capturetest.Issuer, ``,
			[]string{"is an authorization server", "ask the provider's operator for its address"},
			"",
		},
		"one that names the provider": {
			capturetest.Issuer, `,"protected_resources":["` + capturetest.Resource + `/mcp","` +
				capturetest.Resource + `"]`,
			[]string{"is an authorization server", "pass " + capturetest.Resource},
			capturetest.Resource,
		},
		"one that names something else": {capturetest.Issuer, `,"protected_resources":["` + elsewhere +
			`","file:///etc/passwd"]`, []string{"is an authorization server", "ask the provider's operator for its address"}, ""},
		"a page of the provider": {
			capturetest.Resource + "/mcp", ``,
			[]string{"has no metadata: 404", "pass " + capturetest.Resource},
			capturetest.Resource,
		},
		"neither":                   {elsewhere, ``, []string{elsewhere + " is not a PDPP provider"}, ""},
		"a page of what is neither": {elsewhere + "/v1", ``, []string{elsewhere + "/v1 is not a PDPP provider"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			provider := capturetest.New().
				Handle(resourcePath, func(w http.ResponseWriter, r *http.Request) {
					if "http://"+r.Host != capturetest.Resource {
						http.NotFound(w, r)
						return
					}
					replies(reply{200, `{"resource":"` + capturetest.Resource + `","authorization_servers":["` +
						capturetest.Issuer + `"]}`})(w, r)
				}).
				Handle(serverPath, func(w http.ResponseWriter, r *http.Request) {
					if "http://"+r.Host != capturetest.Issuer {
						http.NotFound(w, r)
						return
					}
					replies(reply{200, `{"issuer":"` + capturetest.Issuer + `"` + test.resources + `}`})(w, r)
				})
			got := signIn(t, provider, connect.Options{ProviderURL: test.address})
			got.wantError(t, credential.Configuration, test.says...)
			if failure, _ := errors.AsType[*credential.Error](got.err); failure.Provider != test.provider {
				t.Errorf("the error names the provider %q, want %q", failure.Provider, test.provider)
			}
		})
	}
}

// A refused device authorization does not blame the flags of the request if only its form was wrong.
func TestRefusedFormBlamesNoSource(t *testing.T) {
	provider := playing(metadata).Replace(withoutName...).Handle("/oauth/device_authorization",
		replies(reply{400, `{"error":"invalid_request","error_description":"resource must identify the hosted MCP ` +
			`protected resource"}`}))
	got := signIn(t, provider, connect.Options{Access: connect.AccessRequest{Source: reddit}, ClientID: "cli_1"})
	got.wantError(t, credential.Configuration, "resource must identify", "--flow")
	if strings.Contains(got.err.Error(), "--source") {
		t.Errorf("%v blames --source", got.err)
	}
}

// The documents that may name agent connect, and the metadata of an issuer with a path (RFC 8414, section 3.1).
func TestDiscoveryFinds(t *testing.T) {
	const agent = `"agent_connect_endpoint":"https://as.example/agent-connect"`
	tests := []struct{ name, issuer, path, resource, server string }{
		{"in the server's metadata", "https://as.example", serverPath, ``, `,` + agent},
		{
			"below pdpp_agent_discovery", "https://as.example", serverPath, ``,
			`,"pdpp_agent_discovery":{"cli":{},` + agent + `}`,
		},
		{"in the provider's metadata", "https://as.example", serverPath, `,` + agent, ``},
		{
			"below pdpp_agent_discovery of the provider", "https://as.example", serverPath,
			`,"pdpp_agent_discovery":{` + agent + `}`, `,"pdpp_agent_discovery":["advice"]`,
		},
		{"of an issuer with a path", "https://as.example/tenant/1", serverPath + "/tenant/1", ``, `,` + agent},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			provider := playing(readable).
				Handle(resourcePath, replies(reply{200, `{"resource":"https://PDPP.example/","authorization_servers":["` +
					test.issuer + `"]` + test.resource + `}`})).
				Handle(test.path, replies(reply{200, `{"issuer":"` + test.issuer + `"` + test.server + `}`})).
				Handle("/agent-connect", replies(reply{
					200,
					`{"approval_url":"https://as.example/consent","token_url":"https://as.example/poll","polling_code":"c",` +
						`"interval":1}`,
				})).
				Handle("/poll", replies(agentApproved))
			got := signIn(t, provider, connect.Options{ProviderURL: "https://pdpp.example"})
			got.wantToken(t, agentToken, "grt_1")
			if got.entry.AuthorizationServer != test.issuer {
				t.Errorf("the server is %s, want %s", got.entry.AuthorizationServer, test.issuer)
			}
			want := `{"resource":"https://PDPP.example/","scope":"pdpp:read","client_name":"PDPP CLI"}`
			if asked := provider.Seen("/agent-connect"); len(asked) != 1 || asked[0].Body != want {
				t.Errorf("asked %+v, want %s", asked, want)
			}
		})
	}
}

// The URLs of an attempt are checked like those of metadata. The page is opened in a browser, so it must be a web page.
func TestAttemptRefuses(t *testing.T) {
	const good = `"approval_url":"https://as.example/consent","poll_url":"https://as.example/poll","polling_code":"` +
		pollingCode + `"`
	tests := []struct{ name, old, bad, text string }{
		{"a script for a page", "https://as.example/consent", "javascript:alert(1)", "approval_url must begin with http"},
		{"an option for a page", "https://as.example/consent", "--help", "approval_url must begin with http"},
		{"a page on http", "https://as.example/consent", "http://as.example/consent", "approval_url is not https"},
		{"polls on this machine", "https://as.example/poll", "https://localhost/poll", "poll_url leads to this machine"},
		{"no page", "https://as.example/consent", "", "without approval_url"},
		{"no polling code", pollingCode, "", "polling_code"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			provider := capturetest.New().
				Handle(resourcePath, replies(reply{200, `{"authorization_servers":["https://as.example"]}`})).
				Handle(serverPath,
					replies(reply{
						200,
						`{"issuer":"https://as.example","agent_connect_endpoint":"https://as.example/agent-connect"}`,
					})).
				Handle("/agent-connect", replies(reply{201, `{` + strings.Replace(good, test.old, test.bad, 1) + `}`}))
			got := signIn(t, provider, connect.Options{ProviderURL: "https://pdpp.example"})
			got.wantError(t, credential.Configuration, test.text)
			if len(got.approval) > 0 {
				t.Errorf("announced %+v", got.approval)
			}
		})
	}
}

// The URL of the page is printed normalized, without characters that control a terminal.
func TestPageIsNormalized(t *testing.T) {
	const started = `{"approval_url":"https://as.example/a\u202eb","verification_uri":"https://as.example/a\u202eb",` +
		`"poll_url":"https://as.example/poll","device_code":"c","polling_code":"c","interval":1}`
	for _, endpoint := range []string{"agent_connect_endpoint", "device_authorization_endpoint"} {
		provider := playing(readable).
			Handle(resourcePath, replies(reply{200, `{"authorization_servers":["https://as.example"]}`})).
			Handle(serverPath, replies(reply{
				200,
				`{"issuer":"https://as.example","token_endpoint":"https://as.example/token","` + endpoint +
					`":"https://as.example/start"}`,
			})).
			Handle("/start", replies(reply{200, started})).
			Handle("/poll", replies(agentApproved)).Handle("/token", replies(deviceApproved))
		got := signIn(t, provider, connect.Options{ProviderURL: "https://pdpp.example", ClientID: "cli_1"})
		if got.err != nil || len(got.approval) != 1 || got.approval[0].URL != "https://as.example/a%E2%80%AEb" {
			t.Errorf("%s: announced %+v, %v", endpoint, got.approval, got.err)
		}
	}
}

// A registered client must be public.
func TestRegistrationRefuses(t *testing.T) {
	for name, test := range map[string]struct {
		answered reply
		text     string
	}{
		"refused":     {oauthReply(403, "access_closed"), "access_closed"},
		"no id":       {reply{201, `{}`}, "without a client_id"},
		"with secret": {reply{201, `{"client_id":"x","token_endpoint_auth_method":"client_secret_basic"}`}, "needs a secret"},
	} {
		t.Run(name, func(t *testing.T) {
			provider := playing(metadata).Handle("/oauth/register", replies(test.answered))
			signIn(t, provider, connect.Options{}).wantError(t, credential.Configuration, test.text)
		})
	}
}

// The token is tried before Connect returns it (R-STDIO-3).
func TestTokenIsTried(t *testing.T) {
	tests := []struct {
		name   string
		schema reply
		class  credential.Class // empty: it is good
		text   string
	}{
		{name: "client", schema: reply{200, `{"bearer":{"token_kind":"client","grant_id":"grt_9"}}`}},
		{name: "client, wrapped", schema: reply{200, `{"data":{"bearer":{"token_kind":"client","grant_id":"grt_9"}}}`}},
		{
			name: "owner", schema: reply{200, `{"bearer":{"token_kind":"owner"}}`}, class: credential.Refused,
			text: "owner token",
		},
		{
			name: "package", schema: reply{200, `{"bearer":{"token_kind":"mcp_package"}}`}, class: credential.Refused,
			text: "one connection",
		},
		{
			name:   "package, without a kind (206)",
			schema: reply{404, `{"error":{"code":"not_found","message":"Unknown source: unknown","type":"not_found_error"}}`},
			class:  credential.Refused, text: "a package token, which is accepted only by the hosted MCP server at " +
				capturetest.Resource + "/mcp; it was not stored",
		},
		{
			name: "unknown", schema: reply{200, `{"bearer":{"token_kind":"super"}}`}, class: credential.Refused,
			text: `"super"`,
		},
		{name: "not said", schema: reply{200, `{"bearer":{"grant_id":"grt_9"}}`}},
		{
			name:   "owner, and a client in other letters",
			schema: reply{200, `{"bearer":{"token_kind":"owner","Token_Kind":"client"}}`}, class: credential.Refused,
			text: "owner token",
		},
		{
			name: "owner by its role", schema: reply{200, `{"bearer":{"token_kind":"client","role":"owner"}}`},
			class: credential.Refused, text: "owner token",
		},
		{
			name: "a kind that is not a string", schema: reply{200, `{"bearer":{"token_kind":7}}`}, class: credential.Refused,
			text: "not a string",
		},
		{
			name: "not accepted", schema: envelopeReply(401, "authentication_error"),
			class: credential.Configuration, text: "401",
		},
		{name: "a page", schema: reply{200, `<!DOCTYPE html>`}, class: credential.Configuration, text: "could not be tried"},
		{name: "out of order", schema: reply{503, ``}, class: credential.Unreachable, text: "could not be tried"},
		{
			name: "repeats the token", schema: reply{500, `{"error":{"code":"x","message":"` + agentToken + `"}}`},
			class: credential.Unreachable, text: "could not be tried",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			provider := playing(metadata, agentStart).Handle("/v1/schema", replies(test.schema)).
				Handle(pollPath, replies(reply{200, `{"access_token":"` + agentToken + `","token_type":"Bearer"}`}))
			got := signIn(t, provider, connect.Options{Access: connect.AccessRequest{Source: spotify}})
			if test.class == "" {
				got.wantToken(t, agentToken, "grt_9")
				return
			}
			got.wantError(t, test.class, test.text)
		})
	}
}

// The token is tried with the full schema if the server refuses the compact view.
func TestTokenIsTriedWithoutTheView(t *testing.T) {
	full := replies(reply{200, `{"bearer":{"token_kind":"client","grant_id":"grt_9"}}`})
	refused := replies(envelopeReply(400, "invalid_request"))
	provider := playing(metadata, agentStart).
		Handle("/v1/schema", func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Query().Has("view") {
				refused(w, r)
				return
			}
			full(w, r)
		}).
		Handle(pollPath, replies(reply{200, `{"access_token":"` + agentToken + `","token_type":"Bearer"}`}))
	signIn(t, provider, connect.Options{Access: connect.AccessRequest{Source: spotify}}).wantToken(t, agentToken, "grt_9")
}

// A token of another kind is refused by its token response, and is not tried.
func TestKindInTheTokenResponse(t *testing.T) {
	for name, test := range map[string]struct{ stated, says string }{
		"owner":                  {`"pdpp_token_kind":"owner"`, "owner token"},
		"owner by another name":  {`"token_kind":"client","role":"owner"`, "owner token"},
		"owner in other letters": {`"kind":" OWNER"`, "owner token"},
		"package":                {`"pdpp_token_kind":"mcp_package"`, "one connection"},
		"unknown":                {`"token_kind":"super"`, `"super"`},
		"not a string":           {`"kind":{}`, "not a string"},
		"twice":                  {`"token_kind":"owner","token_kind":"client"`, "has a duplicate member"},
	} {
		t.Run("token answer: "+name, func(t *testing.T) {
			answered := reply{200, `{"access_token":"` + agentToken + `","Access_Token":"x","grant_id":"grt_9",` +
				test.stated + `}`}
			agent := playing(metadata, agentStart).Handle("/v1/schema",
				replies(reply{200, `{"bearer":{"token_kind":"client"}}`})).
				Handle(pollPath, replies(answered))
			device := playing(metadata, []string{"560"}).Replace(withoutName...).
				Handle("/v1/schema", replies(reply{200, `{"bearer":{"token_kind":"client"}}`})).Handle("/oauth/token",
				replies(answered))
			for way, provider := range map[string]*capturetest.Provider{"agent": agent, "device": device} {
				got := signIn(t, provider,
					connect.Options{
						Access:   connect.AccessRequest{Source: spotify},
						ClientID: map[string]string{"device": "pdpp_cli"}[way],
					})
				if got.err == nil || !strings.Contains(got.err.Error(), test.says) || got.entry != nil {
					t.Errorf("%s: ended with %v, want %q", way, got.err, test.says)
				}
				if len(provider.Seen("/v1/schema")) > 0 {
					t.Errorf("%s: the token was sent to the resource server", way)
				}
			}
		})
	}
	t.Run("package by its id", func(t *testing.T) {
		provider := playing(metadata, agentStart).
			Handle(pollPath, replies(reply{200, `{"access_token":"` + agentToken + `","grant_package_id":"gpkg_1"}`}))
		signIn(t, provider, connect.Options{Access: connect.AccessRequest{Source: spotify}}).wantError(t, credential.Refused,
			"one connection")
		if len(provider.Seen("/v1/schema")) > 0 {
			t.Error("the package token was sent to the resource server")
		}
	})
}

// A revocation is sent to the issuer of the token, in a body (RFC 7009).
func TestRevoke(t *testing.T) {
	const revocation = `,"revocation_endpoint":"https://as.example/revoke"`
	tests := []struct {
		name, offers string
		answered     reply
		want         bool
		text         string // of the error; empty: none
	}{
		{"revoked", revocation, reply{200, ``}, true, ""},
		{"not offered", ``, reply{200, ``}, false, ""},
		{
			"refused", revocation,
			reply{400, `{"error":"invalid_client","error_description":"` + agentToken + `"}`},
			false,
			"invalid_client",
		},
		{"out of order", revocation, reply{503, ``}, false, "503"},
		{"moved", revocation, reply{307, ``}, false, "redirect"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			provider := capturetest.New().Handle("/revoke", replies(test.answered)).
				Handle(serverPath, replies(reply{200, `{"issuer":"https://as.example"` + test.offers + `}`}))
			token, err := rs.NewBearer(agentToken)
			if err != nil {
				t.Fatal(err)
			}
			entry := &credential.Entry{
				ProviderURL: "https://pdpp.example", AuthorizationServer: "https://as.example",
				Client: credential.Client{ClientID: "cli_1"}, Credential: credential.Credential{AccessToken: token},
			}
			revoked, err := connect.Revoke(t.Context(), entry, provider)
			checkSecrets(t, provider, err)
			if revoked != test.want || (err != nil) != (test.text != "") || err != nil &&
				!strings.Contains(err.Error(), test.text) {
				t.Errorf("gave %t and %v, want %t and %q", revoked, err, test.want, test.text)
			}
			want := "client_id=cli_1&token=" + agentToken + "&token_type_hint=access_token"
			if asked := provider.Seen("/revoke"); test.offers != "" &&
				(len(asked) != 1 || asked[0].Body != want || asked[0].Method != http.MethodPost) {
				t.Errorf("asked %+v", asked)
			}
		})
	}
}
