package rs

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"mime"
	"net/http"
	"slices"
	"strings"
)

// bodyTooLargeError is a body that exceeds the limit after decompression.
type bodyTooLargeError struct{ limit int64 }

func (e *bodyTooLargeError) Error() string { return fmt.Sprintf("body larger than %d bytes", e.limit) }

// isUTF8 reports whether a Content-Type names no charset, or UTF-8 or its subset ASCII. JSON has no other (RFC 8259, section 8.1).
func isUTF8(contentType string) bool {
	_, parameters, err := mime.ParseMediaType(contentType)
	return err != nil || slices.Contains([]string{"", "utf-8", "utf8", "us-ascii"}, strings.ToLower(parameters["charset"]))
}

// readBody reads and decompresses a body of up to limit bytes.
func readBody(response *http.Response, limit int64) ([]byte, error) {
	switch encoding := strings.ToLower(response.Header.Get("Content-Encoding")); encoding {
	case "", "identity":
		if response.ContentLength > limit {
			return nil, &bodyTooLargeError{limit}
		}
		return readAll(response.Body, response.ContentLength, limit)
	case "gzip", "x-gzip":
		decompressor, err := gzip.NewReader(response.Body)
		if err != nil {
			return nil, err
		}
		const usualRatio = 4
		return readAll(decompressor, usualRatio*response.ContentLength, limit)
	default:
		return nil, fmt.Errorf("content encoding %q", encoding)
	}
}

// maxReserved limits the bytes that are reserved because a header announces them.
const maxReserved = 1 << 20

// readAll reads to the end. The expected size, which may be negative, saves growing the buffer.
func readAll(source io.Reader, expected, limit int64) ([]byte, error) {
	var body bytes.Buffer
	body.Grow(int(min(max(expected, 0), limit, maxReserved)) + bytes.MinRead)
	if _, err := body.ReadFrom(io.LimitReader(source, limit+1)); err != nil {
		return nil, err
	}
	if int64(body.Len()) > limit {
		return nil, &bodyTooLargeError{limit}
	}
	return body.Bytes(), nil
}
