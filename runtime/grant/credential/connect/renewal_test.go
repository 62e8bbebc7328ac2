package connect_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pdppmcp/pdpp-mcp/e2e/capturetest"
	"github.com/pdppmcp/pdpp-mcp/runtime/grant/credential"
	"github.com/pdppmcp/pdpp-mcp/runtime/grant/credential/connect"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
)

const (
	oldRefresh = "refresh-token-of-a-test-1"
	newRefresh = "refresh-token-of-a-test-2"
)

// renewing is a cache with one renewable grant, and a clock.
type renewing struct {
	*connect.Renewal
	at time.Time
}

// newRenewing stores a grant whose access token expires in ten minutes.
func newRenewing(t *testing.T, providerURL, issuer string, transport http.RoundTripper) (*renewing, *credential.Entry) {
	t.Helper()
	r := &renewing{
		Renewal: &connect.Renewal{Cache: &credential.Cache{Root: t.TempDir()}, Transport: transport},
		at:      time.Now(),
	}
	r.Now = func() time.Time { return r.at }
	entry := &credential.Entry{
		ProviderURL: providerURL, AuthorizationServer: issuer, Client: credential.Client{ClientID: "cli_dac04a98f272c1c8"},
		Credential: credential.Credential{
			AccessToken: rs.NewSecret(agentToken), RefreshToken: rs.NewSecret(oldRefresh),
			GrantID: "grt_3c798d44eddaa81b", Label: "mail",
			ExpiresAt: r.at.Add(10 * time.Minute),
		},
	}
	if err := r.Cache.Add(entry); err != nil {
		t.Fatal(err)
	}
	return r, r.stored(t)
}

func (r *renewing) stored(t *testing.T) *credential.Entry {
	t.Helper()
	files, err := r.Cache.List()
	if err != nil || len(files) != 1 || len(files[0].Grants) != 1 {
		t.Fatalf("the cache holds %+v, %v", files, err)
	}
	return files[0].Grants[0]
}

func captured(names ...string) *capturetest.Provider {
	return playing([]string{"006"}, names).Replace("<client_refresh_2>", deviceToken,
		"<refresh_client_refresh>", oldRefresh,
		"<refresh_client_refresh_2>", newRefresh, "rt_nope", oldRefresh)
}

// Covers R-LOCAL-5, captures 870b and 873g: the token is renewed shortly before it expires. The new refresh token is
// stored, and the other members of the grant are kept.
func TestRenewalAsCaptured(t *testing.T) {
	provider := captured("870b")
	r, held := newRenewing(t, capturetest.Resource, capturetest.Issuer, provider)
	same, err := r.Current(t.Context(), held)
	if err != nil || same != held || len(provider.Seen("/")) > 0 {
		t.Fatalf("asked %+v: %v", provider.Seen("/"), err)
	}
	r.at = r.at.Add(9*time.Minute + 31*time.Second)
	renewed, err := r.Current(t.Context(), held)
	if err != nil || renewed.Credential.AccessToken.Reveal() != deviceToken {
		t.Fatalf("not renewed: %v", err)
	}
	if faults := provider.Faults(); len(faults) > 0 {
		t.Error(strings.Join(faults, "\n"))
	}
	kept := r.stored(t).Credential
	if kept.AccessToken.Reveal() != deviceToken || kept.RefreshToken.Reveal() != newRefresh || kept.Label != "mail" ||
		!kept.RenewalBegan.IsZero() ||
		kept.ExpiresAt.Before(time.Now().Add(9*time.Minute)) {
		t.Errorf("stored %+v", kept)
	}
	// Another process, which has the old token, is given what is stored.
	if other, err := r.Current(t.Context(), held); err != nil || other.Credential.AccessToken.Reveal() != deviceToken ||
		len(provider.Seen("/oauth/token")) != 1 {
		t.Errorf("asked %d times: %v", len(provider.Seen("/oauth/token")), err)
	}
}

