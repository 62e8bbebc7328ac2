package auth_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/golden"
	"github.com/pdppmcp/pdpp-mcp/runtime/server/auth"
)

var challenge = auth.Challenge{PublicOrigin: resource, RequestID: "req_1"}

// R-HOST-2, R-HOST-10: refusals are byte for byte those of the goldens.
func TestChallengeGolden(t *testing.T) {
	introspected := func(text string) func(*testing.T) error {
		return func(t *testing.T) error {
			v, _ := verifier(t, newAuthority(t, answer(text)))
			return refused(t, v, bearer)
		}
	}
	cases := map[string]func(*testing.T) error{
		"missing": func(*testing.T) error { _, err := auth.Bearer(http.Header{}); return err },
		"malformed": func(*testing.T) error {
			_, err := auth.Bearer(http.Header{"Authorization": {"Bearer a b"}})
			return err
		},
		"several": func(*testing.T) error {
			_, err := auth.Bearer(http.Header{"Authorization": {"Bearer a", "Bearer b"}})
			return err
		},
		"inactive":            introspected(inactiveAnswer),
		"expired":             introspected(`{"active":true,"pdpp_token_kind":"client","exp":1}`),
		"owner":               introspected(`{"active":true,"pdpp_token_kind":"owner"}`),
		"unknown_kind":        introspected(`{"active":true,"pdpp_token_kind":"control_plane"}`),
		"audience":            introspected(`{"active":true,"pdpp_token_kind":"client","aud":"x"}`),
		"package_revoked":     introspected(`{"active":true,"pdpp_token_kind":"mcp_package","package":{"members":[]}}`),
		"package_unsupported": introspected(`{"active":true,"pdpp_token_kind":"mcp_package"}`),
		"unavailable":         introspected(`<html>`),
		"wrapped":             func(t *testing.T) error { return fmt.Errorf("host: %w", introspected(inactiveAnswer)(t)) },
		"other_error":         func(*testing.T) error { return errors.New("planted: not for clients") },
	}
	for name, refuse := range cases {
		t.Run(name, func(t *testing.T) {
			recorder := httptest.NewRecorder()
			challenge.Write(recorder, refuse(t))
			golden.File(t, filepath.Join("testdata", "challenge", name+".http"), shown(recorder))
		})
	}
}

// shown returns an answer as text, headers sorted by name.
func shown(recorder *httptest.ResponseRecorder) string {
	var lines []string
	for name, values := range recorder.Header() {
		lines = append(lines, name+": "+strings.Join(values, ", "))
	}
	slices.Sort(lines)
	return fmt.Sprintf("%d\n%s\n\n%s", recorder.Code, strings.Join(lines, "\n"), recorder.Body)
}

// RFC 9110, section 5.6.4: an origin cannot end its quoted-string, and thereby add a parameter or a header.
func TestChallengeQuotes(t *testing.T) {
	hostile := auth.Challenge{PublicOrigin: "https://a\", error=\"x\\\r\nSet-Cookie: a=b"}
	got := hostile.Authenticate(&auth.Refusal{Status: 401})
	want := `Bearer resource_metadata="https://a\", error=\"x\\Set-Cookie: a=b/.well-known/oauth-protected-resource/mcp"`
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// R-HOST-3: the two documents, byte for byte.
func TestMetadataGolden(t *testing.T) {
	documents := auth.Metadata{
		PublicOrigin: resource, AuthorizationServer: "https://as.example.com/?a&b",
		Scope: auth.Scope,
	}
	golden.File(t, "testdata/metadata/provider.json", string(documents.Provider()))
	golden.File(t, "testdata/metadata/mcp.json", string(documents.MCP()))
}

// R-HOST-3, R-SURF-2: the documents lack forbidden texts.
func TestMetadataNamesNoOwnerAndNoProfile(t *testing.T) {
	documents := auth.Metadata{PublicOrigin: resource, AuthorizationServer: "https://as.example.com"}
	for _, document := range [][]byte{documents.Provider(), documents.MCP()} {
		for _, word := range []string{"scopes_supported", "logo_uri", "profile", "toolset", "surface", `"owner`} {
			if strings.Contains(string(document), word) {
				t.Errorf("%s is in %s", word, document)
			}
		}
	}
}
