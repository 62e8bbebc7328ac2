package soak_test

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/oauth2"

	"github.com/pdppmcp/pdpp-mcp/e2e/faulttest"
	"github.com/pdppmcp/pdpp-mcp/e2e/flowtest"
)

// trouble is a fault that is injected into a run.
type trouble struct {
	*soak

	mu    sync.Mutex
	downs []period // in which the resource server was stopped
	few   []period // in which it refused a few reads
}

type period struct{ from, to time.Time }

// explained are the codes that a call may have while the resource server restarts. The last is the code of a read whose
// other tries were refused, and which then met the few 503.
var explained = []string{"rs_unreachable", "rs_invalid_response", "source_unavailable", "api_error"}

// explains reports whether an error was injected: it has such a code, and the resource server was down during the
// call, or refused a few reads when all further tries had gone into its restarts.
func (t *trouble) explains(got outcome) bool {
	if slices.Contains(explained, got.code) && t.overlaps(got) {
		return true
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return got.code == "api_error" && t.tries.failed.Load() >= reserve && hits(t.few, got)
}

// reserve is how many further tries the adapter has at first. Once so many tries failed, there may be none left for a
// read that meets a 503.
const reserve = 20

// overlaps reports whether the resource server was down during a call.
func (t *trouble) overlaps(got outcome) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return hits(t.downs, got)
}

func hits(periods []period, got outcome) bool {
	return slices.ContainsFunc(periods, func(p period) bool { return got.started.Before(p.to) && p.from.Before(got.ended) })
}

func (t *trouble) count() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.downs)
}

// begin records that the resource server stops now. The period has no end until it is back.
func (t *trouble) begin() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.downs = append(t.downs, period{from: time.Now(), to: time.Now().Add(time.Hour)})
}

func (t *trouble) end() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.downs[len(t.downs)-1].to = time.Now()
}

// restarts stops and starts the resource server again and again: in turn with a grace for what is under way and at
// once, for a shorter and for a longer time. In between, it refuses a few reads; no caller may notice.
func (t *trouble) restarts(ctx context.Context) {
	every := min(*during/4, 7*time.Second)
	for turn := 0; wait(ctx, every/2); turn++ {
		t.refuseFew(every / 2)
		if !wait(ctx, every/2) {
			return
		}
		t.rs.Heal()
		t.begin()
		t.rs.Stop(time.Duration(turn%2) * 500 * time.Millisecond)
		wait(ctx, time.Duration(1+turn%4)*100*time.Millisecond)
		t.rs.Start()
		t.end()
	}
}

// refuseFew answers two reads with 503, at some time in a period.
func (t *trouble) refuseFew(during time.Duration) {
	t.mu.Lock()
	t.few = append(t.few, period{from: time.Now(), to: time.Now().Add(during)})
	t.mu.Unlock()
	t.rs.Inject(faulttest.Plan{Fault: faulttest.Status(http.StatusServiceUnavailable), Times: 2})
}

// ends lets tokens come and go: one is revoked and one expires, while others read.
func (t *trouble) ends(ctx context.Context) {
	config, err := flowtest.Register(ctx, nil, t.as.URL, "Soak")
	if err != nil {
		t.t.Errorf("register: %v", err)
		return
	}
	owner := flowtest.New(nil)
	defer http.DefaultTransport.(*http.Transport).CloseIdleConnections()
	// Twenty times in a run: the sandbox's authorization server keeps some 10 KiB of every sign-in for good.
	for wait(ctx, max(*during/20, 500*time.Millisecond)) {
		whole := context.WithoutCancel(ctx)
		t.oneEnds(whole, config, owner, "revoked", func(token string) error { return t.revoke(whole, config, token) })
		t.oneEnds(whole, config, owner, "expired", func(string) error {
			t.ahead.Add(int64(11 * time.Minute)) // an access token of the sandbox lasts ten
			return nil
		})
	}
}

// oneEnds signs in, reads, lets the token end, and reads in vain.
func (t *trouble) oneEnds(ctx context.Context, config *oauth2.Config, owner *flowtest.Owner, how string,
	end func(string) error,
) {
	t.calm.RLock()
	defer t.calm.RUnlock()
	token, err := t.signIn(ctx, config, owner)
	if err != nil {
		t.t.Errorf("sign in: %v", err)
		return
	}
	who := reader{"signed in, to be " + how, token, []string{"cin_spotify"}, ""}
	visit := t.page(place{"cin_spotify", "saved_tracks"}, 5)
	t.make(ctx, who, visit, 0)
	if err := end(token); err != nil {
		t.t.Errorf("%s: %v", how, err)
		return
	}
	got := t.call(ctx, token, visit.tool, visit.arguments, 0)
	if !refused(got) && !t.explains(got) {
		t.fail(who, visit, fmt.Sprintf("an ended token got %d %s %.300s", got.status, got.code, got.body))
	}
	t.tally.note("tokens "+how, 1)
}

const challenge = "a-verifier-that-is-long-enough-for-RFC-7636-0123456789"

// signIn gets a token by the code flow.
func (t *trouble) signIn(ctx context.Context, config *oauth2.Config, owner *flowtest.Owner) (string, error) {
	page, err := owner.Approve(ctx, config.AuthCodeURL("s", oauth2.S256ChallengeOption(challenge)), "cin_spotify")
	if err != nil {
		return "", err
	}
	if page.Location == nil {
		return "", fmt.Errorf("approval: %d %.300s", page.Status, page.Body) //nolint:err113 // only a test prints it
	}
	token, err := config.Exchange(ctx, page.Location.Query().Get("code"), oauth2.VerifierOption(challenge))
	if err != nil {
		return "", fmt.Errorf("exchange: %w", err)
	}
	return token.AccessToken, nil
}

func (t *trouble) revoke(ctx context.Context, config *oauth2.Config, token string) error {
	form := url.Values{"token": {token}, "client_id": {config.ClientID}}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, t.as.URL+"/oauth/revoke",
		strings.NewReader(form.Encode()))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("answered %d", response.StatusCode) //nolint:err113 // only a test prints it
	}
	return nil
}

// wait reports whether the run continues afterwards.
func wait(ctx context.Context, during time.Duration) bool {
	timer := time.NewTimer(during)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
