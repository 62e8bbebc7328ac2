package sandbox_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/oauth2"

	"github.com/pdppmcp/pdpp-mcp/runtime/sandbox"
	"github.com/pdppmcp/pdpp-mcp/runtime/sandbox/authorization/flowtest"
)

// network is an http.RoundTripper that remembers every address that was asked.
type network struct {
	mu        sync.Mutex
	addresses []string
}

func (n *network) RoundTrip(r *http.Request) (*http.Response, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.addresses = append(n.addresses, r.URL.String())
	response, err := http.DefaultTransport.RoundTrip(r)
	if err == nil {
		n.addresses = append(n.addresses, response.Header.Get("Location"))
	}
	return response, err
}

// connecting is a sandbox on a port, with an owner and what the network saw of them.
type connecting struct {
	*testing.T
	box     *sandbox.Sandbox
	origin  string
	network *network
	owner   *flowtest.Owner
	ctx     context.Context // with the client that x/oauth2 uses
	secrets []string        // every token that was handed out
}

func newConnecting(t *testing.T) *connecting {
	t.Helper()
	var logged bytes.Buffer
	was, writer, flags := slog.Default(), log.Writer(), log.Flags()
	slog.SetDefault(slog.New(slog.NewTextHandler(&logged, &slog.HandlerOptions{Level: slog.LevelDebug})))
	p := newReplayer(t)
	n := &network{}
	c := &connecting{
		T: t, box: p.box, origin: p.server.URL, network: n, owner: flowtest.New(n),
		ctx: context.WithValue(t.Context(), oauth2.HTTPClient, &http.Client{Transport: n}),
	}
	t.Cleanup(func() {
		slog.SetDefault(was)
		log.SetOutput(writer) // SetDefault has turned the standard logger to the handler
		log.SetFlags(flags)
		c.checkSecrets(logged.String())
	})
	return c
}

// checkSecrets holds every token to where tokens may stand: in bodies and in the Authorization header.
func (c *connecting) checkSecrets(logged string) {
	if len(c.secrets) == 0 {
		c.Error("the test got no token, so it shows nothing about where tokens stand")
	}
	for _, secret := range c.secrets {
		if strings.Contains(logged, secret) {
			c.Error("a token stands in the log")
		}
		if slices.ContainsFunc(c.network.addresses, func(address string) bool { return strings.Contains(address, secret) }) {
			c.Error("a token stands in an address")
		}
	}
}

func (c *connecting) register(name string) *oauth2.Config {
	c.Helper()
	config, err := flowtest.Register(c.ctx, c.network, c.origin, name)
	if err != nil {
		c.Fatal(err)
	}
	return config
}

// signIn goes through the authorization code flow with PKCE.
func (c *connecting) signIn(config *oauth2.Config, options []oauth2.AuthCodeOption, connectionIDs ...string) *oauth2.Token {
	c.Helper()
	verifier := oauth2.GenerateVerifier()
	address := config.AuthCodeURL("state-1", append(options, oauth2.S256ChallengeOption(verifier))...)
	page, err := c.owner.Approve(c.ctx, address, connectionIDs...)
	if err != nil || page.Location == nil {
		c.Fatalf("approve: %v: %d %s", err, page.Status, page.Body)
	}
	answer := page.Location.Query()
	if answer.Get("state") != "state-1" || answer.Get("iss") != c.origin || !strings.HasPrefix(page.Location.String(), config.RedirectURL) {
		c.Errorf("sent back to %s", page.Location)
	}
	token, err := config.Exchange(c.ctx, answer.Get("code"), oauth2.VerifierOption(verifier))
	if err != nil {
		c.Fatal(err)
	}
	c.keep(token)
	return token
}

func (c *connecting) keep(token *oauth2.Token) {
	c.secrets = append(c.secrets, token.AccessToken)
	if token.RefreshToken != "" {
		c.secrets = append(c.secrets, token.RefreshToken)
	}
}

// readable asks GET /v1/schema, and lists the connections that it names.
func (c *connecting) readable(token string) (int, []string) {
	c.Helper()
	var schema struct {
		Connectors []struct {
			Connections []struct {
				ID string `json:"connection_id"`
			} `json:"granted_connections"`
		} `json:"connectors"`
	}
	status := c.get(c.origin+"/v1/schema?view=compact", token, &schema)
	var ids []string
	for _, connector := range schema.Connectors {
		for _, connection := range connector.Connections {
			ids = append(ids, connection.ID)
		}
	}
	return status, ids
}

func (c *connecting) get(address, token string, into any) int {
	c.Helper()
	request, err := http.NewRequestWithContext(c.ctx, http.MethodGet, address, nil)
	if err != nil {
		c.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+token)
	return c.send(request, into)
}

