package rs

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/tracecontext"
)

type exchange struct {
	client     *Client
	caller     context.Context //nolint:containedctx // lives as long as one request
	method     string
	address    string
	asked      Request
	shownURL   string // the URL at the provider's public origin, without the bearer
	try        int    // of its read, starting at 1
	started    time.Time
	status     int
	bytes      int64 // of the body that were read
	requestID  string
	isReported bool        // the observer was called
	isStalled  atomic.Bool // a download received nothing for the client's timeout
}

func (e *exchange) request(ctx context.Context, accept string, body []byte) (*http.Request, error) {
	var sent io.Reader // nil for no body, so that no length is announced
	if body != nil {
		sent = bytes.NewReader(body)
	}
	request, err := http.NewRequestWithContext(ctx, e.method, e.address, sent)
	if err != nil {
		return nil, e.failure(Unreachable, "the request has no valid URL", "check the provider URL", nil)
	}
	for name, values := range e.client.header {
		request.Header[http.CanonicalHeaderKey(name)] = slices.Clone(values)
	}
	tracecontext.From(e.caller).WriteTo(request.Header)
	request.Header.Set("Accept", accept)
	if _, isPublic := e.asked.Sources.(MetadataOfSource); !isPublic {
		request.Header.Set("Authorization", "Bearer "+e.client.bearer.Reveal())
	}
	request.Header.Set("User-Agent", "pdpp-mcp")
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	e.started = time.Now()
	return request, nil
}

func (e *exchange) report() {
	if observer := ObserverOf(e.caller); observer != nil && !e.isReported {
		e.isReported = true
		observer.Sent(Sent{Template: e.asked.Path.Route().Template, Status: e.status, Took: time.Since(e.started), Bytes: e.bytes, Try: e.try})
	}
}

func (e *exchange) run(ctx context.Context, body []byte) (*Response, error) {
	request, err := e.request(ctx, "application/json", body)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Accept-Encoding", "gzip")

	if !allowanceOf(e.caller).take() {
		return nil, e.failure(TooManyRequests, fmt.Sprintf("one call sends %d requests at most", MaxRequests), "ask for less, or continue with another call", nil)
	}
	// The transport is called directly: http.Client would follow redirects and could send the bearer to another origin.
	response, err := e.client.transport.RoundTrip(request)
	if err != nil {
		e.report()
		return nil, e.unanswered(err)
	}
	defer response.Body.Close()
	return e.read(ctx, response)
}

func (e *exchange) read(ctx context.Context, response *http.Response) (read *Response, err error) {
	e.status = response.StatusCode
	e.requestID = e.client.secrets.redactText(requestID(response.Header))
	if response.StatusCode >= 300 && response.StatusCode < 400 {
		e.report()
		return nil, e.failure(Redirected, fmt.Sprintf(
			"the resource server answered with a redirect (%d), which is not followed so that the bearer stays with it", response.StatusCode),
			"set the provider URL to the final address", nil)
	}
	body, counted, err := e.readBody(ctx, response, e.client.maxBody)
	e.bytes = int64(len(body))
	e.report()
	if err != nil {
		return nil, e.unreadable(err)
	}
	defer func() {
		if read == nil && counted > 0 {
			allowanceOf(e.caller).giveBack(counted, false)
		}
	}()
	if response.StatusCode < 200 || response.StatusCode > 299 {
		return nil, e.refusal(response.Header, e.client.secrets.redactRefusal(body))
	}
	if !isUTF8(response.Header.Get("Content-Type")) {
		return nil, e.failure(InvalidResponse, "the resource server's answer has a charset other than UTF-8", checkProvider, nil)
	}
	body = e.client.secrets.redact(body)
	compact, problem := readObject(ctx, body)
	if problem != "" && !(e.isChange() && len(body) == 0) {
		return nil, e.failure(InvalidResponse, "the resource server's answer "+problem, checkProvider, nil)
	}
	switch {
	case len(body) == 0:
		body = nil
	case counted > 0:
		body = compact // it is not held twice
	}
	return &Response{
		Status: e.status, RequestID: e.requestID, URL: e.shownURL, Request: e.client.secrets.redactRequest(e.asked),
		body: body, compact: compact, counted: counted, allowance: allowanceOf(e.caller),
	}, nil
}

