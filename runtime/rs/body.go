package rs

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"slices"
	"strings"
)

// bodyTooLargeError is a body that passes the bound after decompression.
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
		return readAll(decompressor, 4*response.ContentLength, limit)
	default:
		return nil, fmt.Errorf("content encoding %q", encoding)
	}
}

// maxReserved bounds the memory, in bytes, that an answer gets because its header announces it.
const maxReserved = 1 << 20

// readAll reads to the end. The expected size, negative when unknown, only avoids growing. A large one
// counts once that much has come: growing by doubling would hold a document of 8 MB two or three times.
func readAll(source io.Reader, expected, limit int64) ([]byte, error) {
	var body bytes.Buffer
	body.Grow(int(min(max(expected, 0), limit, maxReserved)) + bytes.MinRead)
	source = io.LimitReader(source, limit+1)
	if expected > maxReserved {
		switch _, err := io.CopyN(&body, source, maxReserved); {
		case err == nil:
			body.Grow(int(min(expected, limit)) - body.Len() + bytes.MinRead)
		case !errors.Is(err, io.EOF):
			return nil, err
		}
	}
	if _, err := body.ReadFrom(source); err != nil {
		return nil, err
	}
	if int64(body.Len()) > limit {
		return nil, &bodyTooLargeError{limit}
	}
	return body.Bytes(), nil
}