// Covers R-LOCAL-5: the token that another process has stored is used while a third one holds the lock of the cache.
func TestRenewalByAnotherProcessNeedsNoLock(t *testing.T) {
	r, held := newRenewing(t, capturetest.Resource, capturetest.Issuer, captured())
	other := &credential.Cache{Root: r.Cache.Root}
	change := func(change func(stored *credential.Entry, write func() error) error) {
		if _, err := other.Change(held.ProviderURL, held.Credential.GrantID, change); err != nil {
			t.Error(err)
		}
	}
	change(func(stored *credential.Entry, write func() error) error {
		stored.Credential.AccessToken = rs.NewSecret(deviceToken)
		return write()
	})
	change(func(*credential.Entry, func() error) error { // holds the lock
		renewed, err := r.AfterRefusal(t.Context(), held, &rs.Error{Status: http.StatusUnauthorized})
		if err != nil || renewed.Credential.AccessToken.Reveal() != deviceToken {
			t.Errorf("got %+v, %v", renewed, err)
		}
		return nil
	})
}

// Covers R-LOCAL-5: which refusals lead to a renewal. Only the grant's own credential is sent.
func TestRenewalAfterARefusal(t *testing.T) {
	refusedWith := func(status int, code string) error { return &rs.Error{Status: status, Code: code} }
	tests := []struct {
		name     string
		refusal  error
		renewals int
	}{
		{"401", refusedWith(401, "invalid_token"), 1},
		{"403 of an expired token", refusedWith(403, "grant_expired"), 1},
		{"403 of a revoked grant", refusedWith(403, "grant_revoked"), 0},
		{"401 of something else", refusedWith(404, "grant_expired"), 0},
		{"not found", refusedWith(404, "not_found"), 0},
		{"no answer", &rs.Failure{Reason: rs.Unreachable}, 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			provider := captured("870b")
			r, held := newRenewing(t, capturetest.Resource, capturetest.Issuer, provider)
			renewed, err := r.AfterRefusal(t.Context(), held, test.refusal)
			if asked := len(provider.Seen("/oauth/token")); asked != test.renewals || (err == nil) != (test.renewals > 0) {
				t.Fatalf("renewed %d times: %v", asked, err)
			}
			if err != nil && !errors.Is(err, test.refusal) {
				t.Errorf("the refusal became %v", err)
			}
			if err == nil && renewed.Credential.AccessToken.Reveal() != deviceToken {
				t.Error("the token is the refused one")
			}
			held.Credential.RefreshToken = rs.Secret{}
			if _, err := r.AfterRefusal(t.Context(), held, test.refusal); !errors.Is(err, test.refusal) {
				t.Errorf("without a refresh token: %v", err)
			}
		})
	}
}

// Covers R-LOCAL-5, captures 871 and 872: a refused refresh token is removed, and the error names the sign-in.
func TestRefusedRenewal(t *testing.T) {
	for _, name := range []string{"871", "872"} {
		provider := captured(name)
		r, held := newRenewing(t, capturetest.Resource, capturetest.Issuer, provider)
		if _, err := r.AfterRefusal(t.Context(), held, &rs.Error{Status: 401}); err == nil ||
			!strings.Contains(err.Error(), "run: pdpp-mcp connect "+capturetest.Resource+" --cache-root "+r.Cache.Root) ||
			!strings.Contains(err.Error(), "invalid_grant") || strings.Contains(err.Error(), oldRefresh) {
			t.Errorf("%s: %v", name, err)
		}
		kept := r.stored(t).Credential
		if !kept.RefreshToken.IsZero() || kept.AccessToken.Reveal() != agentToken {
			t.Errorf("%s: stored %+v", name, kept)
		}
		if _, err := r.AfterRefusal(t.Context(), held, &rs.Error{Status: 401}); err == nil ||
			len(provider.Seen("/oauth/token")) != 1 {
			t.Errorf("%s: asked again: %v", name, err)
		}
	}
}

// authority returns a server with the test's token endpoint.
func authority(t *testing.T, token http.HandlerFunc) *httptest.Server {
	t.Helper()
	mux := http.NewServeMux()
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	mux.HandleFunc(serverPath, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"issuer":"`+server.URL+`","agent_connect_endpoint":"`+server.URL+`/a","token_endpoint":"`+
			server.URL+`/token"}`)
	})
	mux.HandleFunc("/token", token)
	return server
}

