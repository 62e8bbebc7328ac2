package auth_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/server/auth"
)

// R-HOST-4, R-HOST-10, R-ERR-6: whatever an authorization server says, of itself and of a token, the credentials
// go to an https address only, and the caller is let in with a grant of a kind that is read with, or gets a
// refusal that repeats no secret.
func FuzzAuthorizationServer(f *testing.F) {
	const document = `{"issuer":"https://as.example.com","introspection_endpoint":"https://as.example.com/introspect"}`
	f.Add(document, clientAnswer)
	f.Add(document, `{"active":true,"pdpp_token_kind":"owner","aud":["x"],"exp":-1}`)
	f.Add(document, `{"active":true,"pdpp_token_kind":"mcp_package","package":{"members":[{"access_token":"m",`+
		`"status":"active"},{"access_token":"m"}]}}`)
	f.Add(`{"issuer":"https://as.example.com","introspection_endpoint":"http://169.254.169.254/"}`, `{"active":1}`)
	f.Add(`{"issuer":"https://as.example.com/","introspection_endpoint":"file:///etc/passwd"}`,
		`{"active":true,"active":false}`)
	f.Add(`[`, `{"active":true,"exp":1e400}`)
	f.Fuzz(func(t *testing.T, metadata, introspection string) {
		v, err := auth.NewVerifier(auth.Options{
			AuthorizationServer: "https://as.example.com", ClientID: "adapter", ClientSecret: rs.NewSecret(clientSecret),
			Audiences: []string{resource},
			Transport: transport(func(request *http.Request) (*http.Response, error) {
				if request.URL.Scheme != "https" || request.URL.User != nil {
					t.Errorf("asked %s", request.URL)
				}
				if request.Method == http.MethodGet {
					return response(metadata), nil
				}
				return response(introspection), nil
			}),
		})
		if err != nil {
			t.Fatal(err)
		}
		caller, err := v.Verify(t.Context(), bearer)
		if err != nil {
			refusal := asRefusal(t, caller, err)
			for _, planted := range []string{bearer, clientSecret} {
				if strings.Contains(refusal.Error(), planted) && !strings.Contains(metadata+introspection, planted) {
					t.Errorf("the refusal holds a secret: %v", refusal)
				}
			}
			return
		}
		if caller.Kind != rs.KindClient && caller.Kind != rs.KindPackage {
			t.Errorf("let in: %+v", caller)
		}
	})
}
