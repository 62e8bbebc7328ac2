package rs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Resume says where a download continues. The zero value starts it.
type Resume struct {
	Offset int64  // bytes already received
	ETag   string // of the response that they came from; empty if unknown
}

// Download is a response whose body is bytes of any kind. The caller closes Body.
type Download struct {
	// Body must be read to its end. A read waits up to the client's timeout for more bytes. Its errors are io.EOF and
	// *Failure. A body that ends before its announced length is a *Failure.
	Body        io.ReadCloser
	Offset      int64  // where Body starts: the requested offset, or 0 if the RS sends the whole
	Size        int64  // bytes of the whole; -1 if unknown
	ETag        string // strong validator; may be empty
	ContentType string
	RequestID   string
	URL         string // absolute URL at the provider's public origin; never holds a bearer

	secrets *Secrets
}

// ReadAll reads the body to its end. More bytes than the limit are a *Failure of reason ResponseTooLarge.
func (d *Download) ReadAll(limit int64) ([]byte, error) {
	body, err := readAll(d.Body, d.Size-d.Offset, limit, func(int64) error { return nil })
	var tooLarge *bodyTooLargeError
	if errors.As(err, &tooLarge) {
		return nil, &Failure{Reason: ResponseTooLarge, Message: "the resource server's answer is too large", RequestID: d.RequestID, URL: d.URL, Cause: err}
	}
	return body, err
}

// Redact returns the bytes, or a text taken from them, without bearers (R-ERR-6). It does not copy bytes without
// bearers.
func (d *Download) Redact(shown []byte) []byte { return d.secrets.redact(shown) }

// Unusable returns a *Failure of reason InvalidResponse: the bytes are not what was promised (R-ERR-4).
func (d *Download) Unusable(message string) *Failure {
	return &Failure{Reason: InvalidResponse, Message: message, NextStep: tryAgain, Status: http.StatusOK, RequestID: d.RequestID, URL: d.URL}
}

// Open starts to read bytes that are not JSON, such as a blob, or resumes if the RS supports ranges (RFC 9110, section
// 14). It limits the time between two bytes. The caller limits the size. Errors are those of Get.
func (c *Client) Open(ctx context.Context, asked Request, from Resume) (*Download, error) {
	ctx, cancel := context.WithCancel(ctx)
	exchange := c.exchange(ctx, http.MethodGet, asked)
	request, err := exchange.request(ctx, "*/*", nil)
	if err != nil {
		cancel()
		return nil, err
	}
	request.Header.Set("Accept-Encoding", "identity") // offsets and digests count the blob's own bytes
	if from.Offset > 0 {
		request.Header.Set("Range", fmt.Sprintf("bytes=%d-", from.Offset))
		if from.ETag != "" {
			request.Header.Set("If-Range", from.ETag)
		}
	}
	body := &downloadBody{exchange: exchange, cancel: cancel}
	body.timer = time.AfterFunc(c.timeout, func() {
		exchange.isStalled.Store(true)
		cancel()
	})
	response, err := c.transport.RoundTrip(request)
	if err != nil {
		body.timer.Stop()
		exchange.report()
		failure := exchange.unanswered(err)
		cancel()
		return nil, failure
	}
	body.ReadCloser = response.Body
	download, err := exchange.open(ctx, response, from)
	if err != nil {
		_ = body.Close() // its content was read or is not needed
		return nil, err
	}
	download.Body, body.left = body, response.ContentLength
	if download.Size >= 0 {
		body.left = download.Size - download.Offset
	}
	return download, nil
}

func (e *exchange) open(ctx context.Context, response *http.Response, from Resume) (*Download, error) {
	if response.StatusCode != http.StatusOK && response.StatusCode != http.StatusPartialContent {
		_, err := e.read(ctx, response)
		if err == nil { // such as 204
			err = e.failure(InvalidResponse, fmt.Sprintf("the resource server answered %d without the bytes", response.StatusCode), tryAgain, nil)
		}
		return nil, err
	}
	e.status, e.requestID = response.StatusCode, e.client.secrets.redactText(requestID(response.Header))
	if encoding := response.Header.Get("Content-Encoding"); encoding != "" && encoding != "identity" {
		return nil, e.failure(InvalidResponse, "the resource server encoded the bytes, which was not requested", tryAgain, fmt.Errorf("content encoding %q", encoding))
	}
	download := &Download{
		Size: response.ContentLength, ETag: response.Header.Get("ETag"),
		ContentType: response.Header.Get("Content-Type"), RequestID: e.requestID, URL: e.shownURL, secrets: e.client.secrets,
	}
	if strings.HasPrefix(download.ETag, "W/") {
		download.ETag = "" // a weak one does not identify bytes
	}
	if response.StatusCode == http.StatusPartialContent {
		first, size, ok := contentRange(response.Header.Get("Content-Range"))
		if !ok || from.Offset == 0 || first != from.Offset {
			return nil, e.failure(InvalidResponse, "the resource server sent a different part than was requested", tryAgain, nil)
		}
		download.Offset, download.Size = first, size
	}
	return download, nil
}

// contentRange parses "bytes 5-9/10", or "bytes 5-9/*" with size -1.
func contentRange(value string) (first, size int64, ok bool) {
	span, whole, found := strings.Cut(strings.TrimPrefix(value, "bytes "), "/")
	begin, end, dashed := strings.Cut(span, "-")
	first, err := strconv.ParseInt(begin, 10, 64)
	last, lastErr := strconv.ParseInt(end, 10, 64)
	if !found || !dashed || err != nil || lastErr != nil || last < first {
		return 0, 0, false
	}
	if whole == "*" {
		return first, -1, true
	}
	size, err = strconv.ParseInt(whole, 10, 64)
	return first, size, err == nil && size == last+1
}

// downloadBody counts bytes, turns errors into failures, and returns an error if the next byte takes too long.
type downloadBody struct {
	io.ReadCloser
	exchange *exchange
	cancel   context.CancelFunc
	timer    *time.Timer // runs during a read
	left     int64       // -1: unknown
}

func (b *downloadBody) Read(into []byte) (int, error) {
	b.timer.Reset(b.exchange.client.timeout)
	count, err := b.ReadCloser.Read(into)
	b.timer.Stop() // the caller may take its time
	b.exchange.bytes += int64(count)
	if b.left >= 0 {
		b.left -= int64(count)
	}
	switch {
	case err == nil:
		return count, nil
	case errors.Is(err, io.EOF) && b.left > 0:
		return count, b.exchange.unreadable(io.ErrUnexpectedEOF)
	case errors.Is(err, io.EOF):
		return count, io.EOF
	}
	return count, b.exchange.unreadable(err)
}

func (b *downloadBody) Close() error {
	b.timer.Stop()
	b.exchange.report()
	b.cancel()
	return b.ReadCloser.Close()
}