func (c *connecting) postForm(path string, form url.Values, into any) int {
	c.Helper()
	request, err := http.NewRequestWithContext(c.ctx, http.MethodPost, c.origin+path, strings.NewReader(form.Encode()))
	if err != nil {
		c.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if path == "/introspect" {
		caller := c.box.Authorization().Caller()
		request.SetBasicAuth(caller.ID, caller.Secret)
	}
	return c.send(request, into)
}

func (c *connecting) postJSON(path, body string, into any) int {
	c.Helper()
	request, err := http.NewRequestWithContext(c.ctx, http.MethodPost, c.origin+path, strings.NewReader(body))
	if err != nil {
		c.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	return c.send(request, into)
}

func (c *connecting) send(request *http.Request, into any) int {
	c.Helper()
	response, err := (&http.Client{Transport: c.network}).Do(request)
	if err != nil {
		c.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		c.Fatal(err)
	}
	if err := json.Unmarshal(body, into); err != nil {
		c.Fatalf("%s: %v: %s", request.URL.Path, err, body)
	}
	return response.StatusCode
}

// introspected is what the adapter reads of an introspection answer.
type introspected struct {
	Active    bool            `json:"active"`
	Kind      string          `json:"pdpp_token_kind"`
	GrantID   string          `json:"grant_id"`
	PackageID string          `json:"grant_package_id"`
	ClientID  string          `json:"client_id"`
	Audience  json.RawMessage `json:"aud"`
	Package   struct {
		Client struct {
			Display struct{ Name string } `json:"client_display"`
		} `json:"client"`
		Members []struct {
			Status       string `json:"status"`
			GrantID      string `json:"grant_id"`
			ConnectionID string `json:"connection_id"`
			AccessToken  string `json:"access_token"`
		} `json:"members"`
	} `json:"package"`
}

func (c *connecting) introspect(token string) introspected {
	c.Helper()
	var answer introspected
	if status := c.postForm("/introspect", url.Values{"token": {token}}, &answer); status != http.StatusOK {
		c.Fatalf("introspection answered %d", status)
	}
	return answer
}

func TestOneConnectionGivesAClientToken(t *testing.T) {
	c := newConnecting(t)
	config := c.register("Mail reader")
	token := c.signIn(config, []oauth2.AuthCodeOption{oauth2.SetAuthURLParam("resource", c.origin+"/mcp")}, "cin_gmail_work")
	if status, ids := c.readable(token.AccessToken); status != http.StatusOK || !cmp.Equal(ids, []string{"cin_gmail_work"}) {
		t.Errorf("schema answers %d with %v", status, ids)
	}
	told := c.introspect(token.AccessToken)
	if !told.Active || told.Kind != "client" || told.ClientID != config.ClientID || told.GrantID == "" || token.Extra("grant_id") != told.GrantID {
		t.Errorf("introspection %+v, token names %v", told, token.Extra("grant_id"))
	}
	if want := `["` + c.origin + `","` + c.origin + `/mcp"]`; string(told.Audience) != want {
		t.Errorf("aud %s, want %s", told.Audience, want)
	}

	refreshed, err := config.TokenSource(c.ctx, &oauth2.Token{RefreshToken: token.RefreshToken}).Token()
	if err != nil {
		t.Fatal(err)
	}
	c.keep(refreshed)
	if refreshed.RefreshToken == token.RefreshToken || refreshed.AccessToken == token.AccessToken {
		t.Error("the refresh did not rotate the tokens")
	}
	if again := c.introspect(refreshed.AccessToken); !again.Active || again.GrantID != told.GrantID || string(again.Audience) != string(told.Audience) {
		t.Errorf("after the refresh: %+v", again)
	}

	// RFC 7009: an access token ends alone, a refresh token with everything of its grant.
	var ignored struct{}
	for _, step := range []struct {
		revoked string
		ended   string
		others  string // still active, if not empty
	}{
		{revoked: token.AccessToken, ended: token.AccessToken, others: refreshed.AccessToken},
		{revoked: refreshed.RefreshToken, ended: refreshed.AccessToken},
	} {
		if status := c.postForm("/oauth/revoke", url.Values{"token": {step.revoked}, "client_id": {config.ClientID}}, &ignored); status != http.StatusOK {
			t.Errorf("revocation answered %d", status)
		}
		if c.introspect(step.ended).Active {
			t.Error("introspection says active after the revocation")
		}
		if status, _ := c.readable(step.ended); status != http.StatusUnauthorized && status != http.StatusForbidden {
			t.Errorf("a revoked token reads with %d", status)
		}
		if step.others != "" && !c.introspect(step.others).Active {
			t.Error("another token of the same grant ended too")
		}
	}
}

// R-PKG-1: several connections become a package whose members introspection publishes.
func TestSeveralConnectionsGiveAPackage(t *testing.T) {
	c := newConnecting(t)
	config := c.register("Everything reader")
	token := c.signIn(config, nil, "cin_slack_team", "cin_gmail_personal", "cin_spotify")
	told := c.introspect(token.AccessToken)
	if !told.Active || told.Kind != "mcp_package" || told.PackageID == "" || token.Extra("grant_package_id") != told.PackageID {
		t.Errorf("introspection %+v", told)
	}
	if told.Package.Client.Display.Name != "Everything reader" || string(told.Audience) != `"`+c.origin+`"` {
		t.Errorf("package of %q for %s", told.Package.Client.Display.Name, told.Audience)
	}
	var connections []string
	for _, member := range told.Package.Members {
		c.secrets = append(c.secrets, member.AccessToken)
		connections = append(connections, member.ConnectionID)
		if status, ids := c.readable(member.AccessToken); status != http.StatusOK || !cmp.Equal(ids, []string{member.ConnectionID}) {
			t.Errorf("the member of %s: %d %v", member.ConnectionID, status, ids)
		}
	}
	if diff := cmp.Diff([]string{"cin_gmail_personal", "cin_spotify", "cin_slack_team"}, connections); diff != "" {
		t.Errorf("members (-want +got):\n%s", diff)
	}
	var ignored struct{}
	c.postForm("/oauth/revoke", url.Values{"token": {token.RefreshToken}, "client_id": {config.ClientID}}, &ignored)
	if c.introspect(token.AccessToken).Active || c.introspect(told.Package.Members[0].AccessToken).Active {
		t.Error("the package or its member is active after the revocation")
	}
}

// TestAuthorizationDetailsBoundTheGrant asks for one stream with two fields of mail.
func TestAuthorizationDetailsBoundTheGrant(t *testing.T) {
	c := newConnecting(t)
	details := `[{"type":"https://pdpp.dev/data-access","source":{"kind":"connector","id":"https://registry.example/connectors/gmail"},
		"streams":[{"name":"messages","fields":["id","subject"]}]}]`
	asked := oauth2.SetAuthURLParam("authorization_details", details)
	config := c.register("Subject reader")
	page, err := c.owner.Open(c.ctx, config.AuthCodeURL("s", asked, oauth2.S256ChallengeOption(oauth2.GenerateVerifier())))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"cin_gmail_personal", "cin_gmail_work"}, page.Choices()); diff != "" {
		t.Errorf("choices (-want +got):\n%s", diff)
	}
	token := c.signIn(config, []oauth2.AuthCodeOption{asked}, "cin_gmail_personal")
	var answer struct {
		Data []struct {
			Data map[string]json.RawMessage `json:"data"`
		} `json:"data"`
		Error struct{ Code string } `json:"error"`
	}
	if status := c.get(c.origin+"/v1/streams/messages/records?limit=1", token.AccessToken, &answer); status != http.StatusOK ||
		len(answer.Data) != 1 || len(answer.Data[0].Data) != 2 {
		t.Errorf("messages: %d %+v", status, answer)
	}
	if status := c.get(c.origin+"/v1/streams/threads/records", token.AccessToken, &answer); status == http.StatusOK {
		t.Error("a stream that was not asked for can be read")
	}
	granted, _ := token.Extra("authorization_details").([]any)
	if len(granted) != 1 {
		t.Errorf("the token answer names the details %v", token.Extra("authorization_details"))
	}
}

