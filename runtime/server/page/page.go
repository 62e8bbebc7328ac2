// Package page serves the public pages of a hosted server: the setup page, the discovery index, llms.txt, the server
// card with its catalog, and the icon (R-HOST-6, R-HOST-7, R-HOST-8, R-HOST-11, R-MCP-2). None contains personal data,
// and every URL on them begins with the public origin of the request.
package page

import (
	"bytes"
	"cmp"
	"encoding/json"
	"html"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/webpage"
	"github.com/pdppmcp/pdpp-mcp/runtime/server/auth"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// Paths of the routes (docs/interfaces.md, Hosted routes). The others are in package auth.
const (
	indexPath   = "/"
	ConnectPath = "/dashboard/connect" // the setup page
	stylePath   = ConnectPath + ".css"
	scriptPath  = ConnectPath + ".js"
	shortPath   = "/connect" // redirects to ConnectPath
	llmsPath    = "/llms.txt"
)

// Options describes the server.
type Options struct {
	Name    string // of the server, as in serverInfo
	Version string // shown in the index, the card and below the pages; may be empty

	Revisions []string // supported MCP revisions

	// Origin returns the origin that the client of a request sees, such as https://data.example. It is required and called
	// concurrently.
	Origin func(*http.Request) string

	Issuer        string      // the authorization server
	ReadsPackages func() bool // reports whether an approval of several sources is known to be readable; nil means yes

	Provider string // the provider URL for the command line; empty means the public origin

	Surface tool.Surface // for llms.txt, with the first sentence of each description
}

// Paths returns the patterns of the routes for http.ServeMux.
func Paths() []string { return slices.Sorted(maps.Keys(Options{}.routes())) }

// Register adds the routes, for GET and HEAD. It panics without Options.Origin.
func Register(mux *http.ServeMux, options Options) {
	if options.Origin == nil {
		panic("page: Options.Origin is required")
	}
	for path, answer := range options.routes() {
		mux.HandleFunc("GET "+path, answer)
	}
}

func (o Options) routes() map[string]http.HandlerFunc {
	return map[string]http.HandlerFunc{
		indexPath + "{$}": o.index, ConnectPath: o.connect, shortPath: redirect, llmsPath: o.llms, cardPath: o.card, catalogPath: o.catalog,
		stylePath:     static("text/css; charset=utf-8", webpage.Style),
		scriptPath:    static("text/javascript; charset=utf-8", asset("connect.js")),
		auth.IconPath: icon,
	}
}

// index serves the discovery index in the form of other PDPP servers (R-HOST-11), as JSON or HTML.
func (o Options) index(w http.ResponseWriter, r *http.Request) {
	const vary = "Accept, " + originHeaders
	values := o.values(escapeURL(o.Origin(r)))
	values["description"] = "Read-only access for AI apps to the personal data that its owner granted, over the Model Context Protocol (MCP)."
	if webpage.PrefersHTML(r.Header.Values("Accept")) {
		values["top"] = o.top("For AI apps and programs", "")
		sendHTML(w, r, vary, fill("index.html", values, html.EscapeString))
		return
	}
	values["version"] = markup("")
	if o.Version != "" {
		values["version"] = markup(`"version": "` + escapeJSON(o.Version) + `",` + "\n  ")
	}
	send(w, r, document{contentType: "application/json; charset=utf-8", vary: vary, body: []byte(fill("index.json", values, escapeJSON))})
}

// connect serves the setup page (R-HOST-7).
func (o Options) connect(w http.ResponseWriter, r *http.Request) {
	origin := escapeURL(o.Origin(r))
	values := o.values(origin)
	values["top"] = o.top("Connect an AI app", `<script src="`+scriptPath+`" defer></script>`+"\n")
	for name, noun := range map[string]string{
		"mcp_url": "MCP URL", "claude_code": "Claude Code command", "codex": "Codex command", "command_line": "terminal command",
	} {
		id := strings.ReplaceAll(name, "_", "-")
		values["copy_"+name] = copyable(id, noun, values[name])
	}
	values["other_hosts"] = otherHosts(origin + auth.MCPPath)
	values["packages"] = ""
	if o.ReadsPackages != nil && !o.ReadsPackages() {
		values["packages"] = fill("packages.html", map[string]any{"issuer": o.Issuer, "provider_mcp": escapeURL(o.Provider) + auth.MCPPath}, html.EscapeString)
	}
	values["note"] = ""
	if !isPublic(origin) {
		values["note"] = markup(asset("note.html"))
	}
	sendHTML(w, r, originHeaders, fill("connect.html", values, html.EscapeString))
}

func copyable(id, noun string, text any) markup {
	return fill("copyable.html", map[string]any{"id": id, "noun": noun, "text": text}, html.EscapeString)
}

// redirect redirects the short path. The Location has no host.
func redirect(w http.ResponseWriter, r *http.Request) {
	secure(w.Header(), inertPolicy)
	w.Header().Set("Cache-Control", oneDay)
	http.Redirect(w, r, ConnectPath, http.StatusPermanentRedirect)
}

// llms serves the page for agents (R-HOST-8) in the form of llmstxt.org.
func (o Options) llms(w http.ResponseWriter, r *http.Request) {
	var tools strings.Builder
	for _, definition := range o.Surface.Tools {
		tools.WriteString("\n- `" + oneLine(definition.Name) + "`: ")
		if title := oneLine(definition.Title); title != "" {
			tools.WriteString(title + ". ")
		}
		description, _, more := strings.Cut(oneLine(definition.Description), ". ")
		if more {
			description += "."
		}
		tools.WriteString(description)
	}
	instructions := strings.TrimSpace(o.Surface.Instructions)
	if instructions != "" {
		instructions = "\n\n" + instructions
	}
	// In plain text, every value except the instructions is one line, so that it cannot imitate other lines.
	values := o.values(escapeURL(o.Origin(r)))
	values["name"], values["tools"], values["instructions"] = oneLine(o.Name), tools.String(), instructions
	body := fill("llms.txt", values, func(text string) string { return text })
	send(w, r, document{contentType: "text/plain; charset=utf-8", vary: originHeaders, body: []byte(body)})
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// Icon returns the icon of a server at a public origin (R-HOST-6).
func Icon(origin string) mcp.Icon {
	return mcp.Icon{Source: escapeURL(origin) + auth.IconPath, MIMEType: iconType, Sizes: []string{"any"}}
}

// The server card and its catalog are drafts (SEP-2127, 2026). Only this file and its assets implement them. The card
// describes the program like packaging/registry/server.json.
const (
	cardPath    = auth.MCPPath + "/server-card"
	catalogPath = "/.well-known/ai-catalog.json"

	cardMedia    = "application/mcp-server-card+json"
	catalogMedia = "application/ai-catalog+json"
)

// card serves the server card (R-MCP-2). It names no tools and nothing of any caller.
func (o Options) card(w http.ResponseWriter, r *http.Request) {
	values := o.values(escapeURL(o.Origin(r)))
	values["dollar"] = "$" // in a member's name, which fill would expand
	// Versions in the registry have no v. A program without a version was built from a clone.
	values["version"] = cmp.Or(strings.TrimPrefix(o.Version, "v"), "0.0.0")
	values["title"] = o.title()
	values["icon_type"] = iconType
	values["revisions"] = markup(rawjson.Strings("", o.Revisions).Value)
	sendJSON(w, r, cardMedia, "server-card.json", values)
}

// title returns the name that the operator chose, or the default title.
func (o Options) title() string {
	if name := oneLine(o.Name); name != "pdpp-mcp" && name != "" && len(name) <= 100 {
		return name
	}
	return "PDPP personal data"
}

// catalog serves the catalog with the one card (R-MCP-2).
func (o Options) catalog(w http.ResponseWriter, r *http.Request) {
	origin := escapeURL(o.Origin(r))
	values := o.values(origin)
	values["media"], values["domain"] = cardMedia, ""
	if parsed, err := url.Parse(origin); err == nil {
		values["domain"] = strings.ReplaceAll(strings.ToLower(parsed.Hostname()), ":", "%3A") // of an IPv6 address in a URN
	}
	sendJSON(w, r, catalogMedia, "ai-catalog.json", values)
}

// sendJSON writes an asset as one line of JSON. Pages of every origin may read it, without credentials (R-TRUST-4).
func sendJSON(w http.ResponseWriter, r *http.Request, media, name string, values map[string]any) {
	var body bytes.Buffer
	_ = json.Compact(&body, []byte(fill(name, values, escapeJSON))) // it cannot fail: assets are JSON
	body.WriteByte('\n')
	w.Header().Set("Access-Control-Allow-Origin", "*")
	send(w, r, document{contentType: media, vary: originHeaders, body: body.Bytes()})
}
