package rs_test

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
)

const blob = "0123456789"

func openAll(t *testing.T, client *rs.Client, from rs.Resume) (*rs.Download, string, error) {
	t.Helper()
	download, err := client.Open(t.Context(), rs.Request{Path: "/v1/blobs/b"}, from)
	if err != nil {
		return nil, "", err
	}
	defer download.Body.Close()
	text, err := io.ReadAll(download.Body)
	return download, string(text), err
}

// ranged serves the blob as net/http does, ranges and If-Range included.
func ranged(writer http.ResponseWriter, request *http.Request) {
	writer.Header().Set("ETag", `"v1"`)
	http.ServeContent(writer, request, "", time.Time{}, strings.NewReader(blob))
}

// whole ignores ranges, like captures 162 and 168.
func whole(writer http.ResponseWriter, _ *http.Request) {
	writer.Header().Set("Content-Length", "10")
	_, _ = io.WriteString(writer, blob)
}

func TestOpenStartsAndResumes(t *testing.T) {
	for name, test := range map[string]struct {
		handler http.HandlerFunc
		from    rs.Resume
		offset  int64
	}{
		"begin":                          {ranged, rs.Resume{}, 0},
		"go on":                          {ranged, rs.Resume{Offset: 4}, 4},
		"resume a partial download":      {ranged, rs.Resume{Offset: 4, ETag: `"v1"`}, 4},
		"begin anew when it has changed": {ranged, rs.Resume{Offset: 4, ETag: `"v0"`}, 0},
		"start again without ranges":     {whole, rs.Resume{Offset: 4}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			client, requests := serve(t, test.handler)
			download, text, err := openAll(t, client, test.from)
			if err != nil || text != blob[test.offset:] || download.Offset != test.offset || download.Size != 10 {
				t.Errorf("got %q of %+v, %v; want the bytes from %d on", text, download, err, test.offset)
			}
			sent := requests.all()[0]
			if sent.Header.Get("Accept-Encoding") != "identity" || sent.Header.Get("If-Range") != test.from.ETag ||
				(sent.Header.Get("Range") == "") != (test.from.Offset == 0) {
				t.Errorf("the RS saw %v", sent.Header)
			}
		})
	}
}

// R-ERR-1, R-ERR-4: a failed download has a reason and a next step.
func TestOpenFails(t *testing.T) {
	partial := func(contentRange string) http.HandlerFunc {
		return func(writer http.ResponseWriter, _ *http.Request) {
			writer.Header().Set("Content-Range", contentRange)
			writer.WriteHeader(http.StatusPartialContent)
			_, _ = io.WriteString(writer, "456789")
		}
	}
	for name, test := range map[string]struct {
		handler http.HandlerFunc
		reason  rs.Reason
	}{
		"another part":          {partial("bytes 5-9/10"), rs.InvalidResponse},
		"a part without a span": {partial(""), rs.InvalidResponse},
		"not up to the end":     {partial("bytes 4-8/10"), rs.InvalidResponse},
		"no bytes": {
			func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) },
			rs.InvalidResponse,
		},
		"encoded": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "br")
			_, _ = io.WriteString(w, "x")
		}, rs.InvalidResponse},
		"a redirect": {
			func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/elsewhere", http.StatusFound) },
			rs.Redirected,
		},
		"cut off": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "10")
			_, _ = io.WriteString(w, "0123")
			_ = http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		}, rs.InvalidResponse},
		"stalled": {func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Length", "10")
			_, _ = io.WriteString(w, "0123")
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
		}, rs.Timeout},
		"a stalled refusal": {func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(http.StatusBadGateway)
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
		}, rs.Timeout},
		"no answer": {func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, rs.Timeout},
	} {
		t.Run(name, func(t *testing.T) {
			client, _ := serve(t, test.handler, timeoutFor(test.reason))
			_, _, err := openAll(t, client, rs.Resume{Offset: 4})
			var failure *rs.Failure
			if !errors.As(err, &failure) || failure.Reason != test.reason || strings.Contains(failure.Message, "cancelled") {
				t.Errorf("got %v, want %s", err, test.reason)
			}
		})
	}
	client, _ := serve(t, ranged)
	var refused *rs.Error
	if _, _, err := openAll(t, client, rs.Resume{Offset: 10}); !errors.As(err, &refused) ||
		refused.Status != http.StatusRequestedRangeNotSatisfiable {
		t.Errorf("got %v, want 416", err)
	}
}

// slowly is a body that sends each byte after a pause.
type slowly struct {
	io.Reader
	each time.Duration
}

func (s slowly) Read(into []byte) (int, error) {
	time.Sleep(s.each) // on the bubble's clock
	return s.Reader.Read(into[:min(1, len(into))])
}

func (slowly) Close() error { return nil }

// The timeout applies to each read, so that a large blob may take longer.
func TestOpenTakesItsTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const limit = time.Second
		client, err := rs.NewClient(rs.Options{
			BaseURL: "http://rs.test", Bearer: rs.NewSecret(bearer), Timeout: limit,
			Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
				return &http.Response{
					StatusCode: http.StatusOK, Header: http.Header{}, Request: r, ContentLength: int64(len(blob)),
					Body: slowly{strings.NewReader(blob), limit * 9 / 10},
				}, nil
			}),
		})
		if err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		if _, text, err := openAll(t, client, rs.Resume{}); err != nil || text != blob || time.Since(began) < 9*limit {
			t.Errorf("got %q, %v after %s", text, err, time.Since(began))
		}
	})
}

// R-BLOB-2, R-ERR-6: ReadAll respects the limit, and Redact removes the bearer.
func TestReadAll(t *testing.T) {
	client, _ := serve(t,
		func(writer http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(writer, "token "+bearer) })
	open := func(limit int64) (*rs.Download, []byte, error) {
		download, err := client.Open(t.Context(), rs.Request{Path: "/v1/blobs/b"}, rs.Resume{})
		if err != nil {
			t.Fatal(err)
		}
		defer download.Body.Close()
		data, err := download.ReadAll(limit)
		return download, data, err
	}
	whole := int64(len("token " + bearer))
	download, data, err := open(whole)
	if err != nil || string(data) != "token "+bearer || string(download.Redact(data)) != "token [redacted]" {
		t.Errorf("got %q, shown as %q, %v", data, download.Redact(data), err)
	}
	var failure *rs.Failure
	if _, _, err := open(whole - 1); !errors.As(err, &failure) || failure.Reason != rs.ResponseTooLarge {
		t.Errorf("a body over the limit returns %v", err)
	}
}
