package resource_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

// posted is an event as a receiver got it.
type posted struct {
	header http.Header
	body   string
	Type   string
	ID     string
	Data   struct {
		SubscriptionID string `json:"subscription_id"`
		Challenge      string
		Stream         string
		ConnectionID   string `json:"connection_id"`
		ChangesSince   string `json:"changes_since"`
	}
}

// signedWith checks the signature of Standard Webhooks.
func (p posted) signedWith(t *testing.T, secret string) bool {
	t.Helper()
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil || !strings.HasPrefix(secret, "whsec_") {
		t.Fatalf("%q is no secret: %v", secret, err)
	}
	mac := hmac.New(sha256.New, key)
	_, _ = io.WriteString(mac, p.header.Get("webhook-id")+"."+p.header.Get("webhook-timestamp")+"."+p.body)
	return p.header.Get("webhook-signature") == "v1,"+base64.StdEncoding.EncodeToString(mac.Sum(nil))
}

// receiver is a program of a client that takes events.
type receiver struct {
	t      *testing.T
	url    string
	events chan posted // all but verification

	mu        sync.Mutex
	statuses  []int    // answers to come; then 200
	elsewhere string   // where it redirects to
	asked     []posted // verifications
}

func newReceiver(t *testing.T) *receiver {
	t.Helper()
	r := &receiver{t: t, events: make(chan posted, 100)}
	server := httptest.NewServer(http.HandlerFunc(r.take))
	t.Cleanup(server.Close)
	r.url = server.URL + "/events"
	return r
}

func (r *receiver) take(w http.ResponseWriter, request *http.Request) {
	body, err := io.ReadAll(request.Body)
	got := posted{header: request.Header, body: string(body)}
	if err != nil || json.Unmarshal(body, &got) != nil || request.Method != http.MethodPost {
		r.t.Errorf("the receiver got %s %s", request.Method, body)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.elsewhere != "" {
		http.Redirect(w, request, r.elsewhere, http.StatusTemporaryRedirect)
		return
	}
	if got.Type == "pdpp.subscription.verify" {
		r.asked = append(r.asked, got)
		_, _ = io.WriteString(w, `{"challenge":"`+got.Data.Challenge+`"}`)
		return
	}
	status := http.StatusOK
	if len(r.statuses) > 0 {
		status, r.statuses = r.statuses[0], r.statuses[1:]
	}
	w.WriteHeader(status)
	r.events <- got
}

func (r *receiver) answers(given ...int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.statuses = given
}

func (r *receiver) redirects(elsewhere string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.elsewhere = elsewhere
}

// verifications returns the number of challenges that were received.
func (r *receiver) verifications() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.asked)
}

func (r *receiver) next() posted {
	r.t.Helper()
	select {
	case got := <-r.events:
		return got
	case <-time.After(time.Minute):
		r.t.Fatal("no event came")
		return posted{}
	}
}
