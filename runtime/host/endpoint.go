package host

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/auth"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tracecontext"
)

// Probes of the process. They answer for every host, since an orchestrator asks for the address of
// a container, and show nothing.
const (
	healthPath    = "/healthz"
	readinessPath = "/readyz"
)

// answerWithin is what a request may take beyond its tool call: authentication and writing.
const answerWithin = 10 * time.Second

// ServeHTTP answers one request. It checks host and origin before anything else, against DNS rebinding and pages of other
// sites (R-HOST-9).
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	started := time.Now()
	// Package http ends this limit with the body, so that it does not bound the answer; without a body it would end the
	// request. The error says that the writer has no connection.
	if r.Body != http.NoBody {
		_ = http.NewResponseController(w).SetReadDeadline(started.Add(h.options.BodyTimeout))
	}
	if h.readiness.draining.Load() {
		w.Header().Set("Connection", "close") // the next request finds another server
	}
	switch r.URL.Path {
	case healthPath:
		writeProbe(w, http.StatusOK, readinessReport{Status: "ok"}) // the process is up
		return
	case readinessPath:
		h.serveReadiness(w, r)
		return
	}
	known := &hostedRequest{id: requestID(r.Header), trace: tracecontext.OfHeader(r.Header)}
	w.Header().Set("Request-Id", known.id)
	w.Header().Set("X-Content-Type-Options", "nosniff")
	answer := &statusWriter{ResponseWriter: w, status: http.StatusOK}
	r = r.WithContext(known.within(r.Context()))
	origin, isAllowed := h.origins.of(r)
	known.origin = origin
	// A page of another origin may link to pages. It may neither send messages nor change anything.
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

// serveMCP answers /mcp. Its checks come in the order of what they cost.
func (h *Handler) serveMCP(w http.ResponseWriter, r *http.Request) {
	defer h.inFlight.enter()()
	ctx, cancel := context.WithTimeout(r.Context(), h.options.callTimeout()+answerWithin)
	defer cancel()
	r = r.WithContext(ctx)
	switch r.Method {
	case http.MethodPost, http.MethodGet, http.MethodDelete:
	default:
		h.refuse(w, r, wrongMethod)
		return
	}
	if r.ContentLength > MaxRequestBody {
		h.refuse(w, r, tooLarge)
		return
	}
	if err := h.authenticate(r); err != nil {
		h.challenge(w, r, err)
		return
	}
	release, refused := h.limiter.admit(requestOf(ctx).caller.TokenHash, 1)
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
	h.serveBody(w, r, body)
}

// serveBody answers the messages in a body.
func (h *Handler) serveBody(w http.ResponseWriter, r *http.Request, body []byte) {
	if !isAnswerable(r) {
		h.serveBySDK(w, r, body) // it refuses the request for its headers
		return
	}
	texts, isBatch, bad := splitMessages(body)
	if bad.refused != nil {
		h.refuseMessage(w, r, http.StatusBadRequest, bad)
		return
	}
	release, refused := h.limiter.admitMore(requestOf(r.Context()).caller.TokenHash, len(texts)-1)
	if refused != nil {
		h.refuse(w, r, refused)
		return
	}
	defer release()
	name, isTwice := repeatedHeader(r.Header)
	switch {
	case isTwice && isBatch:
		h.refuseMessage(w, r, http.StatusBadRequest, invalidRequest(messageID{}, fmt.Sprintf("the header %s came twice", name)))
	case isTwice:
		h.refuseMessage(w, r, http.StatusBadRequest, invalidRequest(readMessage(texts[0]).id, fmt.Sprintf("the header %s came twice", name)))
	case !isBatch:
		h.answer(w, r, readMessage(texts[0]))
	case !hasBatches(revisionOf(r)):
		h.refuseMessage(w, r, http.StatusBadRequest, invalidRequest(messageID{}, "batches ended with revision 2025-03-26; send one message"))
	default:
		h.answerBatch(w, r, texts)
	}
}

// serveBySDK lets the SDK answer a request.
func (h *Handler) serveBySDK(w http.ResponseWriter, r *http.Request, body []byte) {
	w = &refusalWriter{ResponseWriter: w, requestID: requestOf(r.Context()).id}
	if body != nil {
		r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	}
	h.sdk.ServeHTTP(w, r)
}

// authenticate finds the caller of a request (R-HOST-4).
func (h *Handler) authenticate(r *http.Request) error {
	bearer, err := auth.Bearer(r.Header)
	if err != nil {
		return err
	}
	caller, err := h.options.Verifier.Verify(r.Context(), bearer)
	if err != nil {
		return err
	}
	known := requestOf(r.Context())
	known.caller, known.bearer = caller, rs.NewSecret(bearer)
	return nil
}

// challenge answers a request that was not authenticated (R-HOST-2).
func (h *Handler) challenge(w http.ResponseWriter, r *http.Request, err error) {
	known := requestOf(r.Context())
	attributes := known.appendTo(nil)
	level := slog.LevelWarn // the authorization server is in trouble
	var refusal *auth.Refusal
	if errors.As(err, &refusal) {
		attributes = append(attributes, slog.Int("status", refusal.Status), slog.String("code", refusal.Code))
		if refusal.Status < http.StatusInternalServerError {
			level = slog.LevelInfo
		}
	}
	// The text of a refusal holds no token.
	h.options.Logger.LogAttrs(r.Context(), level, "refused", append(attributes, slog.String("reason", err.Error()))...)
	challenge := auth.Challenge{PublicOrigin: known.origin, RequestID: known.id}
	if refusal != nil && isBrowser(r) && r.Header.Get("Authorization") == "" {
		w.Header().Set("WWW-Authenticate", challenge.Authenticate(refusal))
		h.showPage(w, refusal.Status, "This address is for AI apps", "Give it to your AI app. The app then asks you to sign in, and you choose what it may read.")
		return
	}
	challenge.Write(w, err)
}

func (h *Handler) refuse(w http.ResponseWriter, r *http.Request, refused *problem) {
	h.logRefusal(r, refused.status, kinds[refused.status].code)
	h.write(w, r, refused)
}

// logRefusal writes who was refused with what. The code is of a closed set.
func (h *Handler) logRefusal(r *http.Request, status int, code string) {
	attributes := append(requestOf(r.Context()).appendTo(nil), slog.Int("status", status), slog.String("code", code))
	h.options.Logger.LogAttrs(r.Context(), slog.LevelInfo, "refused", attributes...)
}

// routeOf returns the path of the route that answers a request, or "other". The path that the client wrote would be an open set.
func (h *Handler) routeOf(r *http.Request) string {
	_, pattern := h.routes.Handler(r)
	if pattern == "" || pattern == "/" { // the pattern of every unknown path
		return "other"
	}
	return strings.TrimSuffix(strings.TrimPrefix(pattern, "GET "), "{$}")
}

// statusWriter notes the status of a response.
type statusWriter struct {
	http.ResponseWriter
	status int
}

// WriteHeader notes the status.
func (w *statusWriter) WriteHeader(status int) {
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}

// Unwrap gives the writer that knows the connection.
func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
