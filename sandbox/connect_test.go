package sandbox_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/oauth2"
)

// TestConnecting shares one sandbox, because loading the data takes its time.
func TestConnecting(t *testing.T) {
	shared := newConnecting(t)
	for name, test := range map[string]func(*connecting){
		"one connection gives a client token":   oneConnectionGivesAClientToken,
		"several connections give a package":    severalConnectionsGiveAPackage,
		"authorization_details bound the grant": authorizationDetailsBoundTheGrant,
		"web clients of other origins may call": otherOriginsMayCall,
	} {
		t.Run(name, func(t *testing.T) {
			c := *shared
			c.T = t
			test(&c)
			shared.secrets = c.secrets
		})
	}
}

func oneConnectionGivesAClientToken(c *connecting) {
	config := c.register("Mail reader")
	token := c.signIn(config, []oauth2.AuthCodeOption{oauth2.SetAuthURLParam("resource", c.origin+"/mcp")}, "cin_gmail_work")
	if status, ids := c.readable(token.AccessToken); status != http.StatusOK || !cmp.Equal(ids, []string{"cin_gmail_work"}) {
		c.Errorf("schema answers %d with %v", status, ids)
	}
	introspected := c.introspect(token.AccessToken)
	if !introspected.Active || introspected.Kind != "client" || introspected.ClientID != config.ClientID || introspected.GrantID == "" || token.Extra("grant_id") != introspected.GrantID {
		c.Errorf("introspection %+v, token names %v", introspected, token.Extra("grant_id"))
	}
	if want := `["` + c.origin + `","` + c.origin + `/mcp"]`; string(introspected.Audience) != want {
		c.Errorf("aud %s, want %s", introspected.Audience, want)
	}

	refreshed, err := config.TokenSource(c.ctx, &oauth2.Token{RefreshToken: token.RefreshToken}).Token()
	if err != nil {
		c.Fatal(err)
	}
	c.keep(refreshed)
	if refreshed.RefreshToken == token.RefreshToken || refreshed.AccessToken == token.AccessToken {
		c.Error("the refresh did not rotate the tokens")
	}
	if again := c.introspect(refreshed.AccessToken); !again.Active || again.GrantID != introspected.GrantID || string(again.Audience) != string(introspected.Audience) {
		c.Errorf("after the refresh: %+v", again)
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
			c.Errorf("revocation answered %d", status)
		}
		if c.introspect(step.ended).Active {
			c.Error("introspection says active after the revocation")
		}
		if status, _ := c.readable(step.ended); status != http.StatusUnauthorized && status != http.StatusForbidden {
			c.Errorf("a revoked token reads with %d", status)
		}
		if step.others != "" && !c.introspect(step.others).Active {
			c.Error("another token of the same grant ended too")
		}
	}
}

// R-PKG-1: several connections become a package whose members introspection publishes.
func severalConnectionsGiveAPackage(c *connecting) {
	config := c.register("Everything reader")
	token := c.signIn(config, nil, "cin_slack_team", "cin_gmail_personal", "cin_spotify")
	introspected := c.introspect(token.AccessToken)
	if !introspected.Active || introspected.Kind != "mcp_package" || introspected.PackageID == "" || token.Extra("grant_package_id") != introspected.PackageID {
		c.Errorf("introspection %+v", introspected)
	}
	if introspected.Package.Client.Display.Name != "Everything reader" || string(introspected.Audience) != `"`+c.origin+`"` {
		c.Errorf("package of %q for %s", introspected.Package.Client.Display.Name, introspected.Audience)
	}
	var connections []string
	for _, member := range introspected.Package.Members {
		c.secrets = append(c.secrets, member.AccessToken)
		connections = append(connections, member.ConnectionID)
		if status, ids := c.readable(member.AccessToken); status != http.StatusOK || !cmp.Equal(ids, []string{member.ConnectionID}) {
			c.Errorf("the member of %s: %d %v", member.ConnectionID, status, ids)
		}
	}
	if diff := cmp.Diff([]string{"cin_gmail_personal", "cin_spotify", "cin_slack_team"}, connections); diff != "" {
		c.Errorf("members (-want +got):\n%s", diff)
	}
	var ignored struct{}
	c.postForm("/oauth/revoke", url.Values{"token": {token.RefreshToken}, "client_id": {config.ClientID}}, &ignored)
	if c.introspect(token.AccessToken).Active || c.introspect(introspected.Package.Members[0].AccessToken).Active {
		c.Error("the package or its member is active after the revocation")
	}
}

