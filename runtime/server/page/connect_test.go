package page_test

import (
	"html"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/runtime/desktop/mcphost"
)

func setupPage(t *testing.T, origin string) string {
	t.Helper()
	response := get(routes(withOrigin(origin)), "/dashboard/connect")
	if response.Code != http.StatusOK {
		t.Fatalf("status %d", response.Code)
	}
	return response.Body.String()
}

func TestSetupPageShowsTheURLAndTheCommands(t *testing.T) { // R-HOST-7
	content := setupPage(t, publicOrigin)
	for _, want := range []string{
		"<h1>Connect an AI app</h1>",
		`<code id="mcp-url">https://data.example.org/mcp</code>`,
		`<code id="claude-code">claude mcp add --transport http pdpp https://data.example.org/mcp</code>`,
		`<code id="codex">codex mcp add pdpp --url https://data.example.org/mcp</code>`,
		`<code id="command-line">pdpp-mcp connect https://data.example.org</code>`,
		"<h3>ChatGPT</h3>", "<h3>Claude.ai and Claude Desktop</h3>", "any other MCP client",
		"https://data.example.org/llms.txt",
	} {
		if !strings.Contains(content, want) {
			t.Errorf("the page does not have %s", want)
		}
	}
}

// The page has the steps for every host that setup knows, in its own words.
func TestSetupPageHasEveryHost(t *testing.T) { // R-HOST-7
	content := html.UnescapeString(setupPage(t, publicOrigin))
	for _, host := range mcphost.Hosts() {
		heading, _, _ := strings.Cut(content, ">"+host.Title+"</h3>")
		if heading == content && !strings.Contains(content, " and "+host.Title+"</h3>") {
			t.Errorf("the page has no steps for %s", host.Title)
		}
	}
	for _, want := range []string{
		"<code>~/.cursor/mcp.json</code>:", "<code>~/Library/Application Support/Code/User/mcp.json</code> (macOS)",
		"choose Connect next to the server in Cursor's MCP settings.",
		`"url": "https://data.example.org/mcp"`,
	} {
		if !strings.Contains(content, want) {
			t.Errorf("the page does not have %s", want)
		}
	}
	if strings.Contains(content, "mcp.invalid") {
		t.Error("the page has the URL of an example")
	}
}

// The pages do not mention unsupported ways of connecting.
func TestSetupPageLeavesOut(t *testing.T) { // R-HOST-7
	content := strings.ToLower(setupPage(t, publicOrigin))
	for _, word := range []string{
		"owner", "bearer", "profile", "toolset", "subscription", "event", "connector_instance_id",
		"<form", "<input", "<iframe", "<style", "style=", "onclick", "look_around",
	} {
		if strings.Contains(content, word) {
			t.Errorf("the page has %q", word)
		}
	}
}

var (
	reference   = regexp.MustCompile(`(?:src|href)="([^"]*)"`)
	scriptTag   = regexp.MustCompile(`<script[^>]*>[^<]*</script>`)
	headingTag  = regexp.MustCompile(`<h([1-6])[ >]`)
	elementID   = regexp.MustCompile(` id="([^"]*)"`)
	labelling   = regexp.MustCompile(` (?:aria-labelledby|data-copies)="([^"]*)"`)
	copyButton  = regexp.MustCompile(`<button type="button" data-copies="[^"]+" data-noun="[^"]+" hidden>`)
	anyButton   = regexp.MustCompile(`<button`)
	statusLines = regexp.MustCompile(`<p id="announcement" role="status" aria-live="polite"></p>`)
)

func TestPagesTakeNothingFromElsewhere(t *testing.T) { // R-HOST-7
	handler := routes(options())
	for _, content := range []string{setupPage(t, publicOrigin), get(handler, "/", "Accept", "text/html").Body.String()} {
		for _, found := range reference.FindAllStringSubmatch(content, -1) {
			if !strings.HasPrefix(found[1], "/") || strings.HasPrefix(found[1], "//") {
				t.Errorf("%s leaves the origin", found[0])
			}
		}
		for _, script := range scriptTag.FindAllString(content, -1) {
			if script != `<script src="/dashboard/connect.js" defer></script>` {
				t.Errorf("inline script: %s", script)
			}
		}
	}
	if style := get(handler, "/dashboard/connect.css").Body.String(); strings.Contains(style, "url(") ||
		strings.Contains(style, "@import") {
		t.Error("the style takes something from elsewhere")
	}
}

