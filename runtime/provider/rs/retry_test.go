package rs_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pdppmcp/pdpp-mcp/e2e/faulttest"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
)

// inTurn answers requests with the answers in turn, and repeats the last one.
func inTurn(answers ...http.HandlerFunc) http.HandlerFunc {
	var count atomic.Int64
	return func(w http.ResponseWriter, r *http.Request) {
		turn := min(int(count.Add(1)), len(answers))
		answers[turn-1](w, r)
	}
}

func refusing(status int, retryAfter ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for _, value := range retryAfter {
			w.Header().Set("Retry-After", value)
		}
		w.WriteHeader(status)
	}
}

// reset resets the connection, like a process that is killed.
func reset(w http.ResponseWriter, _ *http.Request) {
	connection, _, err := http.NewResponseController(w).Hijack()
	if err == nil {
		_ = connection.(*net.TCPConn).SetLinger(0)
		_ = connection.Close()
	}
}

// R-ERR-3, R-ERR-4: which reads are repeated, how often, and with the caller's bearer.
func TestReadsAreSentAgain(t *testing.T) {
	good := body(`{}`)
	date := func(in time.Duration) string { return time.Now().Add(in).UTC().Format(http.TimeFormat) }
	tests := []struct {
		name   string
		answer http.HandlerFunc
		tries  int
		status int       // of the *rs.Error, 0 for none
		reason rs.Reason // of the *rs.Failure, empty for none
	}{
		{"answered", good, 1, 0, ""},
		{"502 once", inTurn(refusing(502), good), 2, 0, ""},
		{"503 twice", inTurn(refusing(503), refusing(503), good), 3, 0, ""},
		{"504 once", inTurn(refusing(504), good), 2, 0, ""},
		{"503 for good", refusing(503), 3, 503, ""},
		{"503 that asks for no time", inTurn(refusing(503, "0"), good), 2, 0, ""},
		{"503 that asks for too much", refusing(503, "3600"), 1, 503, ""},
		{"reset once", inTurn(reset, good), 2, 0, ""},
		{"hang-up for good", hangUp, 3, 0, rs.Unreachable},
		{"reset, reset, then 502", inTurn(reset, reset, refusing(502)), 3, 502, ""},
		{"429 with a time that fits", inTurn(refusing(429, "0"), good), 2, 0, ""},
		{"429 with a date that is over", inTurn(refusing(429, date(-time.Hour)), good), 2, 0, ""},
		{"429 for good", refusing(429, "0"), 3, 429, ""},
		{"429 with a time that is too long", refusing(429, "31"), 1, 429, ""},
		{"429 with a date that is too late", refusing(429, date(time.Hour)), 1, 429, ""},
		{"503 with the last date that there is", refusing(503, "Fri, 31 Dec 9999 23:59:59 GMT"), 1, 503, ""},
		{"429 without a time", refusing(429), 1, 429, ""},
		{"429 with an invalid time", refusing(429, "soon"), 1, 429, ""},
		{"500", refusing(500), 1, 500, ""},
		{"501", refusing(501), 1, 501, ""},
		{"400", refusing(400, "0"), 1, 400, ""},
		{"401", refusing(401, "0"), 1, 401, ""},
		{"403", refusing(403), 1, 403, ""},
		{"408", refusing(408, "0"), 1, 408, ""},
		{"an answer that is cut off", cutOff, 1, 0, rs.InvalidResponse},
		{"an answer that is no JSON", body(`<html>`), 1, 0, rs.InvalidResponse},
		{"a redirect", refusing(307), 1, 0, rs.Redirected},
		{"not HTTP", notHTTP, 1, 0, rs.Unreachable},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel() // most of it is waiting
			client, requests := serve(t, test.answer)
			_, err := client.Get(t.Context(), rs.Request{Path: "/v1/schema"})
			var refused *rs.Error
			var failure *rs.Failure
			status, reason := 0, rs.Reason("")
			if errors.As(err, &refused) {
				status = refused.Status
			}
			if errors.As(err, &failure) {
				reason = failure.Reason
			}
			if status != test.status || reason != test.reason {
				t.Errorf("got %v, want status %d, reason %q", err, test.status, test.reason)
			}
			seen := requests.all()
			if len(seen) != test.tries {
				t.Errorf("the RS saw %d tries, want %d", len(seen), test.tries)
			}
			for _, request := range seen {
				if request.Method != http.MethodGet || request.Header.Get("Authorization") != "Bearer "+bearer ||
					request.URL.Path != "/v1/schema" {
					t.Errorf("a try was %s %s with other headers", request.Method, request.URL)
				}
			}
		})
	}
}