// Web clients of other origins discover, register and redeem.
func TestOtherOriginsMayCall(t *testing.T) {
	p := newReplayer(t)
	for path, method := range map[string]string{
		"/.well-known/oauth-authorization-server": http.MethodGet, "/.well-known/oauth-protected-resource": http.MethodGet,
		"/oauth/register": http.MethodPost, "/oauth/token": http.MethodPost, "/oauth/revoke": http.MethodPost,
		"/oauth/device_authorization": http.MethodPost, "/agent-connect": http.MethodPost,
	} {
		preflight := httptest.NewRequest(http.MethodOptions, path, nil)
		preflight.Header.Set("Origin", "https://chat.example")
		preflight.Header.Set("Access-Control-Request-Method", method)
		preflight.Header.Set("Access-Control-Request-Headers", "content-type, mcp-protocol-version")
		recorder := httptest.NewRecorder()
		p.box.Handler().ServeHTTP(recorder, preflight)
		header := recorder.Header()
		if recorder.Code != http.StatusNoContent || header.Get("Access-Control-Allow-Origin") != "*" ||
			!strings.Contains(header.Get("Access-Control-Allow-Methods"), method) ||
			!strings.Contains(header.Get("Access-Control-Allow-Headers"), "Content-Type") ||
			header.Get("Access-Control-Allow-Credentials") != "" {
			t.Errorf("%s: preflight answered %d %v", path, recorder.Code, header)
		}
		recorder = httptest.NewRecorder()
		p.box.Handler().ServeHTTP(recorder, httptest.NewRequest(method, path, strings.NewReader("")))
		if recorder.Header().Get("Access-Control-Allow-Origin") != "*" {
			t.Errorf("%s: %s may not be read by other origins", path, method)
		}
	}
}
