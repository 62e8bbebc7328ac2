package auth_test

import (
	"net/http/httptest"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/server/auth"
	"github.com/pdppmcp/pdpp-mcp/sandbox/authorization"
	"github.com/pdppmcp/pdpp-mcp/sandbox/sample"
)

// newSandbox runs the sandbox's authorization server on its own origin. The function returns a Verifier with an empty
// cache that finds the endpoint in the metadata.
func newSandbox(t *testing.T) (*authorization.Server, func() *auth.Verifier) {
	t.Helper()
	server := httptest.NewUnstartedServer(nil)
	origin := "http://" + server.Listener.Addr().String()
	as := authorization.New(origin, sample.Shared())
	server.Config.Handler = as.Handler()
	server.Start()
	t.Cleanup(server.Close)
	return as, func() *auth.Verifier {
		v, err := auth.NewVerifier(auth.Options{
			AuthorizationServer: origin, ClientID: as.Caller().ID, ClientSecret: rs.NewSecret(as.Caller().Secret),
			Audiences: []string{origin},
		})
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// R-HOST-4, R-PKG-1: every ready token of the sandbox.
func TestSandboxTokens(t *testing.T) {
	as, fresh := newSandbox(t)
	v := fresh()
	if err := v.Check(t.Context()); err != nil {
		t.Errorf("not ready: %v", err)
	}
	clients := map[string]bool{
		"everything": true, "gmail_personal": true, "gmail_both": true, "spotify": true,
		"slack": true, "narrow": true,
	}
	packages := map[string]int{"package": 7, "package_single": 1}
	refusals := map[string]int{"owner": 403, "revoked": 401, "expired": 401, "package_revoked": 401}
	tokens := as.Tokens()
	if len(tokens) != len(clients)+len(packages)+len(refusals) {
		t.Errorf("the sandbox has %d tokens; the table does not", len(tokens))
	}
	for name, token := range tokens {
		t.Run(name, func(t *testing.T) {
			if status := refusals[name]; status != 0 {
				if got := refused(t, v, token); got.Status != status {
					t.Errorf("got %v, want %d", got, status)
				}
				return
			}
			caller := admitted(t, v, token)
			credential, _ := as.Credential(name)
			if caller.ClientID != credential.ClientID || caller.GrantID != credential.GrantID {
				t.Errorf("got %+v, want the client %s and the grant %s", caller, credential.ClientID, credential.GrantID)
			}
			if clients[name] != (caller.Kind == rs.KindClient) || len(caller.ActiveMembers()) != packages[name] {
				t.Errorf("got %+v", caller)
			}
		})
	}
}

// R-PKG-1, R-PKG-8: a revoked member is kept without its bearer, and a package without any other is revoked.
func TestSandboxRevokesMembers(t *testing.T) {
	as, fresh := newSandbox(t)
	token := as.Tokens()["package"]
	members := as.Members("package")
	for i, member := range members {
		caller := admitted(t, fresh(), token)
		if active := len(caller.ActiveMembers()); len(caller.Members) != len(members) || active != len(members)-i {
			t.Errorf("%d members, %d of them active; want %d and %d", len(caller.Members), active, len(members), len(members)-i)
		}
		if err := as.Revoke(member.GrantID); err != nil {
			t.Fatal(err)
		}
	}
	expect(t, refused(t, fresh(), token), 403, "package_revoked", "")
}
