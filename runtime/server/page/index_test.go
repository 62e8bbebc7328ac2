package page_test

import (
	"strings"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/golden"
)

func TestIndexGolden(t *testing.T) { // R-HOST-11
	golden.File(t, "testdata/index.json", get(routes(options()), "/").Body.Bytes())
}

func TestIndexPageLinks(t *testing.T) { // R-HOST-11
	content := get(routes(options()), "/", "Accept", "text/html").Body.String()
	for _, want := range []string{
		`href="/dashboard/connect"`,
		`href="/mcp">https://data.example.org/mcp<`,
		`href="/.well-known/oauth-protected-resource">https://data.example.org/.well-known/oauth-protected-resource<`,
		`href="/.well-known/oauth-protected-resource/mcp">https://data.example.org/.well-known/oauth-protected-resource/mcp<`,
		`href="/llms.txt">https://data.example.org/llms.txt<`,
	} {
		if !strings.Contains(content, want) {
			t.Errorf("the page does not have %s", want)
		}
	}
}

func TestIndexNegotiation(t *testing.T) { // R-HOST-11
	handler := routes(options())
	for accept, wantHTML := range map[string]bool{
		"":                      false,
		"*/*":                   false,
		"application/json":      false,
		"text/html":             true,
		"TEXT/HTML":             true,
		"text/*":                true,
		"application/*":         false,
		"text/plain":            false,
		"application/xhtml+xml": false,
		"text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8": true, // a browser
		"text/html, application/json":                                     false,
		"text/html;q=0.9, application/json;q=0.8":                         true,
		"text/html;q=0.8, application/json;q=0.9":                         false,
		"text/html;q=0, */*":                                              false,
		"*/*, application/json;q=0.1":                                     true,
		"text/*;q=0.5, text/html;q=0.1, application/json;q=0.2":           false,
		"text/html;level=1":                                               true,
		"text/html;q=2":                                                   false,
		"text/html;q=NaN":                                                 false,
		"text/html;q=x, application/json;q=0.1":                           false,
		";;;,text/html":                                                   true,
		"text/html;q=":                                                    false,
	} {
		response := get(handler, "/", "Accept", accept)
		if gotHTML := strings.HasPrefix(response.Header().Get("Content-Type"), "text/html"); gotHTML != wantHTML {
			t.Errorf("Accept: %s gives %s", accept, response.Header().Get("Content-Type"))
		}
	}
	if response := get(handler, "/", "Accept", "application/json;q=0.5", "Accept",
		"text/html"); !strings.HasPrefix(response.Header().Get("Content-Type"), "text/html") {
		t.Error("the second Accept line is not read")
	}
}
