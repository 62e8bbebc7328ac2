package page_test

import (
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"github.com/pdppmcp/pdpp-mcp/e2e/browsertest"
)

// insecureHost resolves to this machine in the browser alone. Over plain http it has no clipboard, like an address in
// a home network.
const insecureHost = "setup.test"

// site is a browser with a server.
type site struct {
	browser browsertest.Browser
	url     string // of the server, at 127.0.0.1
	port    string // with its colon
}

// openSite starts both. It returns false if the environment disables the browser.
func openSite(t *testing.T) (_ site, ok bool) {
	t.Helper()
	started, ok := browsertest.Open(t, chromedp.Flag("host-resolver-rules", "MAP "+insecureHost+" 127.0.0.1"))
	if !ok {
		return site{}, false
	}
	server := httptest.NewServer(routes(options()))
	t.Cleanup(server.Close)
	return site{browser: started, url: server.URL, port: server.URL[strings.LastIndexByte(server.URL, ':'):]}, true
}

// tab is one page in the browser.
type tab struct{ browsertest.Tab }

// planned holds what a page does after four seconds until a test runs it: a busy machine may not look before.
const planned = `{
	const later = window.setTimeout;
	window.planned = [];
	window.setTimeout = (run, wait) => wait === 4000 ? (planned.push(run), 0) : later(run, wait);
}`

func (s site) tab(t *testing.T) tab {
	opened := tab{s.browser.Tab(t)}
	if _, err := chromedp.Call(opened.Ctx, page.AddScriptToEvaluateOnNewDocument,
		page.AddScriptToEvaluateOnNewDocumentParams{Source: planned}); err != nil {
		t.Fatal(err)
	}
	return opened
}

// permit decides on both permissions that writing to the clipboard may need.
func (t tab) permit(origin string, setting browser.PermissionSetting) {
	t.Helper()
	for _, name := range []string{"clipboard-read", "clipboard-write"} {
		for _, raw := range []bool{false, true} {
			_, err := chromedp.CallBrowser(t.Ctx, browser.SetPermission, browser.SetPermissionParams{
				Permission: &browser.PermissionDescriptor{Name: name, AllowWithoutSanitization: raw},
				Setting:    setting,
				Origin:     origin,
			})
			if err != nil {
				t.Fatal(err)
			}
		}
	}
}

// evaluate runs an expression in the page, and waits for a promise.
func evaluate[T any](t tab, expression string) T {
	t.Helper()
	return browsertest.Evaluate[T](t.Tab, expression)
}
