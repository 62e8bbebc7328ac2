package host_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
)

// Covers R-ERR-6 and R-HOST-5: a response or refusal of one member shows no token of the package or of another member,
// in any spelling.
func TestNoBearerOfACallIsShown(t *testing.T) {
	bearers := map[string]string{
		"package": "package+token/of-the-call==", "own": "own+token/of-the-member==", "other": "other+token/of-a-member==",
	}
	spelled := func(bearer string) string {
		return bearer + " " + strings.NewReplacer("+", `\u002B`, "=", `\u003d`, "/", `\/`).Replace(bearer)
	}
	for _, status := range []int{http.StatusOK, http.StatusForbidden} {
		t.Run(fmt.Sprint(status), func(t *testing.T) {
			h := newHosted(t, func(with *hostedWith) {
				with.surface = testSurface(readAll("read"))
				with.answer = func(w http.ResponseWriter, r *http.Request) {
					if r.Header.Get("Authorization") != "Bearer "+bearers["own"] {
						t.Errorf("asked with another bearer")
					}
					w.Header().Set("Request-Id", bearers["other"])
					w.WriteHeader(status)
					echo := spelled(bearers["package"]) + " " + spelled(bearers["own"]) + " " + spelled(bearers["other"])
					_, _ = fmt.Fprintf(w,
						`{"data":"canary %[1]s","error":{"type":"permission_error","code":"x","message":"canary %[1]s"}}`, echo)
				}
			})
			h.as.says(bearers["package"],
				`{"active":true,"pdpp_token_kind":"mcp_package","package":{"package_id":"gpkg_1","members":[`+
					`{"grant_id":"grt_1","status":"active","connection_id":"cin_1","streams":["echo"],"access_token":"`+
					bearers["own"]+`"},`+
					`{"grant_id":"grt_2","status":"active","connection_id":"cin_2","streams":["other"],"access_token":"`+
					bearers["other"]+`"}]}}`)
			answer := send(t, h.request(t, http.MethodPost, "/mcp", callOf("read", `{}`), "Authorization",
				"Bearer "+bearers["package"]))
			text := answer.body
			if answer.status != http.StatusOK || !strings.Contains(text, "canary") || !strings.Contains(text, "[redacted]") {
				t.Errorf("the answer is %d %s", answer.status, text)
			}
			for name := range bearers {
				if strings.Contains(text, name+"+") || strings.Contains(text, name+`\`) || strings.Contains(text, "of-") {
					t.Errorf("the answer shows the bearer %s: %s", name, text)
				}
			}
		})
	}
}

// Covers R-ERR-6: a token that is too short is refused before any request.
func TestAShortBearerIsRefused(t *testing.T) {
	h := newHosted(t)
	answer := send(t, h.request(t, http.MethodPost, "/mcp", callOf("read", `{}`), "Authorization",
		"Bearer "+strings.Repeat("x", rs.ShortestBearer-1)))
	if answer.status != http.StatusUnauthorized ||
		!strings.Contains(answer.header.Get("Www-Authenticate"), `error="invalid_token"`) ||
		!strings.Contains(answer.body, "16 characters") {
		t.Errorf("the answer is %+v", answer)
	}
	if asked := h.as.seen(); len(asked) > 0 {
		t.Errorf("the authorization server was asked %d times", len(asked))
	}
}
