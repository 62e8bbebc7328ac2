package auth_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/server/auth"
)

const (
	clientAnswer   = `{"active":true,"pdpp_token_kind":"client","grant_id":"grt_1"}`
	inactiveAnswer = `{"active":false}`
)

// R-HOST-4: a positive answer is cached for up to min(exp, 60 s), a negative one for up to 5 s.
func TestHowLongAnswersAreKept(t *testing.T) {
	in := func(seconds int) string {
		return fmt.Sprintf(`{"active":true,"pdpp_token_kind":"client","exp":%d}`, start.Unix()+int64(seconds))
	}
	tests := []struct {
		name, answer string
		kept         time.Duration
	}{
		{"without exp", clientAnswer, 60 * time.Second},
		{"exp later", in(3600), 60 * time.Second},
		{"exp sooner", in(10), 10 * time.Second},
		{"inactive", inactiveAnswer, 5 * time.Second},
		{"expired", in(-1), 5 * time.Second},
		{"owner", `{"active":true,"pdpp_token_kind":"owner","exp":1795269999}`, 5 * time.Second},
		{"package revoked", `{"active":true,"pdpp_token_kind":"mcp_package","package":{"members":[]}}`, 5 * time.Second},
		{"members not published", `{"active":true,"pdpp_token_kind":"mcp_package"}`, 5 * time.Second},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			as := newAuthority(t, answer(test.answer))
			v, at := verifier(t, as)
			_, first := v.Verify(t.Context(), bearer)
			at.At(test.kept - time.Nanosecond)
			_, second := v.Verify(t.Context(), bearer)
			if asked := len(as.Introspected()); asked != 1 || first != second {
				t.Errorf("just before %s: %d introspections, %v and then %v", test.kept, asked, first, second)
			}
			at.At(test.kept)
			_, _ = v.Verify(t.Context(), bearer)
			if asked := len(as.Introspected()); asked != 2 {
				t.Errorf("at %s: %d introspections, want another", test.kept, asked)
			}
		})
	}
}

// R-HOST-4: a refusal ends after 5 s, and access after 60 s.
func TestAnswersChange(t *testing.T) {
	as := newAuthority(t, answer(inactiveAnswer))
	v, at := verifier(t, as)
	refused(t, v, bearer)
	as.Set(answer(clientAnswer))
	refused(t, v, bearer)
	at.At(5 * time.Second)
	admitted(t, v, bearer)
	as.Set(answer(inactiveAnswer))
	at.At(64 * time.Second)
	admitted(t, v, bearer)
	at.At(65 * time.Second)
	expect(t, refused(t, v, bearer), 401, "authentication_error", "invalid_token")
}

// The lifetime counts from the request: an answer that took 4 s is valid for 56 s more.
func TestSlowAnswersAreNotBelievedLonger(t *testing.T) {
	as := newAuthority(t, nil)
	v, at := verifier(t, as)
	as.Set(func(w http.ResponseWriter, r *http.Request) {
		at.At(4 * time.Second)
		answer(clientAnswer)(w, r)
	})
	admitted(t, v, bearer)
	as.Set(answer(inactiveAnswer))
	at.At(60 * time.Second)
	refused(t, v, bearer)
}

// A token that expired during its introspection is refused.
func TestTokenEndsDuringIntrospection(t *testing.T) {
	as := newAuthority(t, nil)
	v, at := verifier(t, as)
	as.Set(func(w http.ResponseWriter, r *http.Request) {
		at.At(4 * time.Second)
		answer(fmt.Sprintf(`{"active":true,"pdpp_token_kind":"client","exp":%d}`, start.Unix()+3))(w, r)
	})
	expect(t, refused(t, v, bearer), 401, "authentication_error", "invalid_token")
}

// R-HOST-4: while the authorization server is down a kept answer counts until its time, and then the
// request is refused with 503; nothing of the failure is kept.
func TestAuthorizationServerGoesDown(t *testing.T) {
	as := newAuthority(t, answer(clientAnswer))
	v, at := verifier(t, as)
	admitted(t, v, bearer)
	as.Set(typed("text/plain", http.StatusBadGateway, "down"))
	at.At(59 * time.Second)
	admitted(t, v, bearer)
	expect(t, refused(t, v, bearer+"2"), 503, "authorization_unavailable", "")
	at.At(60 * time.Second)
	expect(t, refused(t, v, bearer), 503, "authorization_unavailable", "")
	as.Set(answer(clientAnswer))
	admitted(t, v, bearer)
	admitted(t, v, bearer+"2")
}

// R-HOST-4: without a cached answer and without a server, a token is refused.
func TestAuthorizationServerIsGone(t *testing.T) {
	as := newAuthority(t, answer(clientAnswer))
	v, _ := verifier(t, as)
	as.Close()
	refusal := refused(t, v, bearer)
	expect(t, refusal, 503, "authorization_unavailable", "")
	if !strings.Contains(refusal.Error(), "cannot be reached") {
		t.Errorf("the log has no reason: %v", refusal)
	}
}

// R-HOST-5: tokens do not share answers, and the cache is limited. Invented tokens do not displace a valid caller.
func TestCacheIsBoundedAndPerToken(t *testing.T) {
	as := newAuthority(t, nil)
	answers := map[string]string{
		"a": `{"active":true,"pdpp_token_kind":"client","grant_id":"grt_a"}`,
		"b": `{"active":true,"pdpp_token_kind":"client","grant_id":"grt_b"}`,
	}
	v, _ := verifier(t, as, func(options *auth.Options) { options.CacheSize = 2 })
	var hashes []string
	for _, token := range []string{"a", "b", "a", "b"} {
		as.Set(answer(answers[token]))
		caller := admitted(t, v, token)
		if caller.GrantID != "grt_"+token {
			t.Errorf("%s got %+v", token, caller)
		}
		hashes = append(hashes, caller.TokenHash)
	}
	if hashes[0] == hashes[1] || hashes[0] != hashes[2] {
		t.Errorf("hashes %v of tokens a, b, a", hashes)
	}
	as.Set(answer(inactiveAnswer))
	for i := range 10 {
		refused(t, v, fmt.Sprintf("made-up-%d", i))
	}
	before := len(as.Introspected())
	admitted(t, v, "a")
	admitted(t, v, "b")
	if asked := len(as.Introspected()) - before; asked != 0 {
		t.Errorf("made-up tokens pushed out %d callers", asked)
	}
	refused(t, v, "made-up-0")
	if asked := len(as.Introspected()) - before; asked != 1 {
		t.Errorf("the cache of 2 still held the first of 10 refusals")
	}
}

// Observe receives the events of metrics.
func TestEvents(t *testing.T) {
	var events []auth.Event
	as := newAuthority(t, answer(clientAnswer))
	v, at := verifier(t, as, func(options *auth.Options) {
		options.Observe = func(event auth.Event) { events = append(events, event) }
	})
	admitted(t, v, bearer)
	admitted(t, v, bearer)
	as.Set(http.NotFound)
	at.At(time.Minute)
	refused(t, v, bearer)
	if got, want := fmt.Sprint(events), fmt.Sprint([]auth.Event{auth.Answered, auth.CacheHit, auth.Failed}); got != want {
		t.Errorf("events %s, want %s", got, want)
	}
}
