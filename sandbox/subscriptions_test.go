package sandbox_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pdppmcp/pdpp-mcp/e2e/sandboxtest"
	"github.com/pdppmcp/pdpp-mcp/sandbox"
	"github.com/pdppmcp/pdpp-mcp/sandbox/catalog"
	"github.com/pdppmcp/pdpp-mcp/sandbox/sample"
)

// subscriptionTokens maps the placeholders of the captures of event subscriptions to the sandbox's ready tokens.
var subscriptionTokens = map[string]string{
	"client_lab": "gmail_personal", "client_lab_both": "gmail_both", "client_revoked": "narrow", "owner": "owner",
	"mcp_package_all": "package",
}

// capturedReceiver replaces the receiver at 127.0.0.1:9998 in the captures.
type capturedReceiver struct {
	server  *httptest.Server
	arrived chan struct{} // something came

	mu       sync.Mutex
	got      []delivery
	asked    map[string]int // verifications, by path
	statusOf map[string]int // of requests that are not verifications, by path; 0: 200
}

// delivery is an event as it came.
type delivery struct {
	path   string
	header http.Header
	body   map[string]any
}

func newCapturedReceiver(t *testing.T) *capturedReceiver {
	t.Helper()
	r := &capturedReceiver{arrived: make(chan struct{}, 1000), asked: map[string]int{}, statusOf: map[string]int{}}
	r.server = httptest.NewServer(r)
	t.Cleanup(r.server.Close)
	return r
}

