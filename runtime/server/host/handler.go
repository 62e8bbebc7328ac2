package host

import (
	"cmp"
	"log/slog"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"golang.org/x/sync/semaphore"

	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/server/auth"
	"github.com/pdppmcp/pdpp-mcp/runtime/server/authorize"
	"github.com/pdppmcp/pdpp-mcp/runtime/server/page"
	"github.com/pdppmcp/pdpp-mcp/runtime/server/toolcall"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// HandlerOptions configures a hosted server. Options without "may be" are required.
type HandlerOptions struct {
	Options

	Verifier            *auth.Verifier
	AuthorizationServer string // the issuer in the metadata
	ProviderURL         string // the provider's public origin, for record URLs
	ResourceURL         string // the resource server's URL; may be empty for ProviderURL

	PublicURL      string         // the origin that clients see; if empty, a trusted proxy states it, otherwise it is ListenAddress
	ListenAddress  string         // host:port; may be empty with PublicURL
	TrustedProxies []netip.Prefix // peers whose forwarded headers are used; may be nil
	AllowedHosts   []string       // accepted hosts besides PublicURL and loopback, with or without a port; may be nil

	Sources []authorize.Source // that sign-ins ask for, one each; nil: what the host asks for

	// Endpoint, if not nil, serves the admitted requests of /mcp instead of the surface: the fixtures of the conformance
	// suite.
	Endpoint http.Handler

	Transport    http.RoundTripper // to the resource server; may be nil for rs.NewTransport
	RSTimeout    time.Duration     // of one request to the resource server; may be 0 for rs.DefaultTimeout
	ChildTimeout time.Duration     // of one source of a package; may be 0 for fanout.DefaultChildTimeout
	BodyTimeout  time.Duration     // for the client to send its request; may be 0 for 10 s
	Limits       Limits            // may be zero for the defaults
}

// Handler serves the origin of a hosted server: /mcp, its metadata, the pages and the probes (docs/interfaces.md,
// Hosted routes). It can be mounted at the root of another server. It is safe for concurrent use.
type Handler struct {
	options   HandlerOptions
	origins   *origins
	limiter   *limiter
	bodies    *semaphore.Weighted // limits the bodies in memory
	retries   *rs.RetryBudget     // of all callers
	schemas   keptSchemas
	readiness readiness
	inFlight  *toolcall.InFlight
	routes    *http.ServeMux
	messages  toolcall.HTTP
	sdk       http.Handler
}

// NewHandler returns the server of a surface. Its error is an *rs.OptionError. It sends nothing.
func NewHandler(surface tool.Surface, options HandlerOptions) (*Handler, error) {
	options, err := options.complete()
	if err != nil {
		return nil, err
	}
	h := &Handler{
		options: options, bodies: semaphore.NewWeighted(maxBodies), inFlight: toolcall.NewInFlight(), retries: rs.NewRetryBudget(),
		schemas: newKeptSchemas(),
	}
	if h.origins, err = newOrigins(options); err != nil {
		return nil, err
	}
	// This client only checks the URLs.
	if _, err := h.client(&toolcall.Request{}, rs.NewSecret(strings.Repeat("-", rs.ShortestBearer)), nil); err != nil {
		return nil, err
	}
	if h.limiter, err = newLimiter(options.Limits); err != nil {
		return nil, err
	}
	runner := options.newRunner(surface, h.environment)
	// All callers share one server: a server for each would cost many times as much.
	server := newServer(surface, options.identity(), runner, refuseCall)
	server.AddReceivingMiddleware(observeSDK(runner), identifyServer(options.identity()))
	endpoint := options.Endpoint
	if endpoint == nil {
		endpoint = mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, TransportOptions())
	}
	h.sdk = throughSDK(endpoint)
	h.messages = toolcall.HTTP{
		Runner: runner, Logger: options.Logger, SDK: h.serveBySDK, AdmitMore: h.admitMore,
		Server: func(origin string) mcp.Implementation { return shownAt(origin, options.identity()) },
	}
	h.routes = h.newRoutes(surface)
	return h, nil
}

