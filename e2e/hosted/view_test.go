package hosted_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/evanw/esbuild/pkg/api"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pdppmcp/pdpp-mcp/e2e/browsertest"
	"github.com/pdppmcp/pdpp-mcp/e2e/hosttest"
	"github.com/pdppmcp/pdpp-mcp/e2e/journey"
	"github.com/pdppmcp/pdpp-mcp/gen"
	"github.com/pdppmcp/pdpp-mcp/sandbox/resource"
)

// pictured is one result that the view draws, and what it must show.
type pictured struct {
	name, tool, arguments string
	shows                 string // an expression about the document of the view, which is true
	chooses               string // the element that a person chooses; empty: none
	calls                 string // what the host is then asked for
}

var pictures = []pictured{
	{
		"groups", "aggregate", `{"stream":"transactions","metric":"count","group_by":"category"}`,
		`view().querySelectorAll(".bars li").length > 3`, "", "",
	},
	{
		"periods", "aggregate",
		`{"stream":"*","metric":"count","group_by_time":"time","granularity":"month","filter":{"time":{"gte":"2025-01-01"}}}`,
		`view().querySelectorAll(".chart canvas").length === 1`,
		`[...view().querySelectorAll("button")].find((b) => b.textContent === "year")`,
		`[{"name":"aggregate","arguments":{"stream":"*","metric":"count","group_by_time":"time","granularity":"year",` +
			`"filter":{"time":{"gte":"2025-01-01"}}}}]`,
	},
	{
		"weekdays", "aggregate", `{"stream":"messages","connection_id":"cin_gmail_personal","metric":"count",` +
			`"group_by_time":"received_at","granularity":"weekday"}`,
		`view().querySelectorAll(".grid li").length === 7`, "", "",
	},
	{
		"timeline", "query_records", `{"stream":"*","limit":12}`,
		`view().querySelectorAll("section.day").length > 0`, "", "",
	},
	{
		"hits", "search", `{"q":"Juno","limit":5}`, `view().querySelectorAll(".card mark").length > 0`,
		`view().querySelector(".card button")`,
		`[{"name":"fetch","arguments":{"id":"cin_gmail_personal/messages:p-juno-note-01"}}]`,
	},
	{
		"document", "fetch", `{"id":"cin_gmail_personal/messages:p-msg-080"}`,
		`view().querySelector(".text").textContent.length > 20`, "", "",
	},
}

// hostPage serves a page with the reference host of MCP Apps, which asks a session for the calls of the view.
func hostPage(t *testing.T, session *mcp.ClientSession) string {
	t.Helper()
	built := api.Build(api.BuildOptions{
		EntryPoints: []string{filepath.Join(walkFolder, "view-host.js")}, Bundle: true, Write: false, Format: api.FormatIIFE,
		Target: api.ES2022,
	})
	if len(built.Errors) > 0 {
		t.Fatalf("the reference host: %s", built.Errors[0].Text)
	}
	axe, err := os.ReadFile(filepath.Join(walkFolder, "node_modules", "axe-core", "axe.min.js"))
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w,
			`<!doctype html><html lang="en"><title>host</title><body><script src="/host.js"></script></body></html>`)
	})
	mux.HandleFunc("GET /host.js",
		func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(built.OutputFiles[0].Contents) })
	mux.HandleFunc("GET /axe.js", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(axe) })
	mux.HandleFunc("POST /call", func(w http.ResponseWriter, r *http.Request) {
		var params mcp.CallToolParams
		if err := json.NewDecoder(r.Body).Decode(&params); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		result, err := session.CallTool(r.Context(), &params)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		_ = json.NewEncoder(w).Encode(result)
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server.URL
}

// R-VIEW-1, R-VIEW-3, R-VIEW-4: the reference host shows each kind of result in light and dark, narrow and wide.
// Nothing is wider than the view, axe-core finds no violation, nothing is loaded, and a chosen call goes through the
// host.
func TestViewsInTheReferenceHost(t *testing.T) {
	if findNode() == "" && os.Getenv("PDPP_NO_NODE") == "1" {
		t.Log(installNode)
		return
	}
	browser, ok := browsertest.Open(t)
	if !ok {
		return
	}
	provider := journey.NewProvider(t, resource.ReadsOpen)
	endpoint := hosttest.ServeHosted(t, gen.Surface(), provider.Upstream(), hosttest.Patient)
	session := hosttest.ConnectHosted(t, endpoint, provider.Box.Tokens()["package"], func(options *mcp.ClientOptions) {
		options.Capabilities = &mcp.ClientCapabilities{}
		options.Capabilities.AddExtension("io.modelcontextprotocol/ui",
			map[string]any{"mimeTypes": []string{"text/html;profile=mcp-app"}})
	})
	read, err := session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "ui://pdpp/view"})
	if err != nil {
		t.Fatal(err)
	}
	html := read.Contents[0].Text
	if len(html) > 150_000 || strings.Contains(html, "http://") || strings.Contains(html, "src=") {
		t.Errorf("the view has %d bytes, or loads something", len(html))
	}
	page, err := json.Marshal(strings.Replace(html, "script-src '", "script-src 'unsafe-eval' '", 1)) // for axe-core alone
	if err != nil {
		t.Fatal(err)
	}
	address := hostPage(t, session)
	for _, picture := range pictures {
		t.Run(picture.name, func(t *testing.T) {
			var arguments map[string]any
			if err := json.Unmarshal([]byte(picture.arguments), &arguments); err != nil {
				t.Fatal(err)
			}
			result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: picture.tool, Arguments: arguments})
			if err != nil || result.IsError {
				t.Fatalf("%v %v", err, result)
			}
			encoded, err := json.Marshal(result)
			if err != nil {
				t.Fatal(err)
			}
			tab := browser.Tab(t)
			tab.Do(chromedp.Navigate(address))
			show := func(theme string, width int) {
				browsertest.Evaluate[bool](tab,
					fmt.Sprintf(`show(%s, %q, %d, %q, %s, %s, true)`, page, theme, width, picture.tool, picture.arguments, encoded))
				tab.Becomes(`String(`+picture.shows+`)`, "true")
			}
			for _, look := range []struct {
				theme string
				width int
			}{{"light", 320}, {"dark", 320}, {"light", 1000}, {"dark", 1000}} {
				show(look.theme, look.width)
				checkLook(t, tab, look.width)
				tab.Picture(fmt.Sprintf("view-%s-%s-%d", picture.name, look.theme, look.width))
			}
			if picture.chooses == "" {
				return
			}
			browsertest.Evaluate[bool](tab, `(`+picture.chooses+`).click() === undefined`)
			tab.Becomes(`JSON.stringify(window.calls)`, picture.calls)
			tab.Becomes(`view().querySelector("nav button")?.textContent`, "Back")
		})
	}
	t.Run("hostile text", func(t *testing.T) {
		tab := browser.Tab(t)
		tab.Do(chromedp.Navigate(address))
		problems := tab.Problems()
		for _, hostile := range hostileResults() {
			browsertest.Evaluate[bool](tab, fmt.Sprintf(`show(%s, "light", 320, "search", {"q":"x"}, %s, true)`, page, hostile))
			tab.Becomes(`String(view().querySelector("main h1") !== null)`, "true")
			checkLook(t, tab, 320)
			if found := browsertest.Evaluate[string](tab,
				`[...view().querySelectorAll("main script, main img, main a, main iframe")].map((e) => e.outerHTML).join()`+
					` + (view().defaultView.ran ?? "") + (window.ran ?? "")`); found != "" {
				t.Errorf("%.200s puts %s into the view", hostile, found)
			}
		}
		// the test reads the view
		ofFrame := func(message string) bool { return strings.Contains(message, "escape its sandboxing") }
		if found := slices.DeleteFunc(problems(), ofFrame); len(found) > 0 {
			t.Errorf("the console has %v", found)
		}
	})
}

