// Package browsertest opens pages in a real browser for tests: Debian's chromium, or the one that
// PDPP_CHROMIUM names. Only tests import it.
package browsertest

import (
	"context"
	"os"
	"os/exec"
	"slices"
	"testing"

	"github.com/chromedp/chromedp"
)

// Advice explains how to install a browser, as .ci/browser does.
const Advice = "pages are tested in a browser: apt-get install chromium chromium-sandbox, or name one in " +
	"PDPP_CHROMIUM, or set PDPP_NO_BROWSER=1 to do without"

// Browser is a running browser with a new profile. It ends with the test that opened it.
type Browser struct {
	ctx context.Context
}

// Open starts a browser with further flags. Without a browser, it fails the test, or returns false and logs the reason
// if the caller asked to do without one.
func Open(t *testing.T, further ...chromedp.ExecAllocatorOption) (_ Browser, ok bool) {
	t.Helper()
	if os.Getenv("PDPP_NO_BROWSER") == "1" { // also when there is one, since it may not start here
		t.Log(Advice)
		return Browser{}, false
	}
	executable := Find()
	if executable == "" {
		t.Fatal(Advice)
	}
	flags := append(slices.Clone(chromedp.DefaultExecAllocatorOptions[:]),
		chromedp.ExecPath(executable), chromedp.UserDataDir(t.TempDir()))
	if os.Geteuid() == 0 {
		flags = append(flags, chromedp.NoSandbox) // the sandbox refuses to run as root
	}
	allocator, stop := chromedp.NewExecAllocator(t.Context(), append(flags, further...)...)
	t.Cleanup(stop)
	started, closeBrowser := chromedp.NewContext(allocator)
	t.Cleanup(closeBrowser)
	if err := chromedp.Do(started); err != nil {
		t.Fatalf("%s does not start: %v\n%s", executable, err, Advice)
	}
	return Browser{started}, true
}

// Find returns the browser's path, or an empty string without a browser.
func Find() string {
	for _, name := range []string{os.Getenv("PDPP_CHROMIUM"), "chromium", "chromium-browser", "google-chrome"} {
		if found, err := exec.LookPath(name); err == nil {
			return found
		}
	}
	return ""
}
