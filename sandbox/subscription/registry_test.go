package subscription_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"testing"
	"time"

	"github.com/pdppmcp/pdpp-mcp/sandbox/subscription"
)

// Close ends deliveries that a receiver holds up and those that wait for their next attempt.
func TestCloseEndsDeliveries(t *testing.T) {
	for name, hold := range map[string]bool{
		"a receiver that never answers":   true,
		"a pause before the next attempt": false,
	} {
		t.Run(name, func(t *testing.T) {
			arrived := make(chan struct{}, 10)
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
				var event struct {
					Type string
					Data struct{ Challenge string }
				}
				if err := json.NewDecoder(request.Body).Decode(&event); err != nil {
					t.Error(err)
				}
				if event.Type == subscription.VerifyEvent {
					_, _ = io.WriteString(w, `{"challenge":"`+event.Data.Challenge+`"}`)
					return
				}
				arrived <- struct{}{}
				if hold {
					<-request.Context().Done()
					return
				}
				w.WriteHeader(http.StatusInternalServerError)
			}))
			t.Cleanup(server.Close)
			registry := subscription.NewRegistry(subscription.Options{Retries: []time.Duration{time.Hour}})
			made, _, err := registry.Create(subscription.Owner{ClientID: "c"}, subscription.Draft{CallbackURL: server.URL})
			if err != nil {
				t.Fatal(err)
			}
			awaitActive(registry)
			if err := registry.Publish(made.ID, time.Now(), subscription.EventData{Stream: "s"}); err != nil {
				t.Fatal(err)
			}
			<-arrived
			closed := make(chan struct{})
			go func() { registry.Close(); close(closed) }()
			select {
			case <-closed:
			case <-time.After(time.Minute):
				t.Fatal("Close waits for the receiver")
			}
			if _, _, err := registry.Create(subscription.Owner{}, subscription.Draft{CallbackURL: server.URL}); err == nil {
				t.Error("a closed registry takes a subscription")
			}
		})
	}
}

// awaitActive waits for the only subscription's receiver to echo the challenge.
func awaitActive(registry *subscription.Registry) {
	for len(registry.Active()) == 0 {
		runtime.Gosched()
	}
}

// A receiver that lets its queue fill up is left, and publishing never waits for it.
func TestAFullQueueEndsDelivery(t *testing.T) {
	block := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		var event struct{ Data struct{ Challenge string } }
		_ = json.NewDecoder(request.Body).Decode(&event)
		if event.Data.Challenge == "" {
			<-block
		}
		_, _ = io.WriteString(w, `{"challenge":"`+event.Data.Challenge+`"}`)
	}))
	t.Cleanup(server.Close)
	t.Cleanup(func() { close(block) })
	registry := subscription.NewRegistry(subscription.Options{})
	t.Cleanup(registry.Close)
	made, _, err := registry.Create(subscription.Owner{}, subscription.Draft{CallbackURL: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	awaitActive(registry)
	for range 300 {
		if err := registry.Publish(made.ID, time.Now(), subscription.EventData{}); err != nil {
			t.Fatal(err)
		}
	}
	if got := registry.List(subscription.Owner{})[0].Status; got != subscription.DisabledFailure {
		t.Errorf("the subscription is %s, want %s", got, subscription.DisabledFailure)
	}
}