// TransportOptions returns how the SDK serves /mcp behind a Handler: without sessions, each response as one JSON
// document.
func TransportOptions() *mcp.StreamableHTTPOptions {
	return &mcp.StreamableHTTPOptions{
		Stateless:                    true,
		JSONResponse:                 true,
		PropagateRequestCancellation: true,
		MaxRequestBodyBytes:          MaxRequestBody,
		// The SDK would refuse a public host behind a proxy on the same machine. The allowlist has checked the host.
		DisableLocalhostProtection: true,
	}
}

// Paths returns the patterns under which a provider can mount a Handler, without the metadata of the provider itself.
func Paths() []string {
	return append(page.Paths(), auth.MCPPath, auth.MCPMetadataPath, healthPath, readinessPath)
}

func (h *Handler) newRoutes(surface tool.Surface) *http.ServeMux {
	mux := http.NewServeMux()
	mux.HandleFunc(auth.MCPPath, h.serveMCP)
	mux.HandleFunc("GET "+auth.ResourceMetadataPath, h.metadata(auth.Metadata.Provider))
	mux.HandleFunc("GET "+auth.MCPMetadataPath, h.metadata(auth.Metadata.MCP))
	page.Register(mux, page.Options{
		Name: h.options.Name, Version: h.options.Version, Revisions: Revisions(), Provider: h.options.ProviderURL, Surface: surface,
		Origin: originOf, Issuer: h.options.AuthorizationServer,
		ReadsPackages: func() bool {
			known := h.options.Verifier.Metadata()
			return known == nil || h.options.Sources != nil || known.True(auth.MembersPublished)
		},
	})
	if h.options.Sources != nil {
		authorize.Register(mux, authorize.Options{
			Sources: h.options.Sources, Origin: originOf, Metadata: h.options.Verifier.Metadata, Site: h.options.Name,
		})
	}
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) { h.write(w, r, noSuchPage) })
	return mux
}

func originOf(r *http.Request) string { return toolcall.RequestOf(r.Context()).Origin }

// metadata serves a protected-resource document (RFC 9728, R-HOST-3).
func (h *Handler) metadata(document func(auth.Metadata) []byte) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		origin, issuer := originOf(r), h.options.AuthorizationServer
		if h.options.Sources != nil {
			issuer = origin
		}
		body := document(auth.Metadata{PublicOrigin: origin, AuthorizationServer: issuer, Scope: h.options.Verifier.Scope()})
		toolcall.WriteJSON(w, http.StatusOK, textJSON, "no-cache", body)
	}
}

func (o HandlerOptions) complete() (HandlerOptions, error) {
	switch {
	case o.Verifier == nil:
		return o, &rs.OptionError{Option: "Verifier", Message: "is missing; create one with auth.NewVerifier"}
	case o.AuthorizationServer == "":
		return o, &rs.OptionError{Option: "AuthorizationServer", Message: "is empty; pass the issuer for sign-in, such as https://as.example.com"}
	case o.ProviderURL == "":
		return o, &rs.OptionError{Option: "ProviderURL", Message: "is empty; pass the provider's public origin, such as https://pdpp.example.com"}
	}
	if o.Transport == nil {
		o.Transport = rs.NewTransport()
	}
	if o.Tracer != nil {
		o.Transport = o.Tracer.Transport(o.Transport)
	}
	o.Recorder = cmp.Or[toolcall.Recorder](o.Recorder, toolcall.SilentRecorder{})
	o.BodyTimeout = cmp.Or(o.BodyTimeout, defaultBodyTimeout)
	o.ResourceURL = cmp.Or(o.ResourceURL, o.ProviderURL)
	o.Logger = cmp.Or(o.Logger, slog.New(slog.DiscardHandler))
	return o, nil
}