func TestSetupPageMarkup(t *testing.T) { // R-HOST-7
	content := setupPage(t, publicOrigin)
	previous := byte('0')
	for _, found := range headingTag.FindAllStringSubmatch(content, -1) {
		if level := found[1][0]; level > previous+1 {
			t.Errorf("a heading of level %c follows one of level %c", level, previous)
		}
		previous = found[1][0]
	}
	ids := map[string]bool{}
	for _, found := range elementID.FindAllStringSubmatch(content, -1) {
		if ids[found[1]] {
			t.Errorf("the id %s stands twice", found[1])
		}
		ids[found[1]] = true
	}
	for _, found := range labelling.FindAllStringSubmatch(content, -1) {
		if !ids[found[1]] {
			t.Errorf("%s names no element", found[0])
		}
	}
	buttons, hidden := len(anyButton.FindAllString(content, -1)), len(copyButton.FindAllString(content, -1))
	if buttons != 7 || hidden != buttons {
		t.Errorf("%d buttons, %d copy buttons hidden until a script runs; want 7 of 7", buttons, hidden)
	}
	if !statusLines.MatchString(content) {
		t.Error("no live region stands ready")
	}
}

func TestSetupPageWarnsOfAnAddressThatIsNotPublic(t *testing.T) {
	for origin, public := range map[string]bool{
		"https://data.example.org":      true,
		"https://data.example.org:8443": true,
		"https://93.184.216.34":         true,
		"http://data.example.org":       false,
		"http://127.0.0.1:8788":         false,
		"https://127.0.0.1":             false,
		"https://localhost:8788":        false,
		"https://pdpp.localhost":        false,
		"https://homeserver":            false,
		"https://192.168.1.4":           false,
		"https://[fd00::1]:8788":        false,
		"https://[::1]:8788":            false,
		"https://[2606:2800:220:1::1]":  true,
	} {
		if warned := strings.Contains(setupPage(t, origin), "This address is not public."); warned == public {
			t.Errorf("%s: warned %v, public %v", origin, warned, public)
		}
	}
}

// A shell takes brackets for a pattern, so the address of an IPv6 host is quoted where a shell reads it.
func TestCommandsQuoteAnIPv6Host(t *testing.T) {
	content := get(routes(withOrigin("http://[::1]:8788")), "/llms.txt").Body.String()
	for _, want := range []string{
		"MCP URL: http://[::1]:8788/mcp ",
		"`claude mcp add --transport http pdpp 'http://[::1]:8788/mcp'`",
		"`codex mcp add pdpp --url 'http://[::1]:8788/mcp'`",
		"`pdpp-mcp connect 'http://[::1]:8788'`",
	} {
		if !strings.Contains(content, want) {
			t.Errorf("llms.txt does not have %s", want)
		}
	}
}

func TestCommandLineNamesTheProvider(t *testing.T) {
	given := options()
	given.Provider = "https://provider.example/"
	for _, path := range []string{"/dashboard/connect", "/llms.txt"} {
		if content := get(routes(given), path).Body.String(); !strings.Contains(content,
			"pdpp-mcp connect https://provider.example<") &&
			!strings.Contains(content, "pdpp-mcp connect https://provider.example`") {
			t.Errorf("%s does not name the provider", path)
		}
	}
}

func TestEveryRequestHasItsOrigin(t *testing.T) { // R-HOST-7, R-HOST-8, R-HOST-11
	given := options()
	given.Origin = func(r *http.Request) string { return "https://" + r.Header.Get("X-Forwarded-Host") }
	handler := routes(given)
	for _, path := range []string{"/", "/dashboard/connect", "/llms.txt"} {
		for _, host := range []string{"one.example", "two.example", "one.example"} {
			content := get(handler, path, "X-Forwarded-Host", host).Body.String()
			if !strings.Contains(content, "https://"+host+"/mcp") ||
				strings.Count(content, ".example/") != strings.Count(content, host+"/") {
				t.Errorf("%s does not show %s alone", path, host)
			}
		}
	}
}
