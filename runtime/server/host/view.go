package host

import (
	"context"
	"net/http"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pdppmcp/pdpp-mcp/runtime/server/toolcall"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// The extension of MCP for user interfaces (MCP Apps, 2026-01-26): a host shows a page of the server next to a result
// (R-VIEW-1).
const (
	viewExtension = "io.modelcontextprotocol/ui"
	viewURI       = "ui://pdpp/view"
	viewType      = "text/html;profile=mcp-app"

	// viewSession is the id of a session over HTTP whose client has declared the extension. It is the only state between
	// the requests of older revisions, which declare capabilities once. Clients without the extension have no session
	// (R-HOST-1).
	viewSession   = "view"
	sessionHeader = "Mcp-Session-Id"
)

// views offers the page to clients that declare the extension. Others see nothing of it (R-VIEW-2).
type views struct {
	html  string
	tools []string // whose results the page draws
}

func viewsOf(surface tool.Surface) views {
	v := views{html: surface.View}
	for _, definition := range surface.Tools {
		if definition.Table != tool.NoTable {
			v.tools = append(v.tools, definition.Name)
		}
	}
	return v
}

// declaresViews reports whether the client of a request has declared the extension with the type of the page.
func declaresViews(request mcp.Request) bool {
	if fromSDK(request).HasViews {
		return true
	}
	capable, ok := request.(interface {
		ClientCapabilities() *mcp.ClientCapabilities
	})
	if !ok {
		return false
	}
	capabilities := capable.ClientCapabilities()
	return capabilities != nil && declares(capabilities.Extensions)
}

func declares(extensions map[string]any) bool {
	settings, isDeclared := extensions[viewExtension]
	members, _ := settings.(map[string]any)
	types, isLimited := members["mimeTypes"].([]any)
	return isDeclared && (!isLimited || slices.Contains(types, any(viewType)))
}

func (v views) answer(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, request mcp.Request) (mcp.Result, error) {
		if initializing, ok := request.(*mcp.ServerRequest[*mcp.InitializeParams]); ok {
			return v.initialized(ctx, method, initializing, next)
		}
		if !declaresViews(request) {
			return next(ctx, method, request)
		}
		if read, ok := request.(*mcp.ReadResourceRequest); ok && read.Params != nil && read.Params.URI == viewURI {
			return &mcp.ReadResourceResult{Cacheable: ofOneCaller, Contents: []*mcp.ResourceContents{v.contents()}}, nil
		}
		result, err := next(ctx, method, request)
		switch listed := result.(type) {
		case *mcp.ListToolsResult:
			return v.withPages(listed), err
		case *mcp.ListResourcesResult:
			return v.withPage(request, listed), err
		case *mcp.DiscoverResult:
			shown := *listed
			shown.Capabilities = withViews(listed.Capabilities)
			return &shown, err
		}
		return result, err
	}
}

// initialized adds the extension to the capabilities of the server, and remembers over HTTP that the client has it.
func (v views) initialized(ctx context.Context, method string, request *mcp.ServerRequest[*mcp.InitializeParams], next mcp.MethodHandler) (mcp.Result, error) {
	result, err := next(ctx, method, request)
	initialized, ok := result.(*mcp.InitializeResult)
	if !ok || err != nil || request.Params.Capabilities == nil || !declares(request.Params.Capabilities.Extensions) {
		return result, err
	}
	fromSDK(request).HasViews = true
	shown := *initialized
	shown.Capabilities = withViews(initialized.Capabilities)
	return &shown, nil
}

func withViews(capabilities *mcp.ServerCapabilities) *mcp.ServerCapabilities {
	shown := mcp.ServerCapabilities{}
	if capabilities != nil {
		shown = *capabilities
		shown.Extensions = nil
		for name, settings := range capabilities.Extensions {
			known, _ := settings.(map[string]any)
			shown.AddExtension(name, known)
		}
	}
	shown.AddExtension(viewExtension, nil)
	return &shown
}

// withPages names the page in each tool whose results it draws. The list is then not the one that other clients may
// share.
func (v views) withPages(listed *mcp.ListToolsResult) mcp.Result {
	shown := *listed
	shown.CacheScope = ofOneCaller.CacheScope
	shown.Tools = slices.Clone(listed.Tools)
	for i, each := range shown.Tools {
		if slices.Contains(v.tools, each.Name) {
			with := *each
			with.Meta = mcp.Meta{"ui": map[string]any{"resourceUri": viewURI}}
			shown.Tools[i] = &with
		}
	}
	return &shown
}

// withPage adds the page to the first page of the resources.
func (v views) withPage(request mcp.Request, listed *mcp.ListResourcesResult) mcp.Result {
	if asked, ok := request.(*mcp.ListResourcesRequest); ok && asked.Params != nil && asked.Params.Cursor != "" {
		return listed
	}
	shown := *listed
	shown.Resources = append([]*mcp.Resource{{
		URI: viewURI, Name: "view", Title: "Result as a picture", MIMEType: viewType, Size: int64(len(v.html)),
	}}, listed.Resources...)
	return &shown
}

// contents returns the page. It loads nothing, so it names no origin that a host would have to allow.
func (v views) contents() *mcp.ResourceContents {
	return &mcp.ResourceContents{
		URI: viewURI, MIMEType: viewType, Text: v.html, Meta: mcp.Meta{"ui": map[string]any{"csp": map[string]any{}, "prefersBorder": true}},
	}
}

// viewWriter sends the session of a client that has declared the extension in its first request.
type viewWriter struct {
	http.ResponseWriter
	request *toolcall.Request
}

func (w viewWriter) WriteHeader(status int) {
	if w.request.HasViews {
		w.Header().Set(sessionHeader, viewSession)
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w viewWriter) Write(body []byte) (int, error) {
	if w.request.HasViews {
		w.Header().Set(sessionHeader, viewSession)
	}
	return w.ResponseWriter.Write(body)
}

func (w viewWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
