package page

import (
	"encoding/json"
	"net/http"
)

// indexDocument is the discovery index, in the shape that PDPP servers share.
type indexDocument struct {
	Object      string     `json:"object"`
	Role        string     `json:"role"`
	Name        string     `json:"resource_name"`
	Version     string     `json:"version,omitempty"`
	Description string     `json:"description"`
	Links       indexLinks `json:"links"`
}

type indexLinks struct {
	MCP         string `json:"mcp"`
	Setup       string `json:"setup"`
	Metadata    string `json:"well_known"`
	MCPMetadata string `json:"well_known_mcp"`
	LLMS        string `json:"llms_txt"`
	Icon        string `json:"icon"`
}

const indexDescription = "Read-only access for AI apps to the personal data that its owner granted, over the Model Context Protocol (MCP)."

// index answers with the discovery index (R-HOST-11): JSON, or HTML for who prefers it.
func (p *Pages) index(w http.ResponseWriter, r *http.Request) {
	const vary = "Accept, " + originHeaders
	at := p.addresses(r)
	content := indexDocument{
		Object:      "pdpp_discovery_index",
		Role:        "mcp_server",
		Name:        p.options.Name,
		Version:     p.options.Version,
		Description: indexDescription,
		Links: indexLinks{
			MCP: at.MCP(), Setup: at.Connect(), Metadata: at.Metadata(), MCPMetadata: at.MCPMetadata(),
			LLMS: at.LLMS(), Icon: at.Icon(),
		},
	}
	if prefersHTML(r.Header.Values("Accept")) {
		values := frame(content.Name, content.Version)
		values["description"] = textMarkup(content.Description)
		values["mcp"] = textMarkup(content.Links.MCP)
		values["mcp_metadata"] = textMarkup(content.Links.MCPMetadata)
		values["metadata"] = textMarkup(content.Links.Metadata)
		values["llms"] = textMarkup(content.Links.LLMS)
		sendHTML(w, r, vary, fillHTML("index.html", values))
		return
	}
	body, err := json.MarshalIndent(content, "", "  ")
	if err != nil {
		http.Error(w, "The index could not be made.", http.StatusInternalServerError)
		return
	}
	send(w, r, document{contentType: "application/json; charset=utf-8", vary: vary, body: append(body, '\n')})
}
