package page_test

import (
	"context"
	"net/http/httptest"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// installBrowser is what to do when there is no browser. .ci/browser does it.
const installBrowser = "the setup page is tested in a browser: apt-get install chromium, or name one in PDPP_CHROMIUM, or set PDPP_NO_BROWSER=1 to do without"

// tabTimeout bounds one test in one tab.
const tabTimeout = 15 * time.Second

// insecureHost resolves to this machine in the browser alone. Over plain http it has no clipboard, as an
// address in a home network has none.
const insecureHost = "setup.test"

// site is a browser and the server that it looks at.
type site struct {
	browser context.Context
	url     string // of the server, at 127.0.0.1
	port    string // with its colon
}

// openSite starts both. ok is false when the caller asked to do without a browser.
func openSite(t *testing.T) (_ site, ok bool) {
	t.Helper()
	executable := findBrowser()
	if executable == "" && os.Getenv("PDPP_NO_BROWSER") == "1" {
		t.Log(installBrowser)
		return site{}, false
	}
	if executable == "" {
		t.Fatal(installBrowser)
	}
	flags := append(slices.Clone(chromedp.DefaultExecAllocatorOptions[:]),
		chromedp.ExecPath(executable),
		chromedp.UserDataDir(t.TempDir()),
		chromedp.Flag("host-resolver-rules", "MAP "+insecureHost+" 127.0.0.1"))
	if os.Geteuid() == 0 {
		flags = append(flags, chromedp.NoSandbox) // the sandbox refuses to run as root
	}
	allocator, stop := chromedp.NewExecAllocator(t.Context(), flags...)
	t.Cleanup(stop)
	started, closeBrowser := chromedp.NewContext(allocator)
	t.Cleanup(closeBrowser)
	if err := chromedp.Do(started); err != nil {
		t.Fatalf("%s does not start: %v", executable, err)
	}
	server := httptest.NewServer(routes(options()))
	t.Cleanup(server.Close)
	return site{browser: started, url: server.URL, port: server.URL[strings.LastIndexByte(server.URL, ':'):]}, true
}

func findBrowser() string {
	for _, name := range []string{os.Getenv("PDPP_CHROMIUM"), "chromium", "chromium-browser", "google-chrome"} {
		if found, err := exec.LookPath(name); err == nil {
			return found
		}
	}
	return ""
}

// tab is one page in the browser.
type tab struct {
	*testing.T
	ctx context.Context
}

func (s site) tab(t *testing.T) tab {
	opened, closeTab := chromedp.NewContext(s.browser)
	t.Cleanup(closeTab)
	if err := chromedp.Do(opened); err != nil {
		t.Fatal(err)
	}
	limited, cancel := context.WithTimeout(opened, tabTimeout)
	t.Cleanup(cancel)
	return tab{t, limited}
}

func (t tab) do(steps ...chromedp.Action[chromedp.Void]) {
	t.Helper()
	if err := chromedp.Do(t.ctx, steps...); err != nil {
		t.Fatal(err)
	}
}

func (t tab) media(scheme string) {
	t.Helper()
	_, err := chromedp.Call(t.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}},
	})
	if err != nil {
		t.Fatal(err)
	}
}

// permit decides on both permissions that writing to the clipboard may need.
func (t tab) permit(origin string, setting browser.PermissionSetting) {
	t.Helper()
	for _, name := range []string{"clipboard-read", "clipboard-write"} {
		for _, raw := range []bool{false, true} {
			_, err := chromedp.CallBrowser(t.ctx, browser.SetPermission, browser.SetPermissionParams{
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

// evaluate runs an expression in the page and waits when it gives a promise.
func evaluate[T any](t tab, expression string) T {
	t.Helper()
	value, err := chromedp.Run(t.ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		t.Fatalf("%s: %v", expression, err)
	}
	return value
}

// becomes waits until an expression has a value.
func (t tab) becomes(expression, want string) {
	t.Helper()
	holds := chromedp.Poll[bool](expression+" === "+strconv.Quote(want), chromedp.WithPollingTimeout(5*time.Second))
	if _, err := chromedp.Run(t.ctx, holds); err != nil {
		t.Fatalf("%s is %q, want %q (%v)", expression, evaluate[string](t, expression), want, err)
	}
}

// problems are the errors and warnings that a page caused in the console, among them each violation of
// its policy. It subscribes when it is called; the function that it returns gives what came since.
func (t tab) problems() func() []string {
	const mark = "everything before this line was seen"
	messages := chromedp.Console(t.ctx)
	return func() []string {
		t.Helper()
		evaluate[chromedp.Void](t, `console.info("`+mark+`")`)
		var seen []string
		for message, err := range messages {
			if err != nil {
				t.Fatal(err)
			}
			if message.Text == mark {
				break
			}
			if message.IsException() || message.Type == "error" || message.Type == "warning" {
				seen = append(seen, message.Text)
			}
		}
		return seen
	}
}
