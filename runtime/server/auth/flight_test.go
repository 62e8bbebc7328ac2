package auth_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/server/auth"
)

// R-HOST-4: 50 concurrent requests with one token cause one introspection.
func TestOneIntrospectionForManyRequests(t *testing.T) {
	as := newAuthority(t, answer(clientAnswer))
	v, _ := verifier(t, as)
	callers := make([]*auth.Caller, 50)
	var waiting sync.WaitGroup
	for i := range callers {
		waiting.Go(func() {
			caller, err := v.Verify(t.Context(), bearer)
			if err != nil {
				t.Error(err)
			}
			callers[i] = caller
		})
	}
	waiting.Wait()
	if asked := len(as.Introspected()); asked != 1 {
		t.Errorf("%d introspections, want 1", asked)
	}
	for _, caller := range callers {
		if caller == nil || caller.GrantID != "grt_1" {
			t.Fatalf("got %+v", caller)
		}
	}
}

// transport answers without a network, as package synctest requires.
type transport func(*http.Request) (*http.Response, error)

func (t transport) RoundTrip(request *http.Request) (*http.Response, error) { return t(request) }

func response(text string) *http.Response {
	return &http.Response{
		StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}},
		Body: io.NopCloser(strings.NewReader(text)),
	}
}

func overTransport(t *testing.T, answer transport) *auth.Verifier {
	t.Helper()
	v, err := auth.NewVerifier(auth.Options{
		AuthorizationServer: "https://as.example.com", IntrospectionURL: "https://as.example.com/introspect",
		ClientID: "adapter", ClientSecret: rs.NewSecret("s"), Audiences: []string{resource}, Transport: answer,
	})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// A request that is cancelled during a shared introspection is refused at once. The others get the answer, even if the
// first one was cancelled.
func TestCancelledRequestFailsNoOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var asked atomic.Int32
		v := overTransport(t, func(request *http.Request) (*http.Response, error) {
			asked.Add(1)
			select {
			case <-time.After(3 * time.Second):
				return response(clientAnswer), nil
			case <-request.Context().Done():
				return nil, request.Context().Err()
			}
		})
		first, cancel := context.WithCancel(t.Context())
		results := make([]error, 50)
		var waiting sync.WaitGroup
		begun := time.Now()
		ask := func(ctx context.Context, i int) {
			_, results[i] = v.Verify(ctx, bearer)
			if i == 0 && time.Since(begun) != time.Second {
				t.Errorf("the cancelled request waited %s", time.Since(begun))
			}
			waiting.Done()
		}
		waiting.Add(len(results))
		go ask(first, 0)
		synctest.Wait() // the first has asked
		for i := 1; i < len(results); i++ {
			go ask(t.Context(), i)
		}
		time.Sleep(time.Second) // of the bubble's clock
		cancel()
		waiting.Wait()
		if !errors.Is(results[0], context.Canceled) {
			t.Errorf("the cancelled request: %v", results[0])
		}
		for i, err := range results[1:] {
			if err != nil {
				t.Errorf("request %d: %v", i+1, err)
			}
		}
		if got := asked.Load(); got != 1 {
			t.Errorf("%d introspections, want 1", got)
		}
	})
}

// docs/interfaces.md, Limits: a request to the authorization server ends after 5 s, with its body.
func TestSlowAuthorizationServer(t *testing.T) {
	silent := func(request *http.Request) (*http.Response, error) {
		<-request.Context().Done()
		return nil, request.Context().Err()
	}
	endless := func(request *http.Request) (*http.Response, error) {
		started := response("")
		started.Body = io.NopCloser(stalled{request.Context()})
		return started, nil
	}
	for name, answer := range map[string]transport{"silent": silent, "endless body": endless} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				v := overTransport(t, answer)
				begun := time.Now()
				refusal := refused(t, v, bearer)
				expect(t, refusal, 503, "authorization_unavailable", "")
				if waited := time.Since(begun); waited != 5*time.Second {
					t.Errorf("waited %s", waited)
				}
				if !errors.Is(refusal, context.DeadlineExceeded) {
					t.Errorf("the cause is lost: %v", refusal)
				}
			})
		})
	}
}

// stalled is a body that sends nothing.
type stalled struct{ until context.Context }

func (s stalled) Read([]byte) (int, error) {
	<-s.until.Done()
	return 0, s.until.Err()
}
