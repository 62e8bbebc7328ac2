package auth_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/server/auth"
)

// discovering returns a Verifier that finds the endpoint in the metadata.
func discovering(options *auth.Options) { options.IntrospectionURL = "" }

// The metadata is read once, with the first token.
func TestDiscovery(t *testing.T) {
	as := newAuthority(t, answer(clientAnswer))
	v, _ := verifier(t, as, discovering)
	if len(as.Discovered()) != 0 {
		t.Error("the metadata was read before any token came")
	}
	admitted(t, v, bearer)
	admitted(t, v, bearer+"2")
	seen := as.Discovered()
	if len(seen) != 1 || seen[0].Method != http.MethodGet || seen[0].Target != "/.well-known/oauth-authorization-server" ||
		seen[0].HadBasic {
		t.Errorf("the authorization server saw %+v", seen)
	}
	if len(as.Introspected()) != 2 {
		t.Errorf("%d introspections", len(as.Introspected()))
	}
}

// R-HOST-2: a challenge names the scope that clients should request if the metadata lists it, also if the introspection
// URL is configured.
func TestScope(t *testing.T) {
	for scopes, want := range map[string]string{
		`["openid","pdpp:read"]`: auth.Scope, `["openid"]`: "", `[]`: "", `"pdpp:read"`: "", `[1,{}]`: "", `null`: "",
	} {
		for _, change := range []func(*auth.Options){discovering, func(*auth.Options) {}} {
			as := newAuthority(t, answer(clientAnswer))
			as.SetMetadata(naming(as.URL,
				answer(`{"issuer":"ISSUER","introspection_endpoint":"ISSUER/introspect","scopes_supported":`+scopes+`}`)))
			v, _ := verifier(t, as, change)
			before, err := v.Scope(), v.ReadMetadata(t.Context())
			if got := v.Scope(); err != nil || before != "" || got != want {
				t.Errorf("%s: scope %q, before %q (%v), want %q", scopes, got, before, err, want)
			}
			admitted(t, v, bearer)
			if seen := as.Discovered(); len(seen) != 1 {
				t.Errorf("the metadata was read %d times", len(seen))
			}
		}
	}
	scoped := auth.Challenge{PublicOrigin: resource, Scope: auth.Scope}
	want := `Bearer error="insufficient_scope", resource_metadata="` + resource + auth.MCPMetadataPath +
		`", scope="pdpp:read"`
	if got := scoped.Authenticate(&auth.Refusal{Status: 403, Challenge: "insufficient_scope"}); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// RFC 8414, section 3.1: an issuer's path comes after the well-known part.
func TestDiscoveryOfIssuerWithPath(t *testing.T) {
	as := newAuthority(t, answer(clientAnswer))
	as.SetMetadata(answer(`{"issuer":"` + as.URL + `/tenant/one","introspection_endpoint":"` + as.URL + `/introspect"}`))
	v, _ := verifier(t, as, discovering, func(options *auth.Options) { options.AuthorizationServer += "/tenant/one/" })
	admitted(t, v, bearer)
	if seen := as.Discovered(); len(seen) != 1 || seen[0].Target != "/.well-known/oauth-authorization-server/tenant/one" {
		t.Errorf("the authorization server saw %+v", seen)
	}
}

// R-HOST-4: unusable metadata admits no token, sends no token, and is read again.
func TestFailedDiscoveryIsTriedAgain(t *testing.T) {
	const good = `{"issuer":"ISSUER","introspection_endpoint":"ISSUER/introspect"}`
	for name, metadata := range map[string]http.HandlerFunc{
		"not found": http.NotFound,
		"HTML":      typed("text/html", 200, "<html>"),
		"redirect": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r,
				"/elsewhere", http.StatusFound)
		},
		"no endpoint":                           answer(`{"issuer":"ISSUER"}`),
		"endpoint is one":                       answer(`{"issuer":"ISSUER","introspection_endpoint":1}`),
		"endpoint is a file, not a web address": answer(`{"issuer":"ISSUER","introspection_endpoint":"file:///introspect"}`),
		"endpoint has credentials": answer(
			`{"issuer":"ISSUER","introspection_endpoint":"http://a:b@127.0.0.1/introspect"}`),
		"another issuer": answer(
			`{"issuer":"https://evil.example","introspection_endpoint":"ISSUER/introspect"}`),
		"no issuer": answer(`{"introspection_endpoint":"ISSUER/introspect"}`),
		"too large": answer(`{"x":"` + strings.Repeat("x", 256<<10) + `"}`),
		"names the endpoint twice, in two minds": answer(
			`{"issuer":"ISSUER","introspection_endpoint":"ISSUER/introspect","introspection_endpoint":"http://evil.example"}`),
	} {
		t.Run(name, func(t *testing.T) {
			as := newAuthority(t, answer(clientAnswer))
			as.SetMetadata(naming(as.URL, metadata))
			v, _ := verifier(t, as, discovering)
			expect(t, refused(t, v, bearer), 503, "authorization_unavailable", "")
			if asked := as.Introspected(); len(asked) != 0 {
				t.Errorf("the token was sent on: %+v", asked)
			}
			as.SetMetadata(naming(as.URL, answer(good)))
			admitted(t, v, bearer)
		})
	}
}

// naming puts the issuer's URL, which is not known before the server runs, into an answer.
func naming(issuer string, metadata http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		recorded := httptest.NewRecorder()
		metadata(recorded, r)
		for name, values := range recorded.Header() {
			w.Header()[name] = values
		}
		w.WriteHeader(recorded.Code)
		_, _ = w.Write([]byte(strings.ReplaceAll(recorded.Body.String(), "ISSUER", issuer)))
	}
}

// An https issuer cannot move credentials to http.
func TestDiscoveryKeepsTLS(t *testing.T) {
	var asked []string
	v, err := auth.NewVerifier(auth.Options{
		AuthorizationServer: "https://as.example.com", ClientID: "adapter", ClientSecret: rs.NewSecret("s"),
		Audiences: []string{resource},
		Transport: transport(func(request *http.Request) (*http.Response, error) {
			asked = append(asked, request.URL.String())
			return response(`{"issuer":"https://as.example.com","introspection_endpoint":"http://as.example.com/introspect"}`),
				nil
		}),
	})
	if err != nil {
		t.Fatal(err)
	}
	expect(t, refused(t, v, bearer), 503, "authorization_unavailable", "")
	if diff := cmp.Diff([]string{"https://as.example.com/.well-known/oauth-authorization-server"}, asked); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
}
