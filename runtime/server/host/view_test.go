package host_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pdppmcp/pdpp-mcp/e2e/hosttest"
	"github.com/pdppmcp/pdpp-mcp/runtime/server/host"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

const viewPage = "<!doctype html><title>view</title>"

// viewSurface returns the surface with a page, whose tool fetch has results that the page draws.
func viewSurface() tool.Surface {
	surface := testSurface()
	surface.View = viewPage
	for i := range surface.Tools {
		if surface.Tools[i].Name == "fetch" {
			surface.Tools[i].Table = tool.DocumentTable
		}
	}
	return surface
}

const viewCapabilities = `{"extensions":{"io.modelcontextprotocol/ui":{"mimeTypes":["text/html;profile=mcp-app"]}}}`

// R-VIEW-2: over HTTP, in every revision, only a client that declares the extension sees the page, in lists and as a
// resource. Without the declaration the list of tools has the same bytes as on a server without a page.
func TestViewsAreForClientsThatDeclareThem(t *testing.T) {
	h := newHosted(t, func(with *hostedWith) { with.surface = viewSurface() })
	without := newHosted(t)
	for _, revision := range host.Revisions() {
		t.Run(revision, func(t *testing.T) {
			ask := func(h *hosted, declares bool, method, name, params string) string {
				t.Helper()
				body, header := message(revision, method, name, params)
				switch {
				case !declares:
				case revision >= newestRevision:
					body = strings.Replace(body, `clientCapabilities":{}`, `clientCapabilities":`+viewCapabilities, 1)
				default:
					greeting, _ := message(revision, "initialize", "",
						`"protocolVersion":"`+revision+`","capabilities":`+viewCapabilities+`,"clientInfo":{"name":"test","version":"1"}`)
					greeted := h.post(t, greeting)
					if !strings.Contains(greeted.body, "io.modelcontextprotocol/ui") {
						t.Errorf("the server does not have the extension: %s", greeted.body)
					}
					header = append(header, "Mcp-Session-Id", greeted.header.Get("Mcp-Session-Id"))
				}
				return strings.ReplaceAll(h.post(t, body, header...).body, h.url, "")
			}
			listed := ask(h, true, "tools/list", "", "")
			if strings.Count(listed, `"_meta":{"ui":{"resourceUri":"ui://pdpp/view"}}`) != 1 ||
				strings.Contains(listed, `"cacheScope":"public"`) {
				t.Errorf("the list is %s", listed)
			}
			if plain := ask(h, false, "tools/list", "", ""); plain != ask(without, false, "tools/list", "", "") ||
				strings.Contains(plain, "ui://") {
				t.Errorf("without the extension the list is %s", plain)
			}
			const uri = `"uri":"ui://pdpp/view"`
			var read struct {
				Result mcp.ReadResourceResult `json:"result"`
			}
			body := ask(h, true, "resources/read", "ui://pdpp/view", uri)
			if err := json.Unmarshal([]byte(body), &read); err != nil || len(read.Result.Contents) != 1 ||
				read.Result.Contents[0].Text != viewPage || read.Result.Contents[0].MIMEType != "text/html;profile=mcp-app" {
				t.Errorf("%v: the page is read as %s", err, body)
			}
			if read.Result.CacheScope != "private" {
				t.Errorf("the page is cacheable as %q, want private", read.Result.CacheScope)
			}
			if body := ask(h, false, "resources/read", "ui://pdpp/view", uri); strings.Contains(body, "view</title>") ||
				!strings.Contains(body, `"error"`) {
				t.Errorf("without the extension the page is read as %s", body)
			}
		})
	}
}

// R-VIEW-2: the same over stdio. A client that accepts only other types of pages does not declare this one.
func TestViewsOverStdio(t *testing.T) {
	for name, test := range map[string]struct {
		settings map[string]any
		sees     bool
	}{
		"declared":       {map[string]any{"mimeTypes": []string{"text/html;profile=mcp-app"}}, true},
		"another type":   {map[string]any{"mimeTypes": []string{"text/plain"}}, false},
		"not declared":   {nil, false},
		"without a type": {map[string]any{}, true},
	} {
		t.Run(name, func(t *testing.T) {
			capabilities := &mcp.ClientCapabilities{}
			if test.settings != nil {
				capabilities.AddExtension("io.modelcontextprotocol/ui", test.settings)
			}
			session := connectAs(t, viewSurface(), capabilities)
			listed, err := session.ListTools(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, each := range listed.Tools {
				if sees := each.Meta["ui"] != nil; sees != (test.sees && each.Name == "fetch") {
					t.Errorf("%s names the page: %t", each.Name, sees)
				}
			}
			resources, err := session.ListResources(t.Context(), nil)
			if err == nil {
				for _, each := range resources.Resources {
					if each.URI == "ui://pdpp/view" && !test.sees {
						t.Error("the page is listed")
					}
				}
			}
		})
	}
}

// connectAs opens a session of a client with these capabilities.
func connectAs(t *testing.T, surface tool.Surface, capabilities *mcp.ClientCapabilities) *mcp.ClientSession {
	t.Helper()
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "test"},
		&mcp.ClientOptions{Capabilities: capabilities})
	session, err := client.Connect(t.Context(), hosttest.Serve(t, surface, hosttest.Options, reading(&recordingRS{})), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = session.Close() })
	return session
}
