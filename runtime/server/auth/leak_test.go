package auth_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/runtime/server/auth"
)

// planted returns the secrets in all spellings.
func planted() []string {
	encoded := url.QueryEscape(clientSecret)
	return []string{
		bearer, memberBearer, clientSecret, encoded,
		base64.StdEncoding.EncodeToString([]byte(url.QueryEscape("adapter:one") + ":" + encoded)),
	}
}

// assertHides prints a value in every form, and searches for secrets.
func assertHides(t *testing.T, value any) {
	t.Helper()
	var log bytes.Buffer
	slog.New(slog.NewTextHandler(&log, nil)).Info("text", "value", value)
	slog.New(slog.NewJSONHandler(&log, nil)).Info("json", "value", value)
	shapes := []string{log.String()}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
		shapes = append(shapes, fmt.Sprintf(verb, value))
	}
	if document, err := json.Marshal(value); err == nil {
		shapes = append(shapes, string(document))
	}
	for _, secret := range planted() {
		for _, shape := range shapes {
			if strings.Contains(shape, secret) || strings.Contains(shape, fmt.Sprintf("%x", secret)) {
				t.Errorf("%T shows a secret: %s", value, shape)
				return
			}
		}
	}
}

// assertHidesError checks every cause too.
func assertHidesError(t *testing.T, err error) {
	t.Helper()
	for ; err != nil; err = errors.Unwrap(err) {
		assertHides(t, err)
	}
}

// echo sends the request back in the body, in headers and instead of HTTP.
func echoes() map[string]http.HandlerFunc {
	seen := func(r *http.Request) string {
		_ = r.ParseForm()
		id, secret, _ := r.BasicAuth()
		return r.PostForm.Get("token") + " " + r.Header.Get("Authorization") + " " + id + " " + secret + " " + memberBearer
	}
	quoted := func(text string) string { document, _ := json.Marshal(text); return string(document) }
	say := func(status int, shape string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Location", "/?token="+url.QueryEscape(seen(r)))
			typed("application/json", status, strings.ReplaceAll(shape, "SEEN", quoted(seen(r))))(w, r)
		}
	}
	return map[string]http.HandlerFunc{
		"error":        say(500, `{"error":SEEN}`),
		"unauthorized": say(401, `{"error":SEEN}`),
		"redirect":     say(302, `{}`),
		"text":         say(200, `SEEN`),
		"not JSON":     say(200, `{SEEN`),
		"as a name":    say(200, `{SEEN:1,SEEN:2}`),
		"as active":    say(200, `{"active":SEEN}`),
		"as exp":       say(200, `{"active":true,"exp":SEEN}`),
		"as kind":      say(200, `{"active":true,"pdpp_token_kind":SEEN}`),
		"as aud":       say(200, `{"active":true,"pdpp_token_kind":"client","aud":SEEN}`),
		"as package":   say(200, `{"active":true,"pdpp_token_kind":"mcp_package","package":SEEN}`),
		"as package id": say(200,
			`{"active":true,"pdpp_token_kind":"mcp_package","grant_package_id":"a","package":{"package_id":SEEN}}`),
		"as member": say(200, `{"active":true,"pdpp_token_kind":"mcp_package","package":{"members":[SEEN]}}`),
		"media type": func(w http.ResponseWriter, r *http.Request) {
			typed(seen(r), 200, "{}")(w, r)
		},
		"no HTTP": func(w http.ResponseWriter, r *http.Request) {
			text := seen(r)
			if connection, _, err := http.NewResponseController(w).Hijack(); err == nil {
				_, _ = connection.Write([]byte(text + "\r\n\r\n"))
				_ = connection.Close()
			}
		},
		"bad header": func(w http.ResponseWriter, r *http.Request) {
			text := seen(r)
			if connection, _, err := http.NewResponseController(w).Hijack(); err == nil {
				_, _ = connection.Write([]byte("HTTP/1.1 200 OK\r\n" + text + "\r\n\r\n"))
				_ = connection.Close()
			}
		},
	}
}

// R-ERR-6: a refusal shows no secret to a client, a log or a developer, even when the authorization server
// sends secrets back.
func TestRefusalsHideSecrets(t *testing.T) {
	for name, echo := range echoes() {
		t.Run(name, func(t *testing.T) {
			as := newAuthority(t, echo)
			v, _ := verifier(t, as)
			refusal := refused(t, v, bearer)
			assertHidesError(t, refusal)
			recorder := httptest.NewRecorder()
			challenge.Write(recorder, refusal)
			assertHides(t, shown(recorder))
			if len(as.Introspected()) != 1 || as.Introspected()[0].Form.Get("token") != bearer {
				t.Error("the secrets were not sent, so this shows nothing")
			}
		})
	}
}

// R-ERR-6: a caller, its members, the options and the verifier print without secrets.
func TestCallersHideSecrets(t *testing.T) {
	as := newAuthority(t, answer(packageAnswer))
	v, _ := verifier(t, as, func(options *auth.Options) { assertHides(t, *options) })
	caller := admitted(t, v, bearer)
	if caller.Members[0].Bearer.Reveal() != memberBearer {
		t.Fatal("no secret is there to be hidden")
	}
	unused, _ := verifier(t, as) // printing one at work would read its locks
	for _, value := range []any{
		caller, *caller, caller.Members, caller.Members[0], &caller.Members[0].Bearer,
		caller.Members[0].Bearer, unused,
	} {
		assertHides(t, value)
	}
}

// R-ERR-6: no error has a well-formed token of a malformed header.
func TestBearerErrorsHideTheHeader(t *testing.T) {
	for _, sent := range [][]string{
		{"Bearer " + bearer + " x"},
		{"Bearer " + bearer, "x"},
		{"Basic " + bearer},
		{bearer},
	} {
		_, err := auth.Bearer(http.Header{"Authorization": sent})
		assertHidesError(t, err)
	}
	as := newAuthority(t, answer(clientAnswer))
	v, _ := verifier(t, as)
	assertHidesError(t, refused(t, v, bearer+"\n"))
}
