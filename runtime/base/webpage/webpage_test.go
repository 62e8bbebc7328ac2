package webpage_test

import (
	"crypto/sha256"
	"encoding/base64"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/webpage"
)

// Texts of a page are escaped, and its policy allows only its own style.
func TestMessageIsInert(t *testing.T) {
	const hostile = `"><script>alert(1)</script>`
	response := httptest.NewRecorder()
	webpage.Message{
		Site: hostile, Title: hostile, Text: []string{hostile}, Link: hostile,
		LinkText: hostile,
	}.Write(response, 404)
	body := response.Body.String()
	if strings.Contains(body, "<script") || strings.Contains(body, `href=""`) ||
		strings.Count(body, "&#34;&gt;&lt;script&gt;") != 7 {
		t.Errorf("the page is %s", body[strings.Index(body, "</style>"):])
	}
	_, style, _ := strings.Cut(body, "<style>")
	style, _, _ = strings.Cut(style, "</style>")
	sum := sha256.Sum256([]byte(style))
	want := "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) +
		"'; base-uri 'none'; frame-ancestors 'none'; form-action 'none'"
	if got := response.Header().Get("Content-Security-Policy"); got != want {
		t.Errorf("policy %s, want %s", got, want)
	}
	if response.Code != 404 || response.Header().Get("Cache-Control") != "no-store" || strings.Contains(style, "url(") ||
		strings.Contains(style, "@import") {
		t.Errorf("answered %d with %v", response.Code, response.Header())
	}
}
