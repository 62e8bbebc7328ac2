package rs_test

import (
	"compress/gzip"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
)

func encoded(encoding, text string) http.HandlerFunc {
	return func(writer http.ResponseWriter, _ *http.Request) {
		writer.Header().Set("Content-Encoding", encoding)
		_, _ = writer.Write([]byte(text))
	}
}

func typed(contentType, text string) http.HandlerFunc {
	return func(writer http.ResponseWriter, _ *http.Request) {
		writer.Header().Set("Content-Type", contentType)
		_, _ = writer.Write([]byte(text))
	}
}

func cutOff(writer http.ResponseWriter, _ *http.Request) {
	writer.Header().Set("Content-Length", "1000")
	_, _ = writer.Write([]byte(`{"object":"list","data":[`))
}

func gzipBomb(writer http.ResponseWriter, _ *http.Request) {
	writer.Header().Set("Content-Encoding", "gzip")
	compressor := gzip.NewWriter(writer)
	_, _ = io.Copy(compressor, io.LimitReader(zeros{}, 64<<20))
	_ = compressor.Close()
}

type zeros struct{}

func (zeros) Read(buffer []byte) (int, error) {
	clear(buffer)
	return len(buffer), nil
}

func announcing(size int) http.HandlerFunc {
	return func(writer http.ResponseWriter, _ *http.Request) {
		writer.Header().Set("Content-Length", strconv.Itoa(size))
		_, _ = writer.Write([]byte(`{`))
	}
}

// hangUp closes the connection without an answer.
func hangUp(writer http.ResponseWriter, _ *http.Request) {
	connection, _, err := http.NewResponseController(writer).Hijack()
	if err == nil {
		_ = connection.Close()
	}
}

// notHTTP answers with bytes that package http quotes in its error.
func notHTTP(writer http.ResponseWriter, request *http.Request) {
	connection, _, err := http.NewResponseController(writer).Hijack()
	if err == nil {
		_, _ = io.WriteString(connection, request.Header.Get("Authorization")+"\r\n\r\n")
		_ = connection.Close()
	}
}

// R-ERR-4, R-ERR-6: every hostile answer is a typed failure without a bearer.
func TestUnusableAnswers(t *testing.T) {
	tests := []struct {
		name   string
		answer http.HandlerFunc
		reason rs.Reason
		says   string
	}{
		{"HTML", body(`<html>hello</html>`), rs.InvalidResponse, "is not JSON"},
		{"nothing", body(``), rs.InvalidResponse, "has no body"},
		{"white space", body(" \n"), rs.InvalidResponse, "has no body"},
		{"array", body(`[1]`), rs.InvalidResponse, "not an object"},
		{"scalar", body(`"text"`), rs.InvalidResponse, "not an object"},
		{"invalid UTF-8", body("{\"a\":\"\xff\"}"), rs.InvalidResponse, "not valid UTF-8"},
		{
			"UTF-16 by its header", typed("application/json; charset=utf-16", `{"a":1}`), rs.InvalidResponse,
			"a charset other than UTF-8",
		},
		{
			"unpaired surrogate in a name", body(`{"a":{"\ud83d":1}}`), rs.InvalidResponse,
			"a member name with an unpaired surrogate",
		},
		{"half an object", body(`{"a":`), rs.InvalidResponse, "is not JSON"},
		{"two objects", body(`{}{}`), rs.InvalidResponse, "is not JSON"},
		{"cut off", cutOff, rs.InvalidResponse, "cut off"},
		{"too large", body(`{"a":"` + strings.Repeat("x", 4000) + `"}`), rs.ResponseTooLarge, "2000 bytes"},
		{"announced too large", announcing(1 << 40), rs.ResponseTooLarge, "2000 bytes"},
		{"gzip bomb", gzipBomb, rs.ResponseTooLarge, "2000 bytes"},
		{"invalid gzip", encoded("gzip", `{"a":"not compressed"}`), rs.InvalidResponse, "cannot be decoded"},
		{"gzip cut off", encoded("gzip", "\x1f\x8b\x08\x00"), rs.InvalidResponse, "cut off"},
		{"other encoding", encoded("br", `{"a":1}`), rs.InvalidResponse, "cannot be decoded"},
		{"hang-up", hangUp, rs.Unreachable, "cannot be reached"},
		{"not HTTP", notHTTP, rs.Unreachable, "cannot be reached"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			client, _ := serve(t, test.answer, func(options *rs.Options) { options.MaxBody = 2000 })
			response, err := client.Get(t.Context(), rs.Request{Path: "/v1/schema"})
			failure := asFailure(t, response, err)
			if failure.Reason != test.reason || !strings.Contains(failure.Text(), test.says) {
				t.Errorf("got %s: %s; want %s: …%s…", failure.Reason, failure.Text(), test.reason, test.says)
			}
			if !strings.HasSuffix(failure.URL, "/v1/schema") {
				t.Errorf("URL = %q", failure.URL)
			}
			assertNoBearer(t, failure)
		})
	}
}