// A refresh token is sent again only if it was certainly not used, or after the access token has expired.
func TestRenewalWithoutAnAnswer(t *testing.T) {
	tests := []struct {
		name    string
		answer  http.HandlerFunc
		isKnown bool // that the refresh token was not taken
	}{
		{"cut off", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, false},
		{"500", replies(reply{500, ``}), false},
		{"no JSON", replies(reply{200, `<html>`}), false},
		{"no token", replies(reply{200, `{}`}), false},
		{"owner token", replies(reply{200, `{"access_token":"` + ownerToken + `","pdpp_token_kind":"owner"}`}), false},
		{"another grant", replies(reply{200, `{"access_token":"` + ownerToken + `","grant_id":"grt_other"}`}), false},
		{"503", replies(reply{503, ``}), true},
		{"429", replies(reply{429, ``}), true},
		{"unknown client", replies(oauthReply(401, "invalid_client")), true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var asked atomic.Int64
			server := authority(t, func(w http.ResponseWriter, r *http.Request) {
				asked.Add(1)
				test.answer(w, r)
			})
			r, held := newRenewing(t, server.URL, server.URL, nil)
			r.at = r.at.Add(9*time.Minute + 31*time.Second)
			for range 3 { // it continues with the access token
				if same, err := r.Current(t.Context(), held); err != nil || same.Credential.AccessToken.Reveal() != agentToken {
					t.Fatalf("gives %+v: %v", same, err)
				}
			}
			kept := r.stored(t).Credential
			if want := map[bool]int64{true: 3, false: 1}[test.isKnown]; asked.Load() != want ||
				kept.RenewalBegan.IsZero() != test.isKnown || kept.RefreshToken.Reveal() != oldRefresh {
				t.Errorf("asked %d times, want %d; stored with %q from %s", asked.Load(), want, kept.RefreshToken.Reveal(),
					kept.RenewalBegan)
			}
			asked.Store(0)
			r.at = r.at.Add(time.Minute)
			if _, err := r.Current(t.Context(), held); err == nil || asked.Load() != 1 ||
				strings.Contains(err.Error(), oldRefresh) {
				t.Errorf("asked %d times after its end: %v", asked.Load(), err)
			}
		})
	}
	// A server that cannot be reached has taken nothing.
	elsewhere := http.NewServeMux()
	server := httptest.NewServer(elsewhere)
	t.Cleanup(server.Close)
	elsewhere.HandleFunc(serverPath,
		replies(reply{200, `{"issuer":"` + server.URL + `","token_endpoint":"http://127.0.0.1:1/token"}`}))
	r, held := newRenewing(t, server.URL, server.URL, nil)
	r.at = r.at.Add(11 * time.Minute)
	var failure *credential.Error
	if _, err := r.Current(t.Context(), held); !errors.As(err, &failure) || failure.Class != credential.Unreachable ||
		!errors.Is(err, credential.ErrUnspent) ||
		!r.stored(t).Credential.RenewalBegan.IsZero() {
		t.Errorf("ended with %v", err)
	}
}

// A started exchange continues after its call is cancelled, and concurrent calls share one exchange.
func TestOneRenewalForManyCalls(t *testing.T) {
	began, goOn, ctx := make(chan struct{}), make(chan struct{}), t.Context()
	var asked atomic.Int64
	server := authority(t, func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		close(began)
		<-goOn
		replies(reply{200, `{"access_token":"` + deviceToken + `","expires_in":600,"refresh_token":"` + newRefresh + `"}`})(w,
			r)
	})
	r, held := newRenewing(t, server.URL, server.URL, nil)
	r.at = r.at.Add(11 * time.Minute)
	first, giveUp := context.WithCancel(ctx)
	var calls sync.WaitGroup
	calls.Go(func() { _, _ = r.Current(first, held) })
	<-began
	giveUp()
	for range 8 {
		calls.Go(func() {
			if got, err := r.Current(ctx, held); err != nil || got.Credential.AccessToken.Reveal() != deviceToken {
				t.Errorf("gives %+v: %v", got, err)
			}
		})
	}
	close(goOn)
	calls.Wait()
	if asked.Load() != 1 || r.stored(t).Credential.RefreshToken.Reveal() != newRefresh {
		t.Errorf("asked %d times, stored %q", asked.Load(), r.stored(t).Credential.RefreshToken.Reveal())
	}
}

