package resource_test

import (
	"strings"
	"testing"
)

func TestBearers(t *testing.T) {
	f := newFixture(t)
	for name, test := range map[string]struct {
		token, target string
		status        int
		code          string
	}{
		"no token":            {"", "/v1/streams", 401, "authentication_error"},
		"unknown token":       {"unregistered", "/v1/streams", 401, "context.active_false"},
		"no grant":            {emptyToken, "/v1/streams", 401, "context.active_false"},
		"revoked":             {revokedToken, "/v1/streams", 403, "grant_revoked"},
		"revoked, on records": {revokedToken, "/v1/streams/messages/records", 403, "grant_revoked"},
		"expired":             {expiredToken, "/v1/schema", 403, "grant_expired"},
		"package, on schema":  {packageToken, "/v1/schema", 404, "not_found"},
		"package, on records": {packageToken, "/v1/streams/messages/records", 404, "not_found"},
		"package, on search":  {packageToken, "/v1/search?q=overdraft", 404, "not_found"},
		"client as owner":     {personalToken, "/v1/owner/connections", 403, "permission_error"},
	} {
		t.Run(name, func(t *testing.T) {
			a := f.send("GET", test.token, test.target, "")
			if a.Code != test.status || a.text("error.code") != test.code {
				t.Fatalf("answered %d %s, want %d %s", a.Code, a.Body, test.status, test.code)
			}
			challenge := a.Header().Get("WWW-Authenticate")
			if test.status == 401 && (challenge != `Bearer resource_metadata="`+metadataURL+`"` ||
				a.text("error.resource_metadata") != metadataURL) {
				t.Errorf("challenge is %q, body %s", challenge, a.Body)
			}
			if test.status != 401 && challenge != "" {
				t.Errorf("a %d carries the challenge %q", test.status, challenge)
			}
		})
	}
}

func TestAnswersDoNotRepeatTheToken(t *testing.T) {
	f := newFixture(t)
	const token = "tok_8d1f0c52"
	if a := f.send("GET", token, "/v1/streams", ""); strings.Contains(a.Body.String(), token) || a.Code != 401 {
		t.Errorf("answered %d %s", a.Code, a.Body)
	}
}

func TestBasicCredentialsAreNoBearer(t *testing.T) {
	f := newFixture(t)
	a := f.send("GET", "", "/v1/streams", "", "Authorization", "Basic b3duZXI=")
	if a.Code != 401 || a.text("error.code") != "authentication_error" {
		t.Errorf("answered %d %s", a.Code, a.Body)
	}
}

func TestEveryAnswerCarriesRequestIDAndVersion(t *testing.T) {
	f := newFixture(t)
	for _, target := range []string{"/v1/schema", "/v1/nope", "/v1/streams/nope", "/", "/v1/blobs/blob_invoice"} {
		a := f.send("GET", personalToken, target, "")
		if !strings.HasPrefix(a.Header().Get("Request-Id"), "req_") || a.Header().Get("PDPP-Version") != "2026-04-06" {
			t.Errorf("%s: headers %v", target, a.Header())
		}
	}
}

func TestRequestedVersion(t *testing.T) {
	f := newFixture(t)
	if a := f.send("GET", personalToken, "/v1/streams", "", "PDPP-Version", "1999-01-01"); a.Code != 400 ||
		a.text("error.code") != "unsupported_version" {
		t.Errorf("answered %d %s", a.Code, a.Body)
	}
	if a := f.send("GET", personalToken, "/v1/streams", "", "PDPP-Version", "2026-04-06"); a.Code != 200 {
		t.Errorf("answered %d %s", a.Code, a.Body)
	}
}

// An unknown route and a method that a route does not have are answered from below the protocol.
func TestUnknownRoutes(t *testing.T) {
	f := newFixture(t)
	for _, test := range []struct{ method, target string }{
		{"GET", "/v1/nope"}, {"GET", "/v1/connections"}, {"POST", "/v1/streams"}, {"PUT", "/v1/schema"},
	} {
		a := f.send(test.method, personalToken, test.target, "{}")
		if a.Code != 404 {
			t.Errorf("%s %s: status %d", test.method, test.target, a.Code)
		}
		a.want("message", `"Route `+test.method+`:`+test.target+` not found"`)
		a.want("error", `"Not Found"`)
		a.want("statusCode", "404")
	}
}