func asFailure(t *testing.T, response *rs.Response, err error) *rs.Failure {
	t.Helper()
	var failure *rs.Failure
	if response != nil || !errors.As(err, &failure) {
		t.Fatalf("got %v and %v, want an *rs.Failure", response, err)
	}
	return failure
}

func assertNoBearer(t *testing.T, err error) {
	t.Helper()
	for ; err != nil; err = errors.Unwrap(err) {
		if strings.Contains(err.Error(), bearer) {
			t.Errorf("the bearer is in %T: %v", err, err)
		}
	}
}

// R-ERR-4: a server that never answers, or never ends its body, causes one timeout.
func TestSlowServers(t *testing.T) {
	hang := func(_ http.ResponseWriter, request *http.Request) { <-request.Context().Done() }
	slowBody := func(writer http.ResponseWriter, request *http.Request) {
		_, _ = writer.Write([]byte(`{"data":[`))
		_ = http.NewResponseController(writer).Flush()
		<-request.Context().Done()
	}
	for name, answer := range map[string]http.HandlerFunc{"no answer": hang, "endless body": slowBody} {
		t.Run(name, func(t *testing.T) {
			client, _ := serve(t, answer, func(options *rs.Options) { options.Timeout = 50 * time.Millisecond })
			response, err := client.Get(t.Context(), rs.Request{Path: "/v1/schema"})
			failure := asFailure(t, response, err)
			if failure.Reason != rs.Timeout || !strings.Contains(failure.Text(), "within 50ms") {
				t.Errorf("got %v", failure)
			}
			if !errors.Is(failure, context.DeadlineExceeded) {
				t.Errorf("the cause is %v", failure.Cause)
			}
		})
		t.Run(name+", caller gives up", func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			client, _ := serve(t, func(writer http.ResponseWriter, request *http.Request) {
				cancel()
				answer(writer, request)
			})
			response, err := client.Get(ctx, rs.Request{Path: "/v1/schema"})
			failure := asFailure(t, response, err)
			if failure.Reason != rs.Timeout || !errors.Is(failure, context.Canceled) {
				t.Errorf("got %v with cause %v", failure, failure.Cause)
			}
		})
		t.Run(name+", caller's deadline", func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
			defer cancel()
			client, _ := serve(t, answer)
			response, err := client.Get(ctx, rs.Request{Path: "/v1/schema"})
			if failure := asFailure(t, response, err); failure.Reason != rs.Timeout ||
				!strings.Contains(failure.Text(), "time for this call") {
				t.Errorf("got %v", failure)
			}
		})
	}
}

// R-ERR-4, R-ERR-6: no redirect is followed, so no other server sees the request or the bearer.
func TestRedirectsAreNotFollowed(t *testing.T) {
	elsewhere := &seen{}
	other := httptest.NewServer(
		http.HandlerFunc(func(_ http.ResponseWriter, request *http.Request) { elsewhere.add(request) }))
	defer other.Close()
	for _, location := range []string{other.URL + "/v1/schema", "/v1/elsewhere", "http://%zz", ""} {
		for _, status := range []int{301, 302, 303, 307, 308} {
			client, requests := serve(t, func(writer http.ResponseWriter, _ *http.Request) {
				if location != "" {
					writer.Header().Set("Location", location)
				}
				writer.Header().Set("Request-Id", "req_moved")
				writer.WriteHeader(status)
			})
			response, err := client.Get(t.Context(), rs.Request{Path: "/v1/schema"})
			failure := asFailure(t, response, err)
			if failure.Reason != rs.Redirected || failure.Status != status || failure.RequestID != "req_moved" {
				t.Errorf("%d to %q: got %+v", status, location, failure)
			}
			if got := len(requests.all()); got != 1 {
				t.Errorf("%d to %q: the RS saw %d requests", status, location, got)
			}
		}
	}
	if got := elsewhere.all(); len(got) != 0 {
		t.Errorf("the other server saw %d requests, the first with %q", len(got), got[0].Header.Get("Authorization"))
	}
}

func TestUnreachableServer(t *testing.T) {
	client, err := rs.NewClient(rs.Options{BaseURL: "http://127.0.0.1:1", Bearer: rs.NewSecret(bearer)})
	if err != nil {
		t.Fatal(err)
	}
	response, err := client.Get(t.Context(), rs.Request{Path: "/v1/schema"})
	if failure := asFailure(t, response, err); failure.Reason != rs.Unreachable || failure.Status != 0 ||
		failure.Cause == nil {
		t.Errorf("got %+v", failure)
	}
}
