package rs

import (
	"context"
	"fmt"
	"net/http"
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
			"the resource server answered with a redirect (%d), which is not followed so that the bearer stays with it", response.StatusCode),
			"set the provider URL to the final address", nil)
	}
	body, err := readBody(response, e.client.maxBody)
	if err != nil {
		return nil, e.unreadable(err)
	}
	if response.StatusCode < 200 || response.StatusCode > 299 {
		return nil, e.refusal(response.Header, e.client.secrets.told(body))
	}
	body = e.client.secrets.bytes(body)
	compact, problem := compactObject(body)
	if problem != "" && !(e.changes() && len(body) == 0) {
		return nil, e.failure(InvalidResponse, "the resource server's answer "+problem, checkProvider, nil)
	}
	if len(body) == 0 {
		body = nil
	}
	return &Response{
		Status: e.status, RequestID: e.requestID, URL: e.shownURL, Request: e.client.secrets.request(e.asked),
		body: body, compact: compact,
	}, nil
}

// changes reports whether the request is a change, whose answer may have no body, such as 204.
func (e *exchange) changes() bool { return e.method != http.MethodGet }

func requestID(header http.Header) string {
	if id := header.Get("Request-Id"); id != "" {
		return id
	}
	return header.Get("X-Request-Id")
}
