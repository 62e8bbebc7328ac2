package rs_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
)

// padded serves a JSON object of as many bytes as the path says. A path that ends in /chunked announces no length.
func padded(t *testing.T, requests *atomic.Int64) *rs.Client {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
		size, _ := strconv.Atoi(parts[0])
		if len(parts) == 1 {
			w.Header().Set("Content-Length", parts[0])
		}
		fmt.Fprintf(w, `{"a":"%s"}`, strings.Repeat("x", size-len(`{"a":""}`)))
	}))
	t.Cleanup(server.Close)
	bearer, err := rs.NewBearer("a-token-for-this-test")
	if err != nil {
		t.Fatal(err)
	}
	client, err := rs.NewClient(rs.Options{BaseURL: server.URL, Bearer: bearer})
	if err != nil {
		t.Fatal(err)
	}
	return client
}

func sized(bytes int, more ...string) rs.Request {
	return rs.Request{Path: rs.JoinPath(append([]string{strconv.Itoa(bytes)}, more...)...)}
}

// R-SCAN-8: a call sends 400 requests at most. Another call is not affected.
func TestACallSendsFourHundredRequests(t *testing.T) {
	var requests atomic.Int64
	client := padded(t, &requests)
	ctx, end := rs.Bounded(t.Context())
	defer end()
	for range rs.MaxRequests {
		if _, err := client.Get(ctx, sized(20)); err != nil {
			t.Fatal(err)
		}
	}
	_, err := client.Get(ctx, sized(20))
	var failure *rs.Failure
	if !errors.As(err, &failure) || failure.Reason != rs.TooManyRequests || requests.Load() != rs.MaxRequests {
		t.Fatalf("after %d requests: %v", requests.Load(), err)
	}
	other, endOther := rs.Bounded(t.Context())
	defer endOther()
	if _, err := client.Get(other, sized(20)); err != nil {
		t.Error(err)
	}
}

// R-SCAN-8: the bodies that a call holds have up to 24 MiB together. A body that is released makes room for another
// one.
func TestBodiesOfACallShareMemory(t *testing.T) {
	var requests atomic.Int64
	client := padded(t, &requests)
	ctx, end := rs.Bounded(t.Context())
	defer end()
	const large = 10 << 20
	var held []*rs.Response
	for range 2 {
		response, err := client.Get(ctx, sized(large))
		if err != nil {
			t.Fatal(err)
		}
		held = append(held, response)
	}
	_, err := client.Get(ctx, sized(large))
	var failure *rs.Failure
	if !errors.As(err, &failure) || failure.Reason != rs.ResponseTooLarge {
		t.Fatalf("the third body gives %v", err)
	}
	if _, err := client.Get(ctx, sized(1000)); err != nil {
		t.Errorf("a small body gives %v", err)
	}
	held[0].Release()
	held[0].Release() // only the first one counts
	if _, err := client.Get(ctx, sized(large)); err != nil {
		t.Errorf("after a release: %v", err)
	}
	if _, err := client.Get(ctx, sized(large)); !errors.As(err, &failure) {
		t.Errorf("two bodies took the room of one: %v", err)
	}
}

// Bodies without an announced length that are read side by side do not exclude each other.
func TestBodiesOfUnknownLengthWaitForEachOther(t *testing.T) {
	var requests atomic.Int64
	client := padded(t, &requests)
	ctx, end := rs.Bounded(t.Context())
	defer end()
	var group sync.WaitGroup
	for range 12 {
		group.Go(func() {
			if _, err := client.Get(ctx, sized(400<<10, "chunked")); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
}

// A call waits until another one no longer holds large bodies, and its failure says so.
func TestCallsWithLargeBodiesTakeTurns(t *testing.T) {
	var requests atomic.Int64
	client := padded(t, &requests)
	var ends []func()
	for {
		ctx, end := rs.Bounded(t.Context())
		limited, cancel := context.WithTimeout(ctx, 3*time.Second) // enough for one body on a busy machine
		_, err := client.Get(limited, sized(1<<20))
		cancel()
		if err != nil {
			var failure *rs.Failure
			if !errors.As(err, &failure) || failure.Reason != rs.Timeout ||
				!strings.Contains(failure.Message, "other calls") || len(ends) == 0 {
				t.Fatalf("call %d: %v", len(ends)+1, err)
			}
			end()
			break
		}
		ends = append(ends, end)
	}
	ends[0]()
	ctx, end := rs.Bounded(t.Context())
	defer end()
	if _, err := client.Get(ctx, sized(1<<20)); err != nil {
		t.Error(err)
	}
	for _, end := range ends {
		end()
	}
}