// ServeHTTP echoes the first challenge for a path, but not for /b; the second one it echoes as plain text (704, 704b,
// 705c).
func (r *capturedReceiver) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	got := delivery{path: request.URL.Path, header: request.Header}
	text, _ := io.ReadAll(request.Body)
	_ = json.Unmarshal(text, &got.body)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.got = append(r.got, got)
	r.arrived <- struct{}{}
	data, _ := got.body["data"].(map[string]any)
	challenge, _ := data["challenge"].(string)
	if challenge == "" {
		w.WriteHeader(max(http.StatusOK, r.statusOf[got.path]))
		return
	}
	r.asked[got.path]++
	switch {
	case got.path == "/a" && r.asked[got.path] == 1 || got.path == "/rev":
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"challenge": "`+challenge+`"}`)
	case got.path == "/a":
		_, _ = io.WriteString(w, challenge)
	default:
		w.WriteHeader(http.StatusNoContent)
	}
}

func (r *capturedReceiver) answer(path string, status int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.statusOf[path] = status
}

// await waits for an event of a type for a path.
func (r *capturedReceiver) await(t *testing.T, path, eventType string) delivery {
	t.Helper()
	end := time.After(time.Minute)
	for {
		r.mu.Lock()
		at := slices.IndexFunc(r.got, func(d delivery) bool { return d.path == path && d.body["type"] == eventType })
		if at >= 0 {
			defer r.mu.Unlock()
			return r.got[at]
		}
		r.mu.Unlock()
		select {
		case <-r.arrived:
		case <-end:
			t.Fatalf("no %s came for %s", eventType, path)
		}
	}
}

// readSubscriptionCaptures returns the captured requests in their order, and the deliveries.
func readSubscriptionCaptures(t *testing.T) (requests, deliveries []capture) {
	t.Helper()
	paths, err := filepath.Glob("testdata/subscriptions/*.txt")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no captures: %v", err)
	}
	slices.Sort(paths)
	times := map[string]string{}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		name := strings.TrimSuffix(filepath.Base(path), ".txt")
		if comment, rest, found := strings.Cut(string(text), "\n"); found && strings.HasPrefix(comment, "#") {
			deliveries = append(deliveries, parseCapture(t, name, []byte(rest)))
			continue
		}
		if at := regexp.MustCompile(`(?m)^Date: \w+, \d+ \w+ \d+ (.*)$`).FindStringSubmatch(string(text)); at != nil {
			times[name] = at[1]
		}
		requests = append(requests, parseCapture(t, name, text))
	}
	slices.SortStableFunc(requests, func(a, b capture) int { return strings.Compare(times[a.name], times[b.name]) })
	return requests, deliveries
}

// subscriptionReplay sends the captured requests to a sandbox, with the sandbox's names in place of the captured ones.
type subscriptionReplay struct {
	origin   string
	box      *sandbox.Sandbox
	receiver *capturedReceiver
	ids      map[string]string // captured subscription to the sandbox's
}

func (p *subscriptionReplay) send(t *testing.T, c capture) (int, []byte) {
	t.Helper()
	names := []string{"http://127.0.0.1:9998", p.receiver.server.URL, `"words"`, `"messages"`, `"notes"`, `"saved_tracks"`}
	for captured, id := range p.ids {
		names = append(names, captured, id)
	}
	replaced := strings.NewReplacer(names...)
	body := strings.ReplaceAll(replaced.Replace(c.body), "127.0.0.1%3A9998",
		strings.TrimPrefix(p.receiver.server.URL, "http://"))
	request, err := http.NewRequestWithContext(t.Context(), c.method, p.origin+replaced.Replace(c.target),
		strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", c.header.Get("Content-Type"))
	if bearer := c.header.Get("Authorization"); bearer != "" {
		name := subscriptionTokens[strings.Trim(strings.TrimPrefix(bearer, "Bearer "), "<>")]
		request.Header.Set("Authorization", "Bearer "+p.box.Tokens()[name])
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, answer
}

// subscriptionOf returns the subscription that an answer is about.
func subscriptionOf(t *testing.T, body []byte) (id, status, reason string) {
	t.Helper()
	type document struct {
		ID     string `json:"subscription_id"`
		Status string `json:"status"`
		Reason string `json:"disabled_reason"`
	}
	var answer struct {
		document
		Subscription document `json:"subscription"`
	}
	_ = json.Unmarshal(body, &answer) // an error answer is about none, and a list about several
	found := answer.document
	if found.ID == "" {
		found = answer.Subscription
	}
	return found.ID, found.Status, found.Reason
}

// Event subscriptions of the sandbox are those of a real provider (docs/provider-contract.md, Event subscriptions):
// every captured request in its order, with the captured receiver, is answered alike, and the same events come.
func TestSubscriptionsAreAsCaptured(t *testing.T) {
	box, url := sandboxtest.Serve(t, sandbox.Options{Seed: 1, Retries: []time.Duration{time.Hour}})
	p := &subscriptionReplay{origin: url, box: box, receiver: newCapturedReceiver(t), ids: map[string]string{}}
	requests, deliveries := readSubscriptionCaptures(t)
	for _, c := range requests {
		number, _, _ := strings.Cut(c.name, "-")
		switch number {
		case "701": // its members are compared by TestReplay
			continue
		case "714": // 712: records were written
			put(t, box, "p-msg-900")
			p.receiver.await(t, "/a", "pdpp.records.changed")
		case "715":
			p.receiver.answer("/a", http.StatusInternalServerError)
		case "715c":
			p.receiver.answer("/a", http.StatusGone)
		case "875c": // the sandbox has no such route: its owner revokes
			awaitStatus(t, p, "sub_fc606b25a4991863cd8f43a3", "client_revoked", "active")
			if err := box.Authorization().Revoke(grantOf(t, p, "sub_fc606b25a4991863cd8f43a3", "client_revoked")); err != nil {
				t.Fatal(err)
			}
			continue
		}
		capturedID, wantStatus, wantReason := subscriptionOf(t, c.response)
		if c.method == http.MethodGet && capturedID != "" {
			token := strings.Trim(strings.TrimPrefix(c.header.Get("Authorization"), "Bearer "), "<>")
			awaitStatus(t, p, capturedID, token, wantStatus)
		}
		status, body := p.send(t, c)
		id, gotStatus, gotReason := subscriptionOf(t, body)
		if c.method == http.MethodPost && status == http.StatusCreated {
			p.ids[capturedID] = id
		}
		for _, problem := range compare(c, difference{}, status, body) {
			t.Errorf("%s: %s\n%s", c.name, problem, body)
		}
		if gotStatus != wantStatus || gotReason != wantReason {
			t.Errorf("%s: the subscription is %s %s, want %s %s", c.name, gotStatus, gotReason, wantStatus, wantReason)
		}
	}
	for _, c := range deliveries {
		var want map[string]any
		if err := json.Unmarshal([]byte(c.body), &want); err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		got := p.receiver.await(t, c.target, want["type"].(string))
		for _, problem := range shapeProblems(want, got.body, "") {
			t.Errorf("%s: %s", c.name, problem)
		}
		if got.header.Get("Content-Type") != c.header.Get("Content-Type") || got.header.Get("Webhook-Id") != got.body["id"] ||
			!regexp.MustCompile(`^\d{10}$`).MatchString(got.header.Get("Webhook-Timestamp")) ||
			!strings.HasPrefix(got.header.Get("Webhook-Signature"), "v1,") {
			t.Errorf("%s: the headers are %v", c.name, got.header)
		}
		if data := got.body["data"].(map[string]any); got.body["source"] != "/v1/event-subscriptions/"+
			data["subscription_id"].(string) {
			t.Errorf("%s: the source is %s", c.name, got.body["source"])
		}
	}
}

func put(t *testing.T, box *sandbox.Sandbox, key string) {
	t.Helper()
	for _, record := range sample.Shared().Records {
		if record.ConnectionID == sample.PersonalMail && record.Stream == "messages" {
			copied := catalog.Record{
				ConnectionID: record.ConnectionID, Stream: record.Stream, Key: key, EmittedAt: record.EmittedAt,
				Data: []byte(strings.Replace(string(record.Data), `"`+record.Key+`"`, `"`+key+`"`, 1)),
			}
			if err := box.Store().Put(t.Context(), copied); err != nil {
				t.Fatal(err)
			}
			return
		}
	}
	t.Fatal("the sample data has no messages")
}

// show reads a subscription, by its captured id and token.
func (p *subscriptionReplay) show(t *testing.T, capturedID, token string) []byte {
	t.Helper()
	c := capture{
		method: http.MethodGet, target: "/v1/event-subscriptions/" + capturedID,
		header: http.Header{"Authorization": {"Bearer <" + token + ">"}},
	}
	_, body := p.send(t, c)
	return body
}

func awaitStatus(t *testing.T, p *subscriptionReplay, capturedID, token, wanted string) {
	t.Helper()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); {
		if _, status, _ := subscriptionOf(t, p.show(t, capturedID, token)); status == wanted {
			return
		}
	}
	t.Fatalf("%s never became %s", capturedID, wanted)
}

func grantOf(t *testing.T, p *subscriptionReplay, capturedID, token string) string {
	t.Helper()
	var document struct {
		GrantID string `json:"grant_id"`
	}
	if err := json.Unmarshal(p.show(t, capturedID, token), &document); err != nil {
		t.Fatal(err)
	}
	return document.GrantID
}
