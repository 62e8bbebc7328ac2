package auth_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// R-HOST-4, R-ERR-6: the authorization server gets the token only in the form (RFC 7662, RFC 6749 2.3.1).
func TestIntrospectionRequest(t *testing.T) {
	as := newAuthority(t, answer(clientAnswer))
	v, _ := verifier(t, as)
	admitted(t, v, bearer)
	asked := as.Introspected()
	if len(asked) != 1 {
		t.Fatalf("%d introspections", len(asked))
	}
	got := asked[0]
	form := map[string][]string{"token": {bearer}, "token_type_hint": {"access_token"}}
	if diff := cmp.Diff(form, map[string][]string(got.Form)); diff != "" {
		t.Errorf("form (-want +got):\n%s", diff)
	}
	if got.Method != http.MethodPost || got.Target != "/introspect" || !got.HadBasic || got.ID != "adapter:one" ||
		got.Secret != clientSecret {
		t.Errorf("%s %s as %q with the right secret: %v", got.Method, got.Target, got.ID, got.Secret == clientSecret)
	}
	for name, want := range map[string]string{
		"Content-Type": "application/x-www-form-urlencoded", "Accept": "application/json", "User-Agent": "pdpp-mcp",
	} {
		if value := got.Header.Get(name); value != want {
			t.Errorf("%s: %q, want %q", name, value, want)
		}
	}
	for name, values := range got.Header {
		if strings.Contains(strings.Join(values, " "), bearer) {
			t.Errorf("the token is in %s", name)
		}
	}
	if discovered := as.Discovered(); len(discovered) != 0 {
		t.Errorf("metadata was read although the endpoint is configured: %+v", discovered)
	}
}

// R-HOST-4: an unusable answer admits no token.
func TestUnusableAnswersFailClosed(t *testing.T) {
	for name, test := range map[string]struct {
		answer http.HandlerFunc
		says   string
	}{
		"HTML":             {typed("text/html", 200, "<html>sign in</html>"), "application/json"},
		"HTML called JSON": {answer("<html>sign in</html>"), "not JSON in UTF-8"},
		"JSON called HTML": {typed("text/html", 200, clientAnswer), "application/json"},
		"no media type":    {typed("", 200, clientAnswer), "application/json"},
		"credentials":      {typed("application/json", 401, clientAnswer), "client id and secret"},
		"forbidden":        {typed("application/json", 403, clientAnswer), "client id and secret"},
		"server error":     {typed("application/json", 500, clientAnswer), "500"},
		"created":          {typed("application/json", 201, clientAnswer), "201"},
		"too large": {
			answer(`{"active":true,"pdpp_token_kind":"client","x":"` + strings.Repeat("x", 1<<20) + `"}`),
			"1048576 bytes",
		},
		"compressed unasked": {compressed, "application/json"},
		"cut off":            {cutOff, "was cut off"},
		"hang-up":            {hangUp, "cannot be reached"},
	} {
		t.Run(name, func(t *testing.T) {
			as := newAuthority(t, test.answer)
			v, _ := verifier(t, as)
			refusal := refused(t, v, bearer)
			expect(t, refusal, 503, "authorization_unavailable", "")
			if !strings.Contains(refusal.Error(), test.says) {
				t.Errorf("the log gets %q, want …%s…", refusal, test.says)
			}
			if cause := errors.Unwrap(refusal); cause == nil ||
				!strings.HasPrefix(cause.Error(), "authorization server, "+as.URL+"/introspect: ") {
				t.Errorf("the cause is %v", cause)
			}
			if strings.Contains(refusal.Message, as.URL) {
				t.Errorf("the message to a client names the endpoint: %s", refusal.Message)
			}
		})
	}
}

func compressed(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Encoding", "gzip")
	typed("application/gzip", 200, "\x1f\x8b\x08")(w, r)
}

func cutOff(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Length", "1000")
	answer(clientAnswer)(w, r)
}

func hangUp(w http.ResponseWriter, _ *http.Request) {
	connection, _, err := http.NewResponseController(w).Hijack()
	if err == nil {
		_ = connection.Close()
	}
}

// R-HOST-4, R-ERR-6: no redirect is followed, so that no other server sees the token or the credentials.
func TestRedirectsAreNotFollowed(t *testing.T) {
	other := newAuthority(t, answer(clientAnswer))
	for _, status := range []int{301, 302, 303, 307, 308} {
		as := newAuthority(t,
			func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, other.URL+"/introspect", status) })
		v, _ := verifier(t, as)
		expect(t, refused(t, v, bearer), 503, "authorization_unavailable", "")
		if asked := len(as.Introspected()); asked != 1 {
			t.Errorf("%d: %d introspections", status, asked)
		}
	}
	if seen := other.Introspected(); len(seen) != 0 {
		t.Errorf("the other server saw %d requests", len(seen))
	}
}

// A readiness probe always asks, with no caller's token.
func TestCheck(t *testing.T) {
	as := newAuthority(t, answer(inactiveAnswer))
	v, _ := verifier(t, as)
	for range 2 {
		if err := v.Check(t.Context()); err != nil {
			t.Error(err)
		}
	}
	asked := as.Introspected()
	if len(asked) != 2 || asked[0].Form.Get("token") == asked[1].Form.Get("token") || asked[0].Form.Get("token") == "" {
		t.Errorf("the authorization server saw %+v", asked)
	}
	as.Set(typed("application/json", 401, `{}`))
	err := v.Check(t.Context())
	expect(t, asRefusal(t, nil, err), 503, "authorization_unavailable", "")
}