// A later try reaches a server that has just started.
func TestRefusedConnectionsAreTriedAgain(t *testing.T) {
	server := faulttest.New(t)
	transport := rs.NewTransport()
	t.Cleanup(transport.CloseIdleConnections)
	var tries atomic.Int64
	begun := roundTrip(func(request *http.Request) (*http.Response, error) {
		if tries.Add(1) == 2 {
			server.Serve(body(`{}`))
		}
		return transport.RoundTrip(request)
	})
	client, err := rs.NewClient(rs.Options{
		BaseURL: server.URL, Bearer: rs.NewSecret(bearer), Transport: begun,
		Timeout: time.Minute,
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := client.Get(t.Context(), rs.Request{Path: "/v1/schema"}); err != nil || tries.Load() != 2 {
		t.Errorf("got %v after %d tries, want an answer to the second", err, tries.Load())
	}
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(request *http.Request) (*http.Response, error) { return f(request) }

// offline returns a client without a network, as package synctest requires.
func offline(t *testing.T, answer http.HandlerFunc, change ...func(*rs.Options)) *rs.Client {
	t.Helper()
	options := rs.Options{
		BaseURL: "http://rs.test", Bearer: rs.NewSecret(bearer),
		Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
			recorder := httptest.NewRecorder()
			answer(recorder, r)
			if err := r.Context().Err(); err != nil {
				return nil, err
			}
			response := recorder.Result()
			response.Request = r
			return response, nil
		}),
	}
	for _, apply := range change {
		apply(&options)
	}
	client, err := rs.NewClient(options)
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// R-ERR-4: all tries share one timeout, whether the client or the caller set it.
func TestTriesHaveOneDeadline(t *testing.T) {
	const limit = time.Second
	for _, whose := range []string{"client", "caller"} {
		t.Run(whose, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := t.Context(), func() {}
				tries := 0
				client := offline(t, func(w http.ResponseWriter, r *http.Request) {
					if tries++; tries > 1 {
						<-r.Context().Done()
						return
					}
					time.Sleep(limit / 2) // of the bubble's clock
					w.WriteHeader(http.StatusServiceUnavailable)
				}, func(options *rs.Options) {
					if whose == "client" {
						options.Timeout = limit
					}
				})
				if whose == "caller" {
					ctx, cancel = context.WithTimeout(ctx, limit)
				}
				defer cancel()
				started := time.Now()
				response, err := client.Get(ctx, rs.Request{Path: "/v1/schema"})
				took := time.Since(started)
				if failure := asFailure(t, response, err); failure.Reason != rs.Timeout || took != limit {
					t.Errorf("got %v after %s; the limit is %s", err, took, limit)
				}
				if tries != 2 {
					t.Errorf("the RS saw %d tries, want the refused one and the hanging one", tries)
				}
			})
		})
	}
}

// A cancelled read stops waiting and sends nothing more.
func TestNoRetryForACallerWhoLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const stays = 50 * time.Millisecond
		ctx, cancel := context.WithCancel(t.Context())
		tries := 0
		client := offline(t, func(w http.ResponseWriter, r *http.Request) {
			tries++
			refusing(http.StatusTooManyRequests, "2")(w, r)
			time.AfterFunc(stays, cancel)
		})
		started := time.Now()
		_, err := client.Get(ctx, rs.Request{Path: "/v1/schema"})
		if took := time.Since(started); err == nil || took != stays {
			t.Errorf("got %v after %s", err, took)
		}
		if tries != 1 {
			t.Errorf("the RS saw %d tries, want one", tries)
		}
	})
}

// Callers that failed together do not retry together.
func TestWaitsDiffer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		waits := map[time.Duration]bool{}
		for range 8 {
			var times []time.Time
			client := offline(t, func(w http.ResponseWriter, _ *http.Request) {
				times = append(times, time.Now())
				w.WriteHeader(http.StatusServiceUnavailable)
			})
			_, _ = client.Get(t.Context(), rs.Request{Path: "/v1/schema"})
			if len(times) != rs.MaxTries {
				t.Fatalf("%d tries", len(times))
			}
			wait := times[1].Sub(times[0])
			if wait < 50*time.Millisecond || wait > 150*time.Millisecond {
				t.Errorf("the second try was sent after %s", wait)
			}
			waits[wait/(5*time.Millisecond)] = true
		}
		if len(waits) < 3 {
			t.Errorf("eight callers waited in only %d ways", len(waits))
		}
	})
}

// With a Retry-After of 0, the jitter does not exceed the remaining time.
func TestNoTimeForAWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := offline(t, refusing(http.StatusTooManyRequests, "0"),
			func(options *rs.Options) { options.Timeout = time.Microsecond })
		started := time.Now()
		if _, err := client.Get(t.Context(), rs.Request{Path: "/v1/schema"}); err == nil || time.Since(started) > 0 {
			t.Errorf("got %v after %s", err, time.Since(started))
		}
	})
}
