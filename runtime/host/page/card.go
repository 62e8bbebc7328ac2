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

// The server card and the catalog that leads to it are drafts (SEP-2127, 2026): everything about them stands in this file and in
// their assets. The card says of the program what the registry of servers has (packaging/registry/server.json).
const (
	cardPath    = auth.MCPPath + "/server-card"
	catalogPath = "/.well-known/ai-catalog.json"

	cardMedia    = "application/mcp-server-card+json"
	catalogMedia = "application/ai-catalog+json"
)

// card answers with the server card (R-MCP-2). It names no tools and nothing of any caller.
func (p pages) card(w http.ResponseWriter, r *http.Request) {
	values := p.values(escapeURL(p.options.Origin(r)))
	values["dollar"] = "$" // of a member's name: fill would take that for a value
	// A version of Go begins with v, one of the registry does not. Without one the program was built from a clone.
	values["version"] = cmp.Or(strings.TrimPrefix(p.options.Version, "v"), "0.0.0")
	values["title"] = p.title()
	values["icon_type"] = iconType
	values["revisions"] = markup(rawjson.Strings("", p.options.Revisions).Value)
	sendJSON(w, r, cardMedia, "server-card.json", values)
}

// title is what the operator calls the server, if that is not its usual name.
func (p pages) title() string {
	if name := oneLine(p.options.Name); name != "pdpp-mcp" && name != "" && len(name) <= 100 {
		return name
	}
	return "PDPP personal data"
}

// catalog answers with the list of what there is at the origin: the one card (R-MCP-2).
func (p pages) catalog(w http.ResponseWriter, r *http.Request) {
	origin := escapeURL(p.options.Origin(r))
	values := p.values(origin)
	values["media"], values["domain"] = cardMedia, ""
	if parsed, err := url.Parse(origin); err == nil {
		values["domain"] = strings.ReplaceAll(strings.ToLower(parsed.Hostname()), ":", "%3A") // of an IPv6 address: a URN has colons of its own
	}
	sendJSON(w, r, catalogMedia, "ai-catalog.json", values)
}

// sendJSON answers with an asset in one line. Pages of every origin may read it, as the draft asks, but without credentials
// (R-TRUST-4). It holds nothing of a caller.
func sendJSON(w http.ResponseWriter, r *http.Request, media, name string, values map[string]any) {
	var body bytes.Buffer
	_ = json.Compact(&body, []byte(fill(name, values, escapeJSON))) // it is JSON
	body.WriteByte('\n')
	w.Header().Set("Access-Control-Allow-Origin", "*")
	send(w, r, document{contentType: media, vary: originHeaders, body: body.Bytes()})
}
