package rs

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
)

// exchange is one request and what became of it.
type exchange struct {
	client    *Client
	caller    context.Context //nolint:containedctx // lives as long as one request
	method    string
	address   string
	asked     Request
	shownURL  string // the URL at the provider's public origin, without the bearer
	status    int
	requestID string
}

// read turns an answer into a response, an *Error or a *Failure.
func (e *exchange) read(response *http.Response) (*Response, error) {
	e.status = response.StatusCode
	e.requestID = e.client.secrets.text(requestID(response.Header))
	if response.StatusCode >= 300 && response.StatusCode < 400 {
		return nil, e.failure(Redirected, fmt.Sprintf(
			"the resource server answered with a redirect (%d), which is not followed so that the bearer stays with it; set the provider URL to the final address",
			response.StatusCode), nil)
	}
	body, err := readBody(response, e.client.maxBody)
	if err != nil {
		return nil, e.unreadable(err)
	}
	body = e.client.secrets.bytes(body)
	if response.StatusCode < 200 || response.StatusCode > 299 {
		return nil, e.refusal(response.Header, body)
	}
	compact, problem := compactObject(body)
	if problem != "" && !(e.changes() && len(body) == 0) {
		return nil, e.failure(InvalidResponse, "the resource server's answer "+problem+checkProvider, nil)
	}
	if len(body) == 0 {
		body = nil
	}
	return &Response{
		Status: e.status, RequestID: e.requestID, URL: e.shownURL, Request: e.client.secrets.request(e.asked),
		body: body, compact: compact,
	}, nil
}

// changes tells a change from a read. Its answer may have no body, such as 204.
func (e *exchange) changes() bool { return e.method != http.MethodGet }

func requestID(header http.Header) string {
	if id := header.Get("Request-Id"); id != "" {
		return id
	}
	return header.Get("X-Request-Id")
}

// outcomeOpen stands at the end of a failure after which nobody knows whether the change was made.
const outcomeOpen = "; the change may have been made: look before sending it again"

func (e *exchange) failure(reason Reason, message string, cause error) *Failure {
	if e.changes() && reason != Redirected && !undialled(cause) {
		message, _, _ = strings.Cut(message, "; ") // what helps a read to be sent again is wrong here
		message += outcomeOpen
	}
	return &Failure{
		Reason:    reason,
		Message:   message,
		Status:    e.status,
		RequestID: e.requestID,
		URL:       e.shownURL,
		Cause:     e.client.secrets.cause(cause),
	}
}

// undialled is a request that never left.
func undialled(cause error) bool {
	var operation *net.OpError
	return errors.As(cause, &operation) && operation.Op == "dial"
}

// unanswered is a request that got no status line.
func (e *exchange) unanswered(err error) *Failure {
	if late := e.late(err); late != nil {
		return late
	}
	var certificate *tls.CertificateVerificationError
	if errors.As(err, &certificate) {
		return e.failure(Unreachable, "the certificate of the resource server at "+e.client.providerURL+
			" is not valid or not trusted here, so nothing was sent; check the provider URL, and ask the server's operator about its certificate", err)
	}
	failure := e.failure(Unreachable, "the resource server at "+e.client.providerURL+" cannot be reached; check the provider URL and the network, then try again", err)
	failure.passing = isPassing(err)
	return failure
}

// unreadable is an answer whose body broke off, lasted too long or was too much.
func (e *exchange) unreadable(err error) *Failure {
	if late := e.late(err); late != nil {
		return late
	}
	var tooLarge *bodyTooLargeError
	if errors.As(err, &tooLarge) {
		return e.failure(ResponseTooLarge, fmt.Sprintf(
			"the resource server's answer is larger than %d bytes; ask for less with a smaller limit or fewer fields", tooLarge.limit), err)
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return e.failure(InvalidResponse, "the resource server's answer was cut off; try again", err)
	}
	var connection net.Error
	if errors.As(err, &connection) {
		return e.failure(Unreachable, "the connection to the resource server broke during its answer; try again", err)
	}
	return e.failure(InvalidResponse, "the resource server's answer cannot be decoded; check that the provider URL is a PDPP resource server", err)
}

// late is a request that ran out of time or whose caller gave up, or nil when it was neither.
func (e *exchange) late(err error) *Failure {
	var timeout net.Error
	switch {
	case errors.Is(err, context.Canceled):
		return e.failure(Timeout, "the call was cancelled before the resource server had answered", err)
	case e.caller.Err() != nil:
		return e.failure(Timeout, "the time for this call ran out before the resource server had answered; ask for less, or try again", err)
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout():
		return e.failure(Timeout, fmt.Sprintf("the resource server did not answer within %s; ask for less, or try again", e.client.timeout), err)
	}
	return nil
}