// hostileResults are results whose records have markup, links, long words and text of other directions.
func hostileResults() []string {
	text := `<script>window.ran=1</script><img src=x onerror="window.ran=2"> javascript:window.ran=3 ` +
		strings.Repeat("w", 3_000) + " \u202e\u05d0\u05d1 \u0645\u0631\u062d\u0628\u0627"
	quoted, _ := json.Marshal(strings.ReplaceAll(text, "\\u202e", "\u202e"))
	in := func(form string) string {
		return `{"content":[],"structuredContent":` + strings.ReplaceAll(form, "T", string(quoted)) + `}`
	}
	return []string{
		in(`{"results":[{"id":T,"title":T,"url":"javascript:window.ran=4","snippet":T,"evidence":[{"field_path":"a",` +
			`"preview":T}],"time":T}],"next":[{"tool":T,"arguments":{}}]}`),
		in(`{"data":{"metric":"count","stream":T,"group_by":T,"groups":[{"key":T,"count":3},{"key":null,"count":-1}]},` +
			`"reading":{"complete":false,"records_read":2},"note":T}`),
		in(`{"data":{"data":[{"handle":T,"time":T,"stream":T,"data":{"title":T,"__proto__":T}}],` +
			`"meta":{"warnings":[{"code":T,"message":T}]}}}`),
		in(`{"id":T,"title":T,"text":T,"url":"javascript:window.ran=5","metadata":{"stream":T}}`),
	}
}

// checkLook checks what every view must keep: nothing is wider than it, and axe-core finds no violation.
func checkLook(t *testing.T, tab browsertest.Tab, width int) {
	t.Helper()
	if wide := browsertest.Evaluate[int](tab, `view().documentElement.scrollWidth`); wide > width {
		t.Errorf("the view is %d wide, not %d", wide, width)
	}
	if found := browsertest.Evaluate[string](tab, accessibility); found != "" {
		t.Errorf("at %d: %s", width, found)
	}
}

// accessibility returns the violations that axe-core finds in the view.
const accessibility = `(async () => {
	const page = view();
	if (!page.defaultView.axe) page.defaultView.eval(await (await fetch("/axe.js")).text());
	const { violations } = await page.defaultView.axe.run(page, { rules: { "page-has-heading-one": { enabled: true } } });
	return violations.map((each) => each.id + ": " + each.nodes[0].html.slice(0, 200)).join("\n");
})()`
