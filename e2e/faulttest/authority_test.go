package faulttest_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pdppmcp/pdpp-mcp/e2e/faulttest"
)

// introspected is a body that introspection could have, of a token that is active.
const introspected = `{"active":true,"pdpp_token_kind":"client","client_id":"c","grant_id":"g"}`

// wrongAnswer is a fault of the authorization server. With it a token is neither accepted nor called invalid.
type wrongAnswer struct {
	name  string
	fault faulttest.Fault
}

// timeouts are faults that last until the deadline, wrongAnswers those that are answers of a kind.
var timeouts = []wrongAnswer{
	{"latency past the deadline", faulttest.Latency(time.Minute)},
	{"hang", faulttest.Hang},
	{"slow header", faulttest.SlowHeader(shortly / 20)},
	{"slow body", faulttest.SlowBody(shortly / 20)},
}

var wrongAnswers = []wrongAnswer{
	{"hang-up", faulttest.HangUp},
	{"reset", faulttest.Reset},
	{"reset in the body", faulttest.ResetInBody},
	{"truncated body", faulttest.Truncated},
	{"truncated chunk", faulttest.TruncatedChunks},
	{"endless body", faulttest.Endless},
	{"not HTTP", faulttest.Garbage},
	{"long headers", faulttest.LongHeader(128 << 10)},
	{"429", faulttest.Status(http.StatusTooManyRequests, "1")},
	{"500", faulttest.Status(http.StatusInternalServerError)},
	{"503", faulttest.Status(http.StatusServiceUnavailable, "1")},
	{"a good answer under 500", faulttest.Under(http.StatusInternalServerError)},
	{"a good answer under 404", faulttest.Under(http.StatusNotFound)},
	{"401 to the adapter", faulttest.Status(http.StatusUnauthorized)},
	{"nothing (204)", faulttest.Status(http.StatusNoContent)},
	{"redirect to another host", faulttest.Redirect(elsewhere)},
	{"a sign-in page", faulttest.Page},
	{"JSON declared as text", faulttest.Declared("text/plain")},
	{"corrupt body", faulttest.Corrupted},
	{"gzip that was not asked for", faulttest.CorruptedGzip},
	{"gzip bomb", faulttest.GzipBomb(64 << 20)},
	{"invalid UTF-8", faulttest.Prefixed("\"x\":\"\xff\"")},
	{"nested too deep", faulttest.Prefixed(`"x":` + faulttest.Nested(100_000))},
	{"duplicate keys", faulttest.Prefixed(`"active":true`)},
	{"a list in place of an object", faulttest.Replaced(`[` + introspected + `]`)},
	{"active that is a text", faulttest.Replaced(strings.Replace(introspected, "true", `"true"`, 1))},
	{"two documents", faulttest.Replaced(introspected + introspected)},
}

// R-HOST-4: while the authorization server fails, requests are refused with a status and a code that say so, and the
// resource server sees nothing. Tokens that were verified before still work.
func TestFaultsOfTheAuthorizationServer(t *testing.T) {
	for _, way := range ways[1:] { // stdio needs no introspection
		t.Run(way.name, func(t *testing.T) {
			watch(t)
			for i, fault := range slices.Concat(timeouts, wrongAnswers) {
				waits, within := i < len(timeouts), ample
				if waits {
					within.ask = shortly
				}
				t.Run(fault.name, func(t *testing.T) {
					watchOrWait(t, waits)
					resource := faulttest.New(t)
					resource.Serve(provider())
					a := way.start(t, resource, within)
					a.as.Inject(faulttest.Plan{Fault: fault.fault})
					got := a.read()
					got.assertUnavailable(t)
					if got.took > within.ask+slack {
						t.Errorf("the refusal took %s", got.took)
					}
					if seen := resource.Take(); len(seen) > 0 {
						t.Errorf("the resource server saw %v", seen)
					}
					if asked := a.as.Take(); len(asked) != 1 {
						t.Errorf("the authorization server saw %d requests, want one", len(asked))
					}
					a.as.Heal()
					a.mustAnswer("after the fault")
					a.as.Inject(faulttest.Plan{Fault: fault.fault})
					a.mustAnswer("while the answer is kept")
				})
			}
		})
	}
}

// The same while the authorization server is down.
func TestAuthorizationServerIsDown(t *testing.T) {
	for _, way := range ways[1:] {
		t.Run(way.name, func(t *testing.T) {
			watch(t)
			resource := faulttest.New(t)
			resource.Serve(provider())
			a := way.start(t, resource, ample)
			a.as.Stop(0)
			a.read().assertUnavailable(t)
			a.as.Start()
			a.mustAnswer("after")
		})
	}
}

// assertUnavailable checks the HTTP answer of an adapter that cannot introspect the token.
func (s outcome) assertUnavailable(t *testing.T) {
	t.Helper()
	var got struct {
		Error struct {
			Code    string `json:"code"`
			Message string `json:"message"`
		} `json:"error"`
	}
	if err := json.Unmarshal([]byte(s.body), &got); err != nil {
		t.Fatalf("%d %q: %v", s.status, s.body, err)
	}
	if s.status != http.StatusServiceUnavailable || got.Error.Code != "authorization_unavailable" {
		t.Errorf("got %d %s, want 503 authorization_unavailable", s.status, s.body)
	}
	if s.header.Get("Retry-After") == "" || !strings.Contains(got.Error.Message, "again") {
		t.Errorf("nothing says when to try again: Retry-After %q, %s", s.header.Get("Retry-After"), got.Error.Message)
	}
}
