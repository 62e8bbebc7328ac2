package auth_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/server/auth"
)

// R-HOST-2, R-HOST-4: one header, one scheme, one grammar (RFC 6750, section 2.1).
func TestBearer(t *testing.T) {
	tests := []struct {
		name    string
		sent    []string
		token   string
		problem string // the challenge's error, when there is no token
	}{
		{"token", []string{"Bearer abcdefghijklmnop"}, "abcdefghijklmnop", ""},
		{"small letters", []string{"bearer abcdefghijklmnop"}, "abcdefghijklmnop", ""},
		{"capitals", []string{"BEARER abcdefghijklmnop"}, "abcdefghijklmnop", ""},
		{"every character", []string{"Bearer aZ09-._~+/aZ09=="}, "aZ09-._~+/aZ09==", ""},
		{"several spaces", []string{"Bearer   abcdefghijklmnop  "}, "abcdefghijklmnop", ""},
		{"longest", []string{"Bearer " + strings.Repeat("a", rs.LongestBearer)}, strings.Repeat("a", rs.LongestBearer), ""},

		{"no header", nil, "", ""},
		{"empty header", []string{""}, "", ""},
		{"other scheme", []string{"Basic YTpi"}, "", ""},
		{"scheme of another name", []string{"Bearerabc"}, "", ""},

		{"no token", []string{"Bearer"}, "", "invalid_token"},
		{"only a space", []string{"Bearer "}, "", "invalid_token"},
		{"too short to be one", []string{"Bearer abcdefghijklmno"}, "", "invalid_token"}, // R-ERR-6
		{"two headers", []string{"Bearer abc", "Bearer abc"}, "", "invalid_token"},
		{"two headers, one of another scheme", []string{"Basic YTpi", "Bearer abc"}, "", "invalid_token"},
		{"two in one", []string{"Bearer abc, Bearer def"}, "", "invalid_token"},
		{"two tokens", []string{"Bearer abc def"}, "", "invalid_token"},
		{"equals signs alone", []string{"Bearer =="}, "", "invalid_token"},
		{"equals sign inside", []string{"Bearer a=b"}, "", "invalid_token"},
		{"quotes", []string{`Bearer "abc"`}, "", "invalid_token"},
		{"tab", []string{"Bearer \tabc"}, "", "invalid_token"},
		{"line break", []string{"Bearer a\r\nb"}, "", "invalid_token"},
		{"beyond ASCII", []string{"Bearer é"}, "", "invalid_token"},
		{"too long", []string{"Bearer " + strings.Repeat("a", rs.LongestBearer+1)}, "", "invalid_token"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			token, err := auth.Bearer(http.Header{"Authorization": test.sent})
			if test.token != "" {
				if token != test.token || err != nil {
					t.Errorf("got %q and %v", token, err)
				}
				return
			}
			if token != "" {
				t.Errorf("got the token %q", token)
			}
			expect(t, asRefusal(t, nil, err), 401, "authentication_error", test.problem)
		})
	}
}

// An invalid bearer is not sent to the authorization server.
func TestMalformedBearerIsNotAskedAbout(t *testing.T) {
	as := newAuthority(t, answer(clientAnswer))
	v, _ := verifier(t, as)
	for _, token := range []string{"", "a b", "a\nb", "é", strings.Repeat("a", rs.LongestBearer+1)} {
		expect(t, refused(t, v, token), 401, "authentication_error", "invalid_token")
	}
	if asked := as.Introspected(); len(asked) != 0 {
		t.Errorf("the authorization server saw %+v", asked)
	}
}

// A bearer that Bearer returns is in the header unchanged, and can be forwarded.
func FuzzBearer(f *testing.F) {
	for _, sent := range []string{"Bearer abc", "bearer  a=", "Bearer", "Basic a", "Bearer a, Bearer b", "Bearer \x00"} {
		f.Add(sent)
	}
	f.Fuzz(func(t *testing.T, sent string) {
		token, err := auth.Bearer(http.Header{"Authorization": {sent}})
		if (token == "") == (err == nil) {
			t.Fatalf("got %q and %v", token, err)
		}
		if !strings.HasSuffix(strings.TrimRight(sent, " \t"), token) || strings.ContainsAny(token, " \t\r\n,\"\\") {
			t.Errorf("%q gave %q", sent, token)
		}
	})
}
