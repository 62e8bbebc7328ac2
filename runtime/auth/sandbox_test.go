package auth_test

import (
	"net/http/httptest"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/runtime/auth"
	"github.com/pdppmcp/pdpp-mcp/runtime/sandbox"
)

// R-HOST-4, R-PKG-1: every ready token of the sandbox, by way of its metadata and its introspection.
func TestSandboxTokens(t *testing.T) {
	server := httptest.NewUnstartedServer(nil)
	origin := "http://" + server.Listener.Addr().String()
	box, err := sandbox.New(t.Context(), sandbox.Options{PublicURL: origin})
	if err != nil {
		t.Fatal(err)
	}
	server.Config.Handler = box.Handler()
	server.Start()
	defer func() {
		server.Close()
		if err := box.Close(); err != nil {
			t.Error(err)
		}
	}()
	introspecting := box.Authorization().Caller()
	v, err := auth.NewVerifier(auth.Options{
		AuthorizationServer: origin, ClientID: introspecting.ID, ClientSecret: auth.NewSecret(introspecting.Secret), Audiences: []string{origin},
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := v.Check(t.Context()); err != nil {
		t.Errorf("not ready: %v", err)
	}

	clients := map[string]bool{"everything": true, "gmail_personal": true, "gmail_both": true, "spotify": true, "slack": true, "narrow": true}
	packages := map[string]int{"package": 4, "package_single": 1}
	refusals := map[string]int{"owner": 403, "revoked": 401, "expired": 401, "package_revoked": 401}
	tokens := box.Tokens()
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
			credential, _ := box.Authorization().Credential(name)
			if caller.ClientID != credential.ClientID || caller.GrantID != credential.GrantID {
				t.Errorf("got %+v of %+v", caller, credential.ClientID)
			}
			if clients[name] != (caller.Kind == auth.KindClient) || len(caller.ActiveMembers()) != packages[name] {
				t.Errorf("got %+v", caller)
			}
		})
	}
}

// R-PKG-1, R-PKG-8: a revoked member is kept without its bearer, and a package without any other is revoked.
func TestSandboxRevokesMembers(t *testing.T) {
	box, err := sandbox.New(t.Context(), sandbox.Options{PublicURL: resource})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = box.Close() }()
	as := newAuthority(t, box.Handler().ServeHTTP)
	introspecting := box.Authorization().Caller()
	fresh := func() *auth.Verifier {
		v, _ := verifier(t, as, func(options *auth.Options) {
			options.ClientID, options.ClientSecret = introspecting.ID, auth.NewSecret(introspecting.Secret)
		})
		return v
	}
	token := box.Tokens()["package"]
	members := box.Authorization().Members("package")
	for i, member := range members {
		if got := len(admitted(t, fresh(), token).ActiveMembers()); got != len(members)-i {
			t.Errorf("%d members are active of %d, %d revoked", got, len(members), i)
		}
		if err := box.Authorization().Revoke(member.GrantID); err != nil {
			t.Fatal(err)
		}
	}
	expect(t, refused(t, fresh(), token), 403, "package_revoked", "")
}
