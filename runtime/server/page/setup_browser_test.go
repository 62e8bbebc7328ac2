package page_test

import (
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	gocmp "github.com/google/go-cmp/cmp"
)

func TestSetupPageInABrowser(t *testing.T) { // R-HOST-7
	opened, ok := openSite(t)
	if !ok {
		return
	}
	for _, check := range []struct {
		name string
		run  func(site, tab)
	}{
		{"loads without a complaint", loadsWithoutAComplaint},
		{"the policy stops what is inline", policyStopsWhatIsInline},
		{"buttons copy and say so", buttonsCopy},
		{"what they say goes away", announcementGoesAway},
		{"selects when the clipboard is refused", selectsWhenRefused},
		{"selects when there is no clipboard", selectsWithoutClipboard},
		{"the keyboard reaches everything", keyboardReachesEverything},
		{"fits a phone", fitsAPhone},
		{"light and dark", lightAndDark},
		{"works without scripts", worksWithoutScripts},
	} {
		t.Run(check.name, func(t *testing.T) { check.run(opened, opened.tab(t)) })
	}
}

func loadsWithoutAComplaint(s site, t tab) {
	problems := t.Problems()
	for _, path := range []string{"/dashboard/connect", "/", "/icon.svg", "/connect"} {
		t.Do(chromedp.Navigate(s.url + path))
	}
	if seen := problems(); len(seen) != 0 {
		t.Errorf("the console has %q", seen)
	}
	if path := evaluate[string](t, "location.pathname"); path != "/dashboard/connect" {
		t.Errorf("/connect ends at %s", path)
	}
	if width := evaluate[float64](t, "document.querySelector('header svg').getBoundingClientRect().width"); width != 28 {
		t.Error("the icon is not drawn")
	}
}

// Holds the test above too: were a violation not seen, it could not fail.
func policyStopsWhatIsInline(s site, t tab) {
	problems := t.Problems()
	t.Do(chromedp.Navigate(s.url + "/dashboard/connect"))
	evaluate[chromedp.Void](t, `{
		const script = document.createElement("script");
		script.textContent = "window.ranInline = true";
		document.body.append(script);
	}`)
	if evaluate[bool](t, "window.ranInline === true") {
		t.Error("an inline script ran")
	}
	if seen := strings.Join(problems(), "\n"); !strings.Contains(seen, "Content Security Policy") {
		t.Errorf("no violation is in the console: %q", seen)
	}
}

const announced = `document.getElementById("announcement").textContent`

func buttonsCopy(s site, t tab) {
	t.permit(s.url, browser.PermissionSettingGranted)
	t.Do(chromedp.Navigate(s.url + "/dashboard/connect"))
	for _, button := range []struct{ id, noun, text string }{
		{"mcp-url", "MCP URL", "https://data.example.org/mcp"},
		{"claude-code", "Claude Code command", "claude mcp add --transport http pdpp https://data.example.org/mcp"},
		{"codex", "Codex command", "codex mcp add pdpp --url https://data.example.org/mcp"},
		{"command-line", "terminal command", "pdpp-mcp connect https://data.example.org"},
	} {
		selector := `button[data-copies="` + button.id + `"]`
		if name := evaluate[string](t, "document.querySelector(`"+selector+"`).textContent"); name != "Copy "+button.noun {
			t.Errorf("the button is called %q", name)
		}
		t.Do(chromedp.Click(chromedp.CSS(selector)))
		t.Becomes(announced, "Copied "+button.noun)
		t.Becomes("document.querySelector(`"+selector+" .face`).textContent", "Copied")
		if got := evaluate[string](t, "navigator.clipboard.readText()"); got != button.text {
			t.Errorf("%s: the clipboard has %q, want %q", button.id, got, button.text)
		}
	}
}

func announcementGoesAway(s site, t tab) {
	t.permit(s.url, browser.PermissionSettingGranted)
	t.Do(chromedp.Navigate(s.url + "/dashboard/connect"))
	t.Do(chromedp.Click(chromedp.CSS("button")))
	t.Becomes(announced, "Copied MCP URL")
	t.Becomes(`document.querySelector("button .face").textContent`, "Copied")
	evaluate[chromedp.Void](t, "planned.forEach(run => run())")
	t.Becomes(announced, "")
	t.Becomes(`document.querySelector("button .face").textContent`, "Copy")
}

func selectsWhenRefused(s site, t tab) {
	origin := "http://localhost" + s.port // another origin than in the test that may copy
	t.permit(origin, browser.PermissionSettingDenied)
	t.Do(chromedp.Navigate(origin + "/dashboard/connect"))
	expectSelection(t)
}