// isChange reports whether the request is a change. Its response may have no body, such as 204.
func (e *exchange) isChange() bool { return e.method != http.MethodGet }

func requestID(header http.Header) string {
	return cmp.Or(header.Get("Request-Id"), header.Get("X-Request-Id"))
}

type bodyTooLargeError struct{ limit int64 }

func (e *bodyTooLargeError) Error() string { return fmt.Sprintf("body larger than %d bytes", e.limit) }

// isUTF8 reports whether a Content-Type names no charset, or UTF-8 or its subset ASCII. JSON has no other (RFC 8259,
// section 8.1).
func isUTF8(contentType string) bool {
	if contentType == "application/json" { // nearly always
		return true
	}
	_, parameters, err := mime.ParseMediaType(contentType)
	return err != nil || slices.Contains([]string{"", "utf-8", "utf8", "us-ascii"}, strings.ToLower(parameters["charset"]))
}

// readBody returns the body, and how many of its bytes count for the allowance of the call.
func (e *exchange) readBody(ctx context.Context, response *http.Response, limit int64) (body []byte, counted int64, err error) {
	allowance := allowanceOf(e.caller)
	switch encoding := strings.ToLower(response.Header.Get("Content-Encoding")); encoding {
	case "", "identity":
		if response.ContentLength > limit {
			return nil, 0, &bodyTooLargeError{limit}
		}
		return allowance.readWithin(ctx, response.Body, response.ContentLength, response.ContentLength, limit)
	case "gzip", "x-gzip":
		decompressor, err := gzip.NewReader(response.Body)
		if err != nil {
			return nil, 0, err
		}
		const usualRatio = 4
		return allowance.readWithin(ctx, decompressor, -1, usualRatio*response.ContentLength, limit)
	default:
		return nil, 0, fmt.Errorf("content encoding %q", encoding)
	}
}

// readAll reads to the end. The expected size, which may be negative, saves growing the buffer. It calls reserve with
// the size of each buffer before it makes it, and returns its error.
func readAll(source io.Reader, expected, limit int64, reserve func(size int64) error) ([]byte, error) {
	var body []byte
	size := max(expected, 4<<10)
	for {
		size = min(size, limit)
		if err := reserve(size); err != nil {
			return nil, err
		}
		larger := make([]byte, len(body), size+1) // one more, to see the end
		copy(larger, body)
		var isWhole bool
		var err error
		body, isWhole, err = fill(source, larger)
		switch {
		case err != nil:
			return nil, err
		case int64(len(body)) > limit:
			return nil, &bodyTooLargeError{limit}
		case isWhole:
			return body, nil
		}
		size = max(2*size, expected)
	}
}

// fill reads until the buffer is full or the source ends.
func fill(source io.Reader, buffer []byte) (filled []byte, isWhole bool, err error) {
	for len(buffer) < cap(buffer) {
		count, err := source.Read(buffer[len(buffer):cap(buffer)])
		buffer = buffer[:len(buffer)+count]
		if errors.Is(err, io.EOF) {
			return buffer, true, nil
		}
		if err != nil {
			return nil, false, err
		}
	}
	return buffer, false, nil
}

// Sent is one request of a Client and its outcome. It has no values of the request, no bearer and no content.
type Sent struct {
	Template string        // of its Route
	Status   int           // 0 without a response
	Took     time.Duration // from sending to the end of the response's body
	Bytes    int64         // of the body, after decompression; 0 if it was not read
	Try      int           // of its read, from 1 to MaxTries
}

// Observer receives requests that have ended. It is called concurrently and must not block.
type Observer interface{ Sent(sent Sent) }

type observerKey struct{}

// ObservedBy returns a context whose requests an observer receives.
func ObservedBy(ctx context.Context, observer Observer) context.Context {
	return context.WithValue(ctx, observerKey{}, observer)
}

// ObserverOf returns the observer of a context, or nil.
func ObserverOf(ctx context.Context) Observer {
	observer, _ := ctx.Value(observerKey{}).(Observer)
	return observer
}
