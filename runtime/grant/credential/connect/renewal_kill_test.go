package connect_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/pdppmcp/pdpp-mcp/e2e/flowtest"
	"github.com/pdppmcp/pdpp-mcp/e2e/killtest"
	"github.com/pdppmcp/pdpp-mcp/e2e/sandboxtest"
	"github.com/pdppmcp/pdpp-mcp/e2e/timetest"
	"github.com/pdppmcp/pdpp-mcp/runtime/grant/credential"
	"github.com/pdppmcp/pdpp-mcp/runtime/grant/credential/connect"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/sandbox"
)

// How much the test does at least.
const (
	killedAtOnce    = 8
	leastRenewals   = 200
	renewableGrants = 24
)

// Covers R-LOCAL-5: eight processes renew the grants of one cache file and are killed at random until there were 200
// renewals. No rotated refresh token is sent again, and no grant is lost: each is stored and readable. A grant whose
// exchange was interrupted is signed in again, as a user would do after its expiry.
func TestKilledWhileItRenews(t *testing.T) {
	timetest.WithoutRace(t)
	if root, isWriter := killtest.Directory(); isWriter {
		renewForever(t, root)
	}
	box := newRotatingBox(t)
	cache := &credential.Cache{Root: t.TempDir()}
	for range renewableGrants {
		box.connect(t, cache)
	}
	killed, cut := 0, 0
	for round := 1; box.renewals() < leastRenewals && !t.Failed(); round++ {
		t.Run(fmt.Sprint(round), func(t *testing.T) {
			for process := range killedAtOnce {
				t.Run(fmt.Sprint(process), func(t *testing.T) {
					t.Parallel()
					killtest.Writer(t, cache.Root, 1500*time.Millisecond)
				})
			}
		})
		killed += killedAtOnce
		grants, err := cache.Grants(box.url)
		if err != nil || len(grants) != renewableGrants {
			t.Fatalf("after %d kills the cache has %d grants: %v", killed, len(grants), err)
		}
		for _, grant := range grants {
			box.read(t, grant)
			if !grant.Credential.RenewalBegan.IsZero() {
				cut++
				if _, err := cache.Remove(box.url, grant.Credential.GrantID); err != nil {
					t.Fatal(err)
				}
				box.connect(t, cache)
			}
		}
	}
	for _, fault := range box.faults() {
		t.Error(fault)
	}
	t.Logf("%d renewals, %d kills, %d of them during an exchange", box.renewals(), killed, cut)
}

// renewForever renews one grant after the other, fifteen seconds before its access token expires. A grant whose
// exchange was interrupted must be signed in again in that time; afterwards its refresh token would be sent again.
func renewForever(t *testing.T, root string) {
	t.Helper()
	var grant *credential.Entry
	renewal := connect.Renewal{
		Cache: &credential.Cache{Root: root},
		Now:   func() time.Time { return grant.Credential.ExpiresAt.Add(-15 * time.Second) },
	}
	for {
		files, err := renewal.Cache.List()
		if err != nil || len(files) != 1 || files[0].Err != nil {
			t.Fatalf("the cache has %+v, %v", files, err)
		}
		grant = files[0].Grants[rand.N(len(files[0].Grants))]
		renewed, err := renewal.Current(t.Context(), grant)
		if err != nil {
			t.Fatal(err)
		}
		if renewed.Credential.AccessToken.Reveal() != grant.Credential.AccessToken.Reveal() {
			fmt.Println(renewed.Credential.GrantID)
		}
	}
}

// rotatingBox is a sandbox provider that counts exchanges of refresh tokens.
type rotatingBox struct {
	url string

	mu      sync.Mutex
	rotated map[string]bool
	wrong   []string
}

func newRotatingBox(t *testing.T) *rotatingBox {
	t.Helper()
	b := &rotatingBox{rotated: map[string]bool{}}
	_, b.url = sandboxtest.Serve(t, sandbox.Options{},
		func(box *sandbox.Sandbox) http.Handler { return b.counting(box.Handler()) })
	return b
}

// counting records each exchanged refresh token and each refused exchange.
func (b *rotatingBox) counting(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/oauth/token" || r.ParseForm() != nil || r.PostForm.Get("grant_type") != "refresh_token" {
			next.ServeHTTP(w, r)
			return
		}
		answer := httptest.NewRecorder()
		// The server continues after the client was killed, because it has already accepted the token.
		next.ServeHTTP(answer, r.WithContext(context.WithoutCancel(r.Context())))
		b.mu.Lock()
		token := r.PostForm.Get("refresh_token")
		if b.rotated[token] {
			b.wrong = append(b.wrong, "a refresh token was sent again after its rotation")
		}
		if answer.Code != http.StatusOK {
			b.wrong = append(b.wrong, fmt.Sprintf("a renewal was answered %d %s", answer.Code, answer.Body))
		}
		b.rotated[token] = true
		b.mu.Unlock()
		w.Header().Set("Content-Type", answer.Header().Get("Content-Type"))
		w.WriteHeader(answer.Code)
		_, _ = w.Write(answer.Body.Bytes())
	})
}

func (b *rotatingBox) renewals() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.rotated)
}

func (b *rotatingBox) faults() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.wrong
}

// connect signs in by authorization code, with an owner who approves.
func (b *rotatingBox) connect(t *testing.T, cache *credential.Cache) {
	t.Helper()
	entry, err := connect.Connect(t.Context(), connect.Options{
		ProviderURL: b.url, Flow: connect.AuthorizationCode,
		Announce: func(approval connect.Approval) {
			page, err := flowtest.New(nil).Approve(t.Context(), approval.URL, "cin_gmail_personal")
			if err != nil || page.Location == nil {
				t.Errorf("the owner was shown %d: %v", page.Status, err)
				return
			}
			if status, _ := visit(t, http.MethodGet, page.Location.String()); status != http.StatusOK {
				t.Errorf("the browser was answered %d", status)
			}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := cache.Add(entry); err != nil {
		t.Fatal(err)
	}
}

// read reads with a stored grant.
func (b *rotatingBox) read(t *testing.T, grant *credential.Entry) {
	t.Helper()
	client, err := rs.NewClient(rs.Options{BaseURL: b.url, Bearer: grant.Credential.AccessToken})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := client.Get(t.Context(), rs.Request{Path: rs.JoinPath("v1", "streams")}); err != nil {
		t.Errorf("grant %s cannot be read with: %v", grant.Credential.GrantID, err)
	}
}