// authorizationDetailsBoundTheGrant asks for one stream with two fields of mail.
func authorizationDetailsBoundTheGrant(c *connecting) {
	details := `[{"type":"https://pdpp.dev/data-access","source":{"kind":"connector","id":"https://registry.example/connectors/gmail"},
		"access_mode":"single_use","purpose_code":"https://pdpp.dev/purpose/personal_ai_assistant","purpose_description":"Reading subjects aloud",
		"streams":[{"name":"messages","instance_ids":["cin_gmail_personal"],"fields":["id","subject"],"time_range":{"until":"2026-01-10T00:00:00Z"}}]}]`
	asked := oauth2.SetAuthURLParam("authorization_details", details)
	config := c.register("Subject reader")
	page, err := c.owner.Open(c.ctx, config.AuthCodeURL("s", asked, oauth2.S256ChallengeOption(oauth2.GenerateVerifier())))
	if err != nil {
		c.Fatal(err)
	}
	if diff := cmp.Diff([]string{"cin_gmail_personal"}, page.Choices()); diff != "" {
		c.Errorf("choices (-want +got):\n%s", diff)
	}
	token := c.signIn(config, []oauth2.AuthCodeOption{asked}, "cin_gmail_personal")
	var answer struct {
		Data []struct {
			Data map[string]json.RawMessage `json:"data"`
		} `json:"data"`
		Error struct{ Code string } `json:"error"`
	}
	if status := c.get(c.origin+"/v1/streams/messages/records?limit=1", token.AccessToken, &answer); status != http.StatusOK ||
		len(answer.Data) != 1 || len(answer.Data[0].Data) != 3 || string(answer.Data[0].Data["received_at"]) >= `"2026-01-10"` {
		c.Errorf("messages: %d %+v, want three fields of one before January 10", status, answer)
	}
	if ends := time.Until(token.Expiry); token.RefreshToken != "" || ends < 23*time.Hour || ends > 24*time.Hour {
		c.Errorf("a single use has the refresh token %q and ends in %v", token.RefreshToken, ends)
	}
	for _, shown := range []string{"Reading subjects aloud", "ends after 24 hours", "How to take it back", "only id, subject, received_at; before 2026-01-10", " checked>"} {
		if !strings.Contains(page.Body, shown) {
			c.Errorf("the consent page does not say %q: %s", shown, page.Body)
		}
	}
	if status := c.get(c.origin+"/v1/streams/threads/records", token.AccessToken, &answer); status == http.StatusOK {
		c.Error("a stream that was not asked for can be read")
	}
	granted, _ := token.Extra("authorization_details").([]any)
	if len(granted) != 1 {
		c.Errorf("the token answer names the details %v", token.Extra("authorization_details"))
	}
}

// They discover, register and redeem.
func otherOriginsMayCall(c *connecting) {
	handler := c.box.Handler()
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
		handler.ServeHTTP(recorder, preflight)
		header := recorder.Header()
		if recorder.Code != http.StatusNoContent || header.Get("Access-Control-Allow-Origin") != "*" ||
			!strings.Contains(header.Get("Access-Control-Allow-Methods"), method) ||
			!strings.Contains(header.Get("Access-Control-Allow-Headers"), "Content-Type") ||
			header.Get("Access-Control-Allow-Credentials") != "" {
			c.Errorf("%s: preflight answered %d %v", path, recorder.Code, header)
		}
		recorder = httptest.NewRecorder()
		handler.ServeHTTP(recorder, httptest.NewRequest(method, path, strings.NewReader("")))
		if recorder.Header().Get("Access-Control-Allow-Origin") != "*" {
			c.Errorf("%s: %s may not be read by other origins", path, method)
		}
	}
}
