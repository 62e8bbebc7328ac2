package page

import (
	"cmp"
	"net/http"
	"net/url"
	"path"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/auth"
	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
)

// The server card and the catalog that leads to it are drafts (SEP-2127, 2026): everything about them stands in this file.
const (
	cardPath    = auth.MCPPath + "/server-card"
	catalogPath = "/.well-known/ai-catalog.json"

	cardMedia    = "application/mcp-server-card+json"
	catalogMedia = "application/ai-catalog+json"

	cardSchema     = "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json"
	catalogVersion = "1.0"
)

// What the card says of the program, as the registry of servers has it (packaging/registry/server.json).
const (
	cardName        = "io.github.pdppmcp/pdpp-mcp"
	cardTitle       = "PDPP personal data"
	cardDescription = "Personal data that you granted, read-only, from a PDPP provider"
	repository      = "https://github.com/pdppmcp/pdpp-mcp"
)

// card answers with the server card (R-MCP-2). It names no tools and nothing of any caller.
func (p pages) card(w http.ResponseWriter, r *http.Request) {
	origin := escapeURL(p.options.Origin(r))
	remote := rawjson.Object{rawjson.String("type", "streamable-http"), rawjson.String("url", origin+auth.MCPPath)}
	if len(p.options.Revisions) > 0 {
		remote = append(remote, rawjson.Strings("supportedProtocolVersions", p.options.Revisions))
	}
	icon := rawjson.Object{
		rawjson.String("src", origin+auth.IconPath), rawjson.String("mimeType", iconType), rawjson.Strings("sizes", []string{"any"}),
	}
	source := rawjson.Object{rawjson.String("url", repository), rawjson.String("source", "github")}
	p.sendJSON(w, r, cardMedia, rawjson.Object{
		rawjson.String("$schema", cardSchema), rawjson.String("name", cardName),
		// A version of Go begins with v, one of the registry does not. Without one the program was built from a clone.
		rawjson.String("version", cmp.Or(strings.TrimPrefix(p.options.Version, "v"), "0.0.0")),
		rawjson.String("description", cardDescription), rawjson.String("title", p.title()),
		rawjson.String("websiteUrl", origin+ConnectPath), rawjson.Raw("repository", source.Encode()),
		rawjson.Raw("icons", array(icon)), rawjson.Raw("remotes", array(remote)),
	})
}

// title is what the operator calls the server, if that is not its usual name.
func (p pages) title() string {
	if name := oneLine(p.options.Name); name != path.Base(cardName) && name != "" && len(name) <= 100 {
		return name
	}
	return cardTitle
}

// catalog answers with the list of what there is at the origin: the one card (R-MCP-2).
func (p pages) catalog(w http.ResponseWriter, r *http.Request) {
	origin := escapeURL(p.options.Origin(r))
	domain := ""
	if parsed, err := url.Parse(origin); err == nil {
		domain = strings.ReplaceAll(strings.ToLower(parsed.Hostname()), ":", "%3A") // of an IPv6 address: a URN has colons of its own
	}
	entry := rawjson.Object{
		rawjson.String("identifier", "urn:air:"+domain+":mcp:"+path.Base(cardName)), rawjson.String("type", cardMedia), rawjson.String("url", origin+cardPath),
	}
	p.sendJSON(w, r, catalogMedia, rawjson.Object{rawjson.String("specVersion", catalogVersion), rawjson.Raw("entries", array(entry))})
}

func array(only rawjson.Object) rawjson.Value { return rawjson.Array([]rawjson.Value{only.Encode()}) }

func (p pages) sendJSON(w http.ResponseWriter, r *http.Request, media string, content rawjson.Object) {
	send(w, r, document{contentType: media, vary: originHeaders, body: append(content.Encode(), '\n')})
}