// The file records a renewal before the refresh token is sent.
func TestRenewalIsRecordedBeforeItIsSent(t *testing.T) {
	var r *renewing
	server := authority(t, func(w http.ResponseWriter, request *http.Request) {
		body, _ := io.ReadAll(request.Body)
		if form, _ := url.ParseQuery(string(body)); form.Get("refresh_token") != oldRefresh {
			t.Errorf("sent %s", body)
		}
		if kept := r.stored(t).Credential; kept.RenewalBegan.IsZero() || kept.RefreshToken.Reveal() != oldRefresh {
			t.Errorf("stored meanwhile: %+v", kept)
		}
		if kept := temporary(t, r.Cache.Root); len(kept) != 1 || kept[0].Size() < 10<<10 {
			t.Errorf("room for the answer: %v", kept)
		}
		replies(reply{200, `{"access_token":"` + deviceToken + `","grant_id":"grt_3c798d44eddaa81b"}`})(w, request)
	})
	r, held := newRenewing(t, server.URL, server.URL, nil)
	renewed, err := r.AfterRefusal(t.Context(), held, &rs.Error{Status: 401})
	if err != nil || renewed.Credential.RefreshToken.Reveal() != oldRefresh || !renewed.Credential.ExpiresAt.IsZero() {
		t.Errorf("renewed %+v: %v", renewed, err)
	}
	path, _ := r.Cache.Path(server.URL)
	if content, err := os.ReadFile(path); err != nil || strings.Contains(string(content), "renewal_began_at") ||
		strings.Contains(string(content), agentToken) {
		t.Errorf("%v: stored %s", err, content)
	}
	if left := temporary(t, r.Cache.Root); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// temporary returns the temporary files of a cache.
func temporary(t *testing.T, root string) (files []os.FileInfo) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(root, "clients", ".writing-*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, info)
	}
	return files
}

// Covers R-LOCAL-5: tokens that cannot be written are used while the process runs, and no refresh token is sent twice.
func TestRenewalThatCannotBeStored(t *testing.T) {
	var r *renewing
	var sent []string // one exchange at a time
	clients := func() string { return filepath.Join(r.Cache.Root, "clients") }
	server := authority(t, func(w http.ResponseWriter, request *http.Request) {
		sent = append(sent, request.FormValue("refresh_token"))
		if len(sent) > 1 {
			replies(reply{200, `{"access_token":"` + agentToken + `","expires_in":600}`})(w, request)
			return
		}
		if err := errors.Join(os.Rename(clients(), clients()+".away"), os.WriteFile(clients(), nil, 0o600)); err != nil {
			t.Error(err)
		}
		replies(reply{200, `{"access_token":"` + deviceToken + `","refresh_token":"` + newRefresh + `","expires_in":600}`})(w,
			request)
	})
	r, held := newRenewing(t, server.URL, server.URL, nil)
	var log strings.Builder
	r.Cache.Logger = slog.New(slog.NewTextHandler(&log, nil))
	after := func(held *credential.Entry, want string) *credential.Entry {
		t.Helper()
		renewed, err := r.AfterRefusal(t.Context(), held, &rs.Error{Status: 401})
		if err != nil || renewed.Credential.AccessToken.Reveal() != want {
			t.Fatalf("gives %+v: %v", renewed, err)
		}
		return renewed
	}
	renewed := after(held, deviceToken)
	for _, want := range []string{"not stored", "lost after that", "cannot be written", "pdpp-mcp connect " + server.URL} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("%q is not in the log: %s", want, log.String())
		}
	}
	if strings.Contains(log.String(), newRefresh) || strings.Contains(log.String(), deviceToken) {
		t.Errorf("the log has a token: %s", log.String())
	}

	if err := errors.Join(os.Remove(clients()), os.Rename(clients()+".away", clients())); err != nil {
		t.Fatal(err)
	}
	after(held, deviceToken) // also for a call that still has the old token
	loaded, err := r.Cache.Load(server.URL, nil, r.at)
	if err != nil || loaded.Credential.RefreshToken.Reveal() != newRefresh {
		t.Errorf("loads %+v: %v", loaded, err)
	}
	after(renewed, agentToken)
	if want := []string{oldRefresh, newRefresh}; !slices.Equal(sent, want) {
		t.Errorf("sent %q, want %q", sent, want)
	}
	if kept := r.stored(t).Credential; kept.RefreshToken.Reveal() != newRefresh || !kept.RenewalBegan.IsZero() {
		t.Errorf("stored %+v", kept)
	}
}
