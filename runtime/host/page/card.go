package page

import (
	"bytes"
	"cmp"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/auth"
	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
)

// The server card and its catalog are drafts (SEP-2127, 2026). Only this file and its assets implement them. The card describes the program
// like packaging/registry/server.json.
const (
	cardPath    = auth.MCPPath + "/server-card"
	catalogPath = "/.well-known/ai-catalog.json"

	cardMedia    = "application/mcp-server-card+json"
	catalogMedia = "application/ai-catalog+json"
)

// card serves the server card (R-MCP-2). It names no tools and nothing of any caller.
func (p pages) card(w http.ResponseWriter, r *http.Request) {
	values := p.values(escapeURL(p.options.Origin(r)))
	values["dollar"] = "$" // in a member's name, which fill would expand
	// Versions in the registry have no v. A program without a version was built from a clone.
	values["version"] = cmp.Or(strings.TrimPrefix(p.options.Version, "v"), "0.0.0")
	values["title"] = p.title()
	values["icon_type"] = iconType
	values["revisions"] = markup(rawjson.Strings("", p.options.Revisions).Value)
	sendJSON(w, r, cardMedia, "server-card.json", values)
}

// title returns the name that the operator chose, or the default title.
func (p pages) title() string {
	if name := oneLine(p.options.Name); name != "pdpp-mcp" && name != "" && len(name) <= 100 {
		return name
	}
	return "PDPP personal data"
}

// catalog serves the catalog with the one card (R-MCP-2).
func (p pages) catalog(w http.ResponseWriter, r *http.Request) {
	origin := escapeURL(p.options.Origin(r))
	values := p.values(origin)
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
