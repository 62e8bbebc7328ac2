package flow

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"

	"github.com/luikyv/go-oidc/pkg/goidc"

	"github.com/pdppmcp/pdpp-mcp/sandbox/authorization/respond"
)

// members is a JSON object whose values stay as they are.
type members map[string]json.RawMessage

// answer buffers the library's response, so that PDPP's members can be added before it is sent.
type answer struct {
	header http.Header
	status int
	body   bytes.Buffer
	cause  error // of a refusal: details that the library does not send to the client
}

func (a *answer) Header() http.Header { return a.header }

func (a *answer) WriteHeader(status int) {
	if a.status == 0 {
		a.status = status
	}
}

func (a *answer) Write(p []byte) (int, error) {
	a.WriteHeader(http.StatusOK)
	return a.body.Write(p)
}

// cause receives, through the request's context, the error that noteCause reports.
type cause struct{ err error }

// noteCause is the library's error handler. It logs nothing, because an error may contain credentials.
func noteCause(ctx context.Context, err error) {
	if place, asked := ctx.Value(causeKey).(*cause); asked {
		place.err = err
	}
}

// ask returns the library's answer to a request.
func (f *Flow) ask(r *http.Request) *answer {
	place := &cause{}
	a := &answer{header: http.Header{}}
	f.library.ServeHTTP(a, r.WithContext(context.WithValue(r.Context(), causeKey, place)))
	a.WriteHeader(http.StatusOK)
	a.cause = place.err
	return a
}

// ok reports whether the answer is a success.
func (a *answer) ok() bool { return a.status < http.StatusBadRequest }

// object decodes the body of a success. It is empty if the body is not an object.
func (a *answer) object() members {
	decoded := members{}
	_ = json.Unmarshal(a.body.Bytes(), &decoded)
	return decoded
}

// refusal returns the OAuth error code of an answer that is not ok, and its description.
func (a *answer) refusal() (code, description string) {
	var document *documentError
	if errors.As(a.cause, &document) {
		return document.code, document.description
	}
	var refused goidc.Error
	if !errors.As(a.cause, &refused) {
		return "server_error", "The authorization server failed"
	}
	description = refused.Description
	if reason := refused.Unwrap(); reason != nil {
		description += ": " + reason.Error()
	}
	return string(refused.Code), description
}

// writeRefusal answers with 400 (RFC 6749, section 5.2), or 401 for a client that failed to authenticate.
func (a *answer) writeRefusal(w http.ResponseWriter) {
	code, description := a.refusal()
	status := http.StatusBadRequest
	switch code {
	case "invalid_client":
		status = http.StatusUnauthorized
		w.Header().Set("WWW-Authenticate", `Basic realm="token"`)
	case "server_error":
		status = http.StatusInternalServerError
	}
	respond.OAuthError(w, status, code, description)
}

// quoted returns a string as JSON.
func quoted(text string) json.RawMessage {
	encoded, _ := json.Marshal(text) // a string always encodes
	return encoded
}
