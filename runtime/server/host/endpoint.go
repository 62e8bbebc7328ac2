package host

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/tracecontext"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/server/auth"
	"github.com/pdppmcp/pdpp-mcp/runtime/server/toolcall"
)

// Probes of the process. They accept every Host, because an orchestrator uses the address of a container. Their
// responses contain no details.
const (
	healthPath    = "/healthz"
	readinessPath = "/readyz"
)

const overhead = 10 * time.Second // for authentication and writing, in addition to a tool call

// ServeHTTP answers a request. It first checks host and origin, against DNS rebinding and pages of other sites
// (R-HOST-9).
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	started := time.Now()
	// Package http resets this deadline once the body is read. A request without a body would fail at the deadline, so it
	// gets none. A writer without a connection, as in tests, supports no deadline.
	if r.Body != http.NoBody {
		_ = http.NewResponseController(w).SetReadDeadline(started.Add(h.options.BodyTimeout))
	}
	if h.readiness.draining.Load() {
		w.Header().Set("Connection", "close") // so that the next request goes to another server
	}
	switch r.URL.Path {
	case healthPath:
		writeProbe(w, http.StatusOK, readinessReport{Status: "ok"}) // the process is up
		return
	case readinessPath:
		h.serveReadiness(w, r)
		return
	}
	request := &toolcall.Request{ID: requestID(r.Header), Trace: tracecontext.OfHeader(r.Header)}
	w.Header().Set("Request-Id", request.ID)
	w.Header().Set("X-Content-Type-Options", "nosniff")
	answer := &answerWriter{ResponseWriter: w, requestID: request.ID, status: http.StatusOK}
	r = r.WithContext(request.Within(r.Context()))
	origin, isAllowed := h.origins.originOf(r)
	request.Origin = origin
	// Pages of other origins may link to this server's pages, but must not send messages or change anything.
	isRead := r.Method == http.MethodGet || r.Method == http.MethodHead
	switch {
	case !isAllowed:
		h.refuse(answer, r, misdirected)
	case (r.URL.Path == auth.MCPPath || !isRead) && isForeign(r, origin):
		h.refuse(answer, r, foreignOrigin)
	default:
		h.routes.ServeHTTP(answer, r)
	}
	h.options.Recorder.Request(h.routeOf(r), answer.status, time.Since(started))
}

// serveMCP answers /mcp. Cheap checks come first.
func (h *Handler) serveMCP(w http.ResponseWriter, r *http.Request) {
	defer h.inFlight.Enter()()
	ctx, cancel := context.WithTimeout(r.Context(), h.options.callTimeout()+overhead)
	defer cancel()
	r = r.WithContext(ctx)
	switch {
	case !slices.Contains([]string{http.MethodPost, http.MethodGet, http.MethodDelete}, r.Method):
		h.refuse(w, r, wrongMethod)
		return
	case r.ContentLength > MaxRequestBody:
		h.refuse(w, r, tooLarge)
		return
	}
	if err := h.authenticate(r); err != nil {
		h.challenge(w, r, err)
		return
	}
	release, refused := h.limiter.admit(toolcall.RequestOf(ctx).Caller.TokenHash, 1)
	if refused != nil {
		h.refuse(w, r, refused)
		return
	}
	defer release()
	if r.Method != http.MethodPost {
		h.serveBySDK(w, r, nil)
		return
	}
	body, forget, refused := readBody(w, r, h.bodies)
	defer forget()
	if refused != nil {
		h.refuse(w, r, refused)
		return
	}
	h.messages.ServeBody(w, r, body)
}

func (h *Handler) admitMore(w http.ResponseWriter, r *http.Request, messages int) (release func(), ok bool) {
	release, refused := h.limiter.admitMore(toolcall.RequestOf(r.Context()).Caller.TokenHash, messages)
	if refused != nil {
		h.refuse(w, r, refused)
	}
	return release, refused == nil
}

func (h *Handler) serveBySDK(w http.ResponseWriter, r *http.Request, body []byte) {
	if body != nil {
		r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	}
	request := *toolcall.RequestOf(r.Context()) // a copy, since the messages of a batch are answered concurrently
	request.HasViews = r.Header.Get(sessionHeader) == viewSession
	h.sdk.ServeHTTP(viewWriter{w, &request}, r.WithContext(request.Within(r.Context())))
}

// authenticate sets the caller of a request (R-HOST-4).
func (h *Handler) authenticate(r *http.Request) error {
	bearer, err := auth.Bearer(r.Header)
	if err != nil {
		return err
	}
	caller, err := h.options.Verifier.Verify(r.Context(), bearer)
	if err != nil {
		return err
	}
	request := toolcall.RequestOf(r.Context())
	request.Caller, request.Bearer = caller, rs.NewSecret(bearer)
	return nil
}

// challenge answers an unauthenticated request (R-HOST-2).
func (h *Handler) challenge(w http.ResponseWriter, r *http.Request, err error) {
	request := toolcall.RequestOf(r.Context())
	attributes := request.AppendTo(nil)
	level := slog.LevelWarn // the authorization server failed
	var refusal *auth.Refusal
	if errors.As(err, &refusal) {
		attributes = append(attributes, slog.Int("status", refusal.Status), slog.String("code", refusal.Code))
		if refusal.Status < http.StatusInternalServerError {
			level = slog.LevelInfo
		}
	}
	// A refusal contains no token.
	h.options.Logger.LogAttrs(r.Context(), level, "refused", append(attributes, slog.String("reason", err.Error()))...)
	challenge := auth.Challenge{PublicOrigin: request.Origin, RequestID: request.ID, Scope: h.options.Verifier.Scope()}
	if refusal != nil && isBrowser(r) && r.Header.Get("Authorization") == "" {
		w.Header().Set("WWW-Authenticate", challenge.Authenticate(refusal))
		h.showPage(w, refusal.Status, "This address is for AI apps", "Give it to your AI app. The app then asks you to sign in, and you choose what it may read.")
		return
	}
	challenge.Write(w, err)
}

func (h *Handler) refuse(w http.ResponseWriter, r *http.Request, refused *problem) {
	toolcall.LogRefusal(r.Context(), h.options.Logger, refused.status, kinds[refused.status].code)
	h.write(w, r, refused)
}

// routeOf returns the route of a request for metrics, or "other". Clients can invent paths.
func (h *Handler) routeOf(r *http.Request) string {
	_, pattern := h.routes.Handler(r)
	if pattern == "" || pattern == "/" { // the pattern of every unknown path
		return "other"
	}
	return strings.TrimSuffix(strings.TrimPrefix(pattern, "GET "), "{$}")
}
