package main

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"golang.org/x/oauth2"

	"github.com/pdppmcp/pdpp-mcp/e2e/browsertest"
	"github.com/pdppmcp/pdpp-mcp/e2e/flowtest"
	"github.com/pdppmcp/pdpp-mcp/sandbox/sample"
)

// hostileName is the name of a hostile client: markup, and a word that is wider than a phone.
const hostileName = `<b>Ledger</b> "&" ` + "Bookkeeping-assistant-with-a-name-that-no-phone-has-room-for"

// R-HOST-7: every page that an owner or a lost visitor meets fits a small phone and a wide screen, can be read in light
// and dark, loads without a complaint, and is the same page as all others: with the icon and the name of who shows it.
func TestPagesOfTheOrigin(t *testing.T) {
	browser, ok := browsertest.Open(t)
	if !ok {
		return
	}
	ready := startReady(t)
	client, err := flowtest.Register(t.Context(), http.DefaultTransport, ready.URL, hostileName)
	if err != nil {
		t.Fatal(err)
	}
	device, err := client.DeviceAuth(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	pages := []struct{ name, address, title string }{
		{"index", "/", "An MCP server for personal data"},
		{"connect", "/dashboard/connect", "Connect an AI app"},
		{"mcp", "/mcp", "This address is for AI apps"},
		{"nothing", "/nothing", "There is nothing here"},
		{"nothing-of-oauth", "/oauth/nothing", "There is nothing here"},
		{"consent", strings.TrimPrefix(client.AuthCodeURL("s", oauth2.S256ChallengeOption(oauth2.GenerateVerifier())),
			ready.URL), hostileName + " asks to read your data"},
		{"undecidable", "/oauth/authorize?client_id=unknown", "This request cannot be decided"},
		{"code", "/oauth/device", "Connect a device"},
		{"wrong-code", "/oauth/device?user_code=WRONG", "Connect a device"},
		{"device", "/oauth/device?user_code=" + url.QueryEscape(device.UserCode), hostileName + " asks to read your data"},
	}
	for _, page := range pages {
		t.Run(page.name, func(t *testing.T) {
			tab := browser.Tab(t)
			problems := tab.Problems()
			for _, scheme := range []string{"light", "dark"} {
				tab.Scheme(scheme)
				for _, width := range []int{320, 768, 1280} {
					tab.Do(chromedp.EmulateViewport(int64(width), 800), chromedp.Navigate(ready.URL+page.address))
					expectLook(tab, width)
					tab.Picture(fmt.Sprintf("pages-%s-%s-%d", page.name, scheme, width))
				}
			}
			if title := browsertest.Evaluate[string](tab, `document.querySelector("h1").textContent`); title != page.title {
				t.Errorf("the page is called %q", title)
			}
			for _, problem := range problems() {
				if !strings.Contains(problem, "the server responded with a status of 4") {
					t.Errorf("the console has %q", problem)
				}
			}
		})
	}
	t.Run("keyboard", func(t *testing.T) { keyboardDecides(browser.Tab(t), ready.URL+pages[9].address) })
}

func expectLook(tab browsertest.Tab, width int) {
	tab.Helper()
	browsertest.Evaluate[any](tab, `document.querySelectorAll("details").forEach(folded => { folded.open = true })`)
	for what, found := range map[string][]string{
		"too wide": tab.Wide(width), "too faint": tab.Faint(),
		"too low": tab.Low(),
	} {
		if len(found) > 0 {
			tab.Errorf("at %d px %s: %q", width, what, found)
		}
	}
	if icon := browsertest.Evaluate[float64](tab,
		`document.querySelector("header svg").getBoundingClientRect().width`); icon != 28 {
		tab.Errorf("the icon is %v px wide", icon)
	}
}

// keyboardDecides approves a device with the keyboard alone, and sees at each step where it is.
func keyboardDecides(tab browsertest.Tab, address string) {
	tab.Do(chromedp.Navigate(address))
	var passed []string
	key := "\t"
	for range 7 + 2 { // connections and buttons
		tab.Do(chromedp.KeyEvent(key))
		at := browsertest.Evaluate[[]string](tab,
			`(element => [element.value, getComputedStyle(element).outlineStyle + " " + `+
				`getComputedStyle(element).outlineWidth])(document.activeElement)`)
		passed = append(passed, at[0])
		if at[1] != "solid 3px" {
			tab.Errorf("the focus at %s is drawn as %q", at[0], at[1])
		}
		if key = kb.ArrowDown; at[0] == sample.Music { // it is chosen
			key = "\t"
		}
		if at[0] == "approve" {
			break
		}
	}
	if passed[len(passed)-1] != "approve" {
		tab.Fatalf("passed %q", passed)
	}
	tab.Do(chromedp.KeyEvent("\r"), chromedp.WaitVisible(chromedp.CSS("main:not(:has(form))")))
	tab.Becomes(`document.querySelector("h1").textContent`, "Access approved")
	expectLook(tab, 1280)
	tab.Picture("pages-approved")
}