func selectsWithoutClipboard(s site, t tab) {
	t.Do(chromedp.Navigate("http://" + insecureHost + s.port + "/dashboard/connect"))
	if evaluate[bool](t, "'clipboard' in navigator") {
		t.Fatal("the address has a clipboard, so this tests nothing")
	}
	expectSelection(t)
}

func expectSelection(t tab) {
	t.Helper()
	t.Do(chromedp.Click(chromedp.CSS(`button[data-copies="codex"]`)))
	t.Becomes(announced, "Selected Codex command. Press Ctrl+C to copy it.")
	t.Becomes(`document.querySelector('button[data-copies="codex"] .face').textContent`, "Selected")
	if got, want := evaluate[string](t,
		"getSelection().toString()"), "codex mcp add pdpp --url https://data.example.org/mcp"; got != want {
		t.Errorf("selected is %q, want %q", got, want)
	}
}

func keyboardReachesEverything(s site, t tab) {
	t.permit(s.url, browser.PermissionSettingGranted)
	t.Do(chromedp.Navigate(s.url + "/dashboard/connect"))
	const focused = `(element => [element.dataset.copies ?? element.getAttribute("href"),
		getComputedStyle(element).outlineStyle + " " + getComputedStyle(element).outlineWidth])(document.activeElement)`
	var order []string
	for range 8 {
		t.Do(chromedp.KeyEvent("\t"))
		at := evaluate[[]string](t, focused)
		order = append(order, at[0])
		if at[1] != "solid 3px" {
			t.Errorf("the focus at %s is drawn as %q", at[0], at[1])
		}
	}
	if diff := gocmp.Diff([]string{
		"mcp-url", "claude-code", "codex", "cursor", "vscode", "gemini", "command-line",
		"/llms.txt",
	}, order); diff != "" {
		t.Errorf("tab order (-want +got):\n%s", diff)
	}
	for key, id := range map[string]string{"\r": "codex", " ": "mcp-url"} {
		t.Do(chromedp.Focus(chromedp.CSS(`button[data-copies="`+id+`"]`)), chromedp.KeyEvent(key))
		t.Becomes(`document.querySelector('button[data-copies="`+id+`"] .face').textContent`, "Copied")
	}
}

func fitsAPhone(_ site, t tab) {
	const width = 320
	server := httptest.NewServer(
		routes(withOrigin("https://the-quite-long-name-of-a-personal-data-server.households.example.org:8443")))
	defer server.Close()
	t.Do(chromedp.EmulateViewport(width, 740, chromedp.EmulateMobile))
	for _, path := range []string{"/dashboard/connect", "/"} {
		t.Do(chromedp.Navigate(server.URL + path))
		if wide := t.Wide(width); len(wide) != 0 {
			t.Errorf("%s: wider than the screen: %q", path, wide)
		}
		if low := t.Low(); len(low) != 0 {
			t.Errorf("%s: too low for a finger: %q", path, low)
		}
	}
}

func lightAndDark(_ site, t tab) {
	server := httptest.NewServer(routes(withOrigin("http://192.168.1.4:8788"))) // the page has its note
	defer server.Close()
	grounds := map[string]string{}
	for _, scheme := range []string{"light", "dark"} {
		t.Scheme(scheme)
		for _, path := range []string{"/", "/dashboard/connect"} {
			t.Do(chromedp.Navigate(server.URL + path))
			if faint := t.Faint(); len(faint) != 0 {
				t.Errorf("%s %s: too little contrast: %q", scheme, path, faint)
			}
		}
		grounds[scheme] = evaluate[string](t, "getComputedStyle(document.body).backgroundColor")
	}
	if want := map[string]string{"light": "rgb(251, 251, 250)", "dark": "rgb(19, 20, 22)"}; !gocmp.Equal(want, grounds) {
		t.Errorf("grounds are %v, want %v", grounds, want)
	}
}

func worksWithoutScripts(s site, t tab) {
	if _, err := chromedp.Call(t.Ctx, emulation.SetScriptExecutionDisabled,
		emulation.SetScriptExecutionDisabledParams{Value: true}); err != nil {
		t.Fatal(err)
	}
	t.Do(chromedp.Navigate(s.url + "/dashboard/connect"))
	if text, err := chromedp.Run(t.Ctx, chromedp.Text(chromedp.CSS("#mcp-url"))); err != nil ||
		text != "https://data.example.org/mcp" {
		t.Errorf("the URL is %q, %v", text, err)
	}
	t.Do(chromedp.WaitNotVisible(chromedp.CSSAll("button")))
}
