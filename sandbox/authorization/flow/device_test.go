package flow_test

import (
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/oauth2"

	"github.com/pdppmcp/pdpp-mcp/e2e/flowtest"
)

const (
	deviceGrant = "urn:ietf:params:oauth:grant-type:device_code"
	musicOnly   = `[{"type":"https://pdpp.dev/data-access","source":{"kind":"connector",` +
		`"id":"https://registry.example/connectors/spotify"},"access_mode":"continuous",` +
		`"purpose_code":"https://pdpp.dev/purpose/personal_ai_assistant","streams":[{"name":"*"}]}]`
)

// TestDeviceAuthorization lets x/oauth2 poll while the owner decides, in a time that passes only while
// everyone waits.
func TestDeviceAuthorization(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t)
		config := f.register()
		device, err := config.DeviceAuth(f.ctx, oauth2.SetAuthURLParam("resource", issuer+"/mcp"),
			oauth2.SetAuthURLParam("authorization_details", musicOnly))
		if err != nil {
			t.Fatal(err)
		}
		if device.Interval != 2 || device.VerificationURI != issuer+"/oauth/device" ||
			!strings.Contains(device.VerificationURIComplete, device.UserCode) {
			t.Errorf("device authorization %+v", device)
		}
		time.AfterFunc(7*time.Second, func() {
			if page, err := f.owner.Approve(f.ctx, device.VerificationURIComplete, "cin_spotify"); err != nil ||
				len(page.Choices()) > 0 {
				t.Errorf("approval: %d %v", page.Status, err)
			}
		})
		token, err := config.DeviceAccessToken(f.ctx, device)
		if err != nil {
			t.Fatal(err)
		}
		if introspected := f.postForm("/introspect", "token", token.AccessToken); introspected.text("pdpp_token_kind") != "client" ||
			string(introspected.body["aud"]) != `["`+issuer+`","`+issuer+`/mcp"]` || introspected.text("grant_id") != token.Extra("grant_id") {
			t.Errorf("introspection %s", introspected.body)
		}
		if left := time.Until(token.Expiry); left < 29*24*time.Hour {
			t.Errorf("the token of a command line client lives %s", left)
		}
	})
}

func TestDevicePolling(t *testing.T) {
	f := newFixture(t)
	config := f.register()
	start := func(pairs ...string) answer {
		t.Helper()
		started := f.postForm("/oauth/device_authorization", append([]string{"client_id", config.ClientID}, pairs...)...)
		if started.status != 200 {
			t.Fatalf("device authorization answered %d %s", started.status, started.code())
		}
		return started
	}
	poll := func(device answer) answer {
		return f.postForm("/oauth/token", "grant_type", deviceGrant, "client_id", config.ClientID, "device_code",
			device.text("device_code"))
	}
	expect := func(got answer, code string) {
		t.Helper()
		if got.status != 400 || got.code() != code {
			t.Errorf("answered %d %s, want %s", got.status, got.code(), code)
		}
	}

	approved := start("resource", issuer, "authorization_details", musicOnly)
	expect(poll(approved), "authorization_pending")
	expect(poll(approved), "slow_down")
	f.advance(3 * time.Second) // two seconds have become seven
	expect(poll(approved), "slow_down")
	f.advance(13 * time.Second)
	expect(poll(approved), "authorization_pending")
	page, err := f.owner.Approve(f.ctx, approved.text("verification_uri_complete"), "cin_spotify")
	if err != nil || page.Status != 200 || !strings.Contains(page.Body, "Access approved") {
		t.Fatalf("approval: %d %v", page.Status, err)
	}
	f.advance(20 * time.Second)
	token := poll(approved)
	if token.status != 200 || !f.active(token.text("access_token")) || token.text("grant_id") == "" {
		t.Fatalf("the poll after the approval answered %d %s", token.status, token.body)
	}
	expect(poll(approved), "invalid_grant") // a device code works once, like any code
	if f.active(token.text("access_token")) {
		t.Error("the token outlived the reuse of its device code")
	}

	denied := start()
	if page, err := f.owner.Deny(f.ctx, denied.text("verification_uri_complete")); err != nil ||
		!strings.Contains(page.Body, "Access denied") {
		t.Errorf("denial: %d %v", page.Status, err)
	}
	expect(poll(denied), "access_denied")

	expired := start()
	f.advance(301 * time.Second)
	expect(poll(expired), "expired_token")
	if _, err := f.owner.Approve(f.ctx, expired.text("verification_uri_complete"), "cin_spotify"); err == nil {
		t.Error("an expired request can be approved")
	}

	stranger := f.register()
	expect(f.postForm("/oauth/token", "grant_type", deviceGrant, "client_id", stranger.ClientID, "device_code",
		start().text("device_code")), "invalid_grant")
	expect(f.postForm("/oauth/token", "grant_type", deviceGrant, "client_id", config.ClientID, "device_code", "unknown"),
		"invalid_grant")
	expect(f.postForm("/oauth/device_authorization", "client_id", config.ClientID, "resource", "http://elsewhere.example"),
		"invalid_target")
	expect(f.postForm("/oauth/device_authorization", "client_id", config.ClientID, "authorization_details", "{}"),
		"invalid_authorization_details")
	if unknown := f.postForm("/oauth/device_authorization", "client_id", "cli_unknown"); unknown.status != 401 ||
		unknown.code() != "invalid_client" {
		t.Errorf("an unknown client: %d %s", unknown.status, unknown.code())
	}
}

// RFC 8628, section 6.1: people type codes in their own way.
func TestUserCodePage(t *testing.T) {
	f := newFixture(t)
	config := f.register()
	started := f.postForm("/oauth/device_authorization", "client_id", config.ClientID)
	code := started.text("user_code")
	typed := strings.ToLower(code[:4]) + "-" + code[4:]
	for query, want := range map[string]struct {
		status int
		text   string
	}{
		"":                                     {200, `name="user_code"`},
		"?user_code=unknown":                   {400, "No device waits with this code"},
		"?user_code=" + url.QueryEscape(typed): {200, `type="radio" name="connection_id"`},
	} {
		page, err := f.owner.Open(f.ctx, issuer+"/oauth/device"+query)
		if err != nil || page.Status != want.status || !strings.Contains(page.Body, want.text) {
			t.Errorf("%s: %d %v, want %d with %q", query, page.Status, err, want.status, want.text)
		}
	}
	// A device reads one connection.
	if page, err := f.owner.Approve(f.ctx, issuer+"/oauth/device?user_code="+code, "cin_spotify",
		"cin_slack_team"); err != nil || page.Status != 400 ||
		!strings.Contains(page.Body, "This application can read one connection.") {
		t.Errorf("approval of two: %d %v", page.Status, err)
	}
	// One that was shown to another browser does not count either.
	if page, err := flowtest.New(f.network).Approve(f.ctx, issuer+"/oauth/device?user_code="+code,
		"cin_spotify"); err != nil || page.Status != 200 {
		t.Errorf("approval: %d %v", page.Status, err)
	}
}
