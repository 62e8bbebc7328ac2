package rs_test

import (
	"crypto/tls"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
)

// R-ERR-1, R-ERR-4, R-HOST-1: answers, refusals and failures show the provider's public origin instead of an internal
// address. Only the cause, which is for logs, may name the internal address.
func TestTheInnerAddressIsNotShown(t *testing.T) {
	const public = "https://pdpp.example/base"
	untrusted := roundTrip(func(*http.Request) (*http.Response, error) {
		return nil, &tls.CertificateVerificationError{Err: errors.New("not trusted")}
	})
	hangs := func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
	tests := map[string]struct {
		answer http.HandlerFunc
		change func(*rs.Options)
	}{
		"an answer":               {body(`{}`), nil},
		"a refusal":               {rejecting(403, `"code":"grant_revoked"`), nil},
		"a refusal without words": {refusing(500), nil},
		"a redirect":              {refusing(307), nil},
		"a broken answer":         {cutOff, nil},
		"a page":                  {body(`<html>`), nil},
		"no answer":               {hangUp, nil},
		"not HTTP":                {notHTTP, nil},
		"too much": {
			body(`{"a":"` + strings.Repeat("a", 100) + `"}`),
			func(o *rs.Options) { o.MaxBody = 50 },
		},
		"too late":                 {hangs, func(o *rs.Options) { o.Timeout = 50 * time.Millisecond }},
		"an untrusted certificate": {body(`{}`), func(o *rs.Options) { o.Transport = untrusted }},
		"no server":                {body(`{}`), func(o *rs.Options) { o.BaseURL = "http://127.0.0.1:1" }},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			client, _ := serve(t, test.answer, func(o *rs.Options) {
				o.ProviderURL = public + "/"
				if test.change != nil {
					test.change(o)
				}
			})
			request := rs.Request{Path: rs.JoinPath("v1", "streams", "a b", "records")}
			request.Query.Set("limit", "1")
			response, err := client.Get(t.Context(), request)
			shown, said := "", ""
			var refused *rs.Error
			var failure *rs.Failure
			switch {
			case err == nil:
				shown = response.URL
			case errors.As(err, &refused):
				shown, said = refused.URL, refused.Error()+refused.Message
			case errors.As(err, &failure):
				shown, said = failure.URL, failure.Error()+failure.Text()
			}
			if shown != public+"/v1/streams/a%20b/records?limit=1" {
				t.Errorf("the URL is %q", shown)
			}
			if strings.Contains(said, "127.0.0.1") {
				t.Errorf("says %q", said)
			}
		})
	}
}

// The request goes to the internal address, without the public one.
func TestTheInnerAddressIsRead(t *testing.T) {
	var base string
	client, requests := serve(t, body(`{}`),
		func(o *rs.Options) { base, o.ProviderURL = o.BaseURL, "https://pdpp.example/base" })
	if _, err := client.Get(t.Context(), rs.Request{Path: "/v1/schema"}); err != nil {
		t.Fatal(err)
	}
	inner, err := url.Parse(base)
	if err != nil {
		t.Fatal(err)
	}
	if seen := requests.all(); len(seen) != 1 || seen[0].Host != inner.Host || seen[0].URL.Path != "/v1/schema" {
		t.Errorf("the RS saw %v", seen)
	}
}
