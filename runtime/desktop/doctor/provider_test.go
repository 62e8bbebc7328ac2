package doctor_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/desktop/doctor"
	"github.com/pdppmcp/pdpp-mcp/runtime/grant/credential"
)

// Responses of a provider, and the findings.
func TestProviders(t *testing.T) {
	for _, test := range []struct {
		name  string
		path  string
		body  string // empty: not found
		id    string
		state doctor.State
		class credential.Class
		says  string
	}{
		{
			"no servers", "/.well-known/oauth-protected-resource", `{"resource":"ORIGIN"}`, "resource_metadata", doctor.Failed,
			credential.Configuration, "names no authorization server",
		},
		{
			"another resource", "/.well-known/oauth-protected-resource",
			`{"resource":"https://bank.example","authorization_servers":["ORIGIN"]}`, "resource_metadata", doctor.Failed,
			credential.Configuration, "another resource",
		},
		{
			"another issuer", "/.well-known/oauth-authorization-server", `{"issuer":"https://other.example"}`,
			"authorization_server", doctor.Failed, credential.Configuration, "another issuer",
		},
		{
			"no sign-in", "/.well-known/oauth-authorization-server", `{"issuer":"ORIGIN"}`, "authorization_server",
			doctor.Failed, credential.Configuration, "no sign-in",
		},
		{
			"device only", "/.well-known/oauth-authorization-server",
			`{"issuer":"ORIGIN","token_endpoint":"ORIGIN/t","device_authorization_endpoint":"ORIGIN/d"}`, "authorization_server",
			doctor.OK, "", "device authorization",
		},
		{
			"an owner token", "/v1/schema", `{"bearer":{"token_kind":"owner"}}`, "token_kind", doctor.Failed,
			credential.Refused, `"owner"`,
		},
		{
			"a package token", "/v1/schema", `{"bearer":{"token_kind":"mcp_package"}}`, "token_kind", doctor.Failed,
			credential.Refused, `only by the hosted MCP server at `,
		},
		{
			"an owner by its role", "/v1/schema", `{"bearer":{"token_kind":"client","role":"owner","Role":"client"}}`,
			"token_kind", doctor.Failed, credential.Refused, `"owner"`,
		},
		{
			"a kind that is not a string", "/v1/schema", `{"bearer":{"token_kind":1}}`, "token_kind", doctor.Failed,
			credential.Refused, "not a string",
		},
		{
			"no kind", "/v1/schema", `{"connectors":[]}`, "token_kind", doctor.Note, "",
			"does not report the kind of the token; it is treated as a client's",
		},
		{
			"no kind, and read on", "/v1/schema", `{"connectors":[{"streams":[{"name":"s"}],"granted_connections":[]}]}`,
			"schema", doctor.OK, "", "1 stream",
		},
		{
			"wrapped once more", "/v1/schema",
			`{"data":{"bearer":{"token_kind":"client"},"connectors":[{"streams":[{"name":"s"}],"granted_connections":[]}]}}`,
			"schema", doctor.OK, "", "0 connections, 1 stream",
		},
		{
			"nothing granted", "/v1/schema", `{"bearer":{"token_kind":"client"},"connectors":[]}`, "schema", doctor.Failed,
			credential.Configuration, "covers no stream",
		},
		{"no resource server", "/v1/schema", "", "token_kind", doctor.Failed, credential.Unreachable, "404"},
		{"a page", "/v1/schema", "<!DOCTYPE html>", "token_kind", doctor.Failed, credential.Unreachable, "not JSON"},
		{"no semantic search", "/v1/search/semantic", "", "search_semantic", doctor.Note, "", "not available (404"},
		{
			"broken semantic search", "/v1/search/semantic", "<", "search_semantic", doctor.Failed,
			credential.Unreachable, "not JSON",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			bodies := healthy()
			delete(bodies, test.path)
			if test.body != "" {
				bodies[test.path] = test.body
			}
			results, _ := examined(t, options(provider(t, bodies).URL))
			want(t, results, test.id, test.state, test.class, test.says)
		})
	}
}

// For an address with the path of a page, the fix has the provider's own address.
func TestWrongPathIsCorrected(t *testing.T) {
	url := provider(t, healthy()).URL
	results, _ := examined(t, options(url+"/mcp"))
	want(t, results, "resource_metadata", doctor.Failed, credential.Configuration,
		url+"/mcp is not a PDPP provider: it has no metadata: 404")
	if found := results["resource_metadata"]; strings.Count(found.Detail, url) != 1 ||
		found.Fix != "pdpp-mcp doctor --provider-url "+url {
		t.Errorf("found %q, with the fix %q", found.Detail, found.Fix)
	}
}

// No command of this machine fixes an unreachable provider.
func TestUnreachableProviderHasNoCommand(t *testing.T) {
	server := provider(t, healthy())
	server.Close()
	results, _ := examined(t, options(server.URL))
	want(t, results, "connection", doctor.Failed, credential.Unreachable, "cannot be reached")
	want(t, results, "resource_metadata", doctor.Skipped, "", "needs Connection")
	if found := results["connection"]; found.Fix != "" ||
		!strings.Contains(found.Advice, "check that the provider is running") {
		t.Errorf("the fix is %q, with the advice %q", found.Fix, found.Advice)
	}
}

// A redirect is never followed, with or without the token.
func TestRedirectsAreNotFollowed(t *testing.T) {
	var elsewhere atomic.Int32
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { elsewhere.Add(1) }))
	defer other.Close()
	moved := httptest.NewServer(http.RedirectHandler(other.URL, http.StatusFound))
	defer moved.Close()
	results, _ := examined(t, options(moved.URL))
	want(t, results, "resource_metadata", doctor.Failed, credential.Configuration, "redirect")
	want(t, results, "token_kind", doctor.Failed, credential.Unreachable, "redirect")
	if elsewhere.Load() != 0 {
		t.Errorf("%d requests went elsewhere", elsewhere.Load())
	}
}

// A credential is reported shortly before it expires.
func TestCredentialsNearExpiry(t *testing.T) {
	server := provider(t, healthy())
	cache, asked := cached(t, server.URL)
	store(t, cache, server.URL, "ending", credential.Credential{ExpiresAt: time.Now().Add(2 * day)})
	results, _ := examined(t, asked)
	want(t, results, "cache_file", doctor.OK, "", "0600")
	want(t, results, "credential", doctor.Note, "", "expires soon")
	if fix := results["credential"].Fix; fix != "pdpp-mcp connect "+server.URL+" --cache-root "+cache.Root {
		t.Errorf("the fix is %q", fix)
	}
	want(t, results, "schema", doctor.OK, "", "2 streams")
}
