// Package page serves what a hosted server shows without a bearer: the setup page, the discovery
// index, llms.txt and the icon (R-HOST-6, R-HOST-7, R-HOST-8, R-HOST-11). None of it holds data of
// anybody, and every URL on it begins with the public origin of the request.
package page

import (
	"cmp"
	"net/http"
)

// Paths of the routes (interfaces.md, Hosted routes).
const (
	IndexPath       = "/"
	ConnectPath     = "/dashboard/connect"
	ShortPath       = "/connect" // redirects to ConnectPath
	LLMSPath        = "/llms.txt"
	IconPath        = "/icon.svg"
	MCPPath         = "/mcp"
	MetadataPath    = "/.well-known/oauth-protected-resource"
	MCPMetadataPath = MetadataPath + MCPPath

	stylePath  = ConnectPath + ".css"
	scriptPath = ConnectPath + ".js"
)

// Options says what the pages tell of a server.
type Options struct {
	Name    string // of the server, as in serverInfo
	Version string // shown in the index and below the pages; may be empty

	// Origin gives the origin that the client of a request sees, such as https://data.example, without
	// a path. It is required and called concurrently. Whether to trust a forwarded header is its
	// decision; whatever it gives is escaped here.
	Origin func(*http.Request) string

	// Provider is the URL that people pass to the command line; empty when it is the public origin.
	Provider string

	Tools        []Tool // in the order in which llms.txt lists them
	Instructions string // of the surface, repeated in llms.txt; may be empty
}

// Tool is what llms.txt says of a tool. Of the description it shows the first sentence.
type Tool struct {
	Name        string
	Title       string
	Description string
}

// Pages answers the routes of this package. It never changes and is safe for concurrent use.
type Pages struct {
	options Options
}

// New makes the pages. It panics without Options.Origin, since no URL could be shown.
func New(options Options) *Pages {
	if options.Origin == nil {
		panic("page: Options.Origin is required")
	}
	return &Pages{options: options}
}

// Register adds the routes, for GET and HEAD.
func (p *Pages) Register(mux *http.ServeMux) {
	mux.HandleFunc("GET "+IndexPath+"{$}", p.index)
	mux.HandleFunc("GET "+ConnectPath, p.connect)
	mux.HandleFunc("GET "+ShortPath, redirect)
	mux.HandleFunc("GET "+LLMSPath, p.llms)
	mux.HandleFunc("GET "+IconPath, icon)
	mux.HandleFunc("GET "+stylePath, style)
	mux.HandleFunc("GET "+scriptPath, script)
}

func (p *Pages) addresses(r *http.Request) addresses {
	return newAddresses(p.options.Origin(r))
}

// commands are the lines that connect to the server at these addresses.
func (p *Pages) commands(at addresses) commands {
	provider := cmp.Or(escapeURL(p.options.Provider), at.Origin)
	return newCommands(at.MCP(), provider)
}
