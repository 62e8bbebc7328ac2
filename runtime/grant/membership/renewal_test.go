package membership_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pdppmcp/pdpp-mcp/runtime/grant/credential"
	"github.com/pdppmcp/pdpp-mcp/runtime/grant/membership"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// authority is an authorization server that exchanges a refresh token named after a grant for that grant's second
// bearer.
type authority struct {
	*httptest.Server

	mu      sync.Mutex
	refused bool
	seen    []string // refresh tokens
}

func newAuthority(t *testing.T) *authority {
	t.Helper()
	a := &authority{}
	mux := http.NewServeMux()
	a.Server = httptest.NewServer(mux)
	t.Cleanup(a.Close)
	mux.HandleFunc("/.well-known/oauth-authorization-server", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, `{"issuer":%q,"token_endpoint":%q}`, a.URL, a.URL+"/token")
	})
	mux.HandleFunc("/token", func(w http.ResponseWriter, r *http.Request) {
		a.mu.Lock()
		defer a.mu.Unlock()
		sent := r.PostFormValue("refresh_token")
		a.seen = append(a.seen, sent)
		if a.refused {
			w.WriteHeader(http.StatusBadRequest)
			fmt.Fprint(w, `{"error":"invalid_grant","error_description":"Refresh token is invalid"}`)
			return
		}
		_ = json.NewEncoder(w).Encode(map[string]any{
			"access_token": bearerOf(strings.TrimPrefix(sent, "refresh-") + "2"), "token_type": "Bearer",
			"refresh_token": sent + "2", "expires_in": 600,
		})
	})
	return a
}

func (a *authority) asked() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	seen := a.seen
	a.seen = nil
	return seen
}

// renewable adds a refresh token, and an access token with a lifetime, to a grant.
func (a *authority) renewable(name string, left time.Duration) func(*credential.Entry) {
	return func(entry *credential.Entry) {
		entry.AuthorizationServer, entry.Client.ClientID = a.URL, "cli_1"
		entry.Credential.RefreshToken, entry.Credential.ExpiresAt = rs.NewSecret("refresh-"+name), now.Add(left)
	}
}

// Covers R-LOCAL-5: each grant is renewed by its own refresh token, before its access token ends or once after it was
// refused, while the server continues with all of them.
func TestRenewalWhileServing(t *testing.T) {
	for name, test := range map[string]struct {
		left time.Duration
		code string // with which the resource server refuses the first bearer
	}{
		"it has ended":         {left: -time.Minute},
		"it is about to end":   {left: 20 * time.Second},
		"it is refused as old": {left: time.Hour, code: "grant_expired"},
	} {
		t.Run(name, func(t *testing.T) {
			provider := newServer(t, map[string][]string{
				bearerOf("a"): {"cin_a"}, bearerOf("a2"): {"cin_a"},
				bearerOf("b"): {"cin_b"},
			})
			as, cache := newAuthority(t), &credential.Cache{Root: t.TempDir()}
			add(t, cache, provider.URL, "b", approved("cin_b"))
			add(t, cache, provider.URL, "a", approved("cin_a"), as.renewable("a", test.left))
			if test.code != "" {
				provider.end(bearerOf("a"), test.code)
			}
			served := serve(t, membership.Options{Cache: cache, Providers: []string{provider.URL}})
			for range 2 {
				hits, missing := search(t, served)
				wantHits(t, hits, "cin_a", "cin_b")
				if len(missing) > 0 {
					t.Errorf("missing: %v", missing)
				}
			}
			if diff := cmp.Diff([]string{"refresh-a"}, as.asked()); diff != "" {
				t.Errorf("refresh tokens (-want +got):\n%s", diff)
			}
			for _, seen := range provider.asked() {
				if strings.Contains(seen, "refresh-") || test.code == "" && strings.HasPrefix(seen, bearerOf("a")+" ") {
					t.Errorf("the resource server was sent %s", seen)
				}
			}
		})
	}
}

// Covers R-LOCAL-5: a grant that cannot be renewed is missing, with the command that signs in again. A single grant
// fails the call.
func TestRenewalIsRefused(t *testing.T) {
	provider := newServer(t, map[string][]string{bearerOf("a"): {"cin_a"}, bearerOf("b"): {"cin_b"}})
	as, cache := newAuthority(t), &credential.Cache{Root: t.TempDir()}
	as.refused = true
	add(t, cache, provider.URL, "b", approved("cin_b"))
	add(t, cache, provider.URL, "a", approved("cin_a"), as.renewable("a", -time.Minute))
	served := serve(t, membership.Options{Cache: cache, Providers: []string{provider.URL}})
	for range 2 {
		hits, missing := search(t, served)
		wantHits(t, hits, "cin_b")
		if len(missing) != 1 || !strings.Contains(missing["grant_expired"], "pdpp-mcp connect "+provider.URL) {
			t.Errorf("missing: %v", missing)
		}
	}
	if asked := as.asked(); len(asked) != 1 {
		t.Errorf("asked with %q", asked)
	}
	alone := &credential.Cache{Root: t.TempDir()}
	add(t, alone, provider.URL, "a", as.renewable("a", -time.Minute))
	_, err := serve(t, membership.Options{Cache: alone, Providers: []string{provider.URL}}).Environment(
		context.Background())
	if refused, ok := errors.AsType[*tool.Error](err); !ok || !strings.Contains(refused.Message, "was not renewed") ||
		!strings.Contains(refused.Message, "run: pdpp-mcp connect "+provider.URL) {
		t.Errorf("a call ended with %v", err)
	}
}
