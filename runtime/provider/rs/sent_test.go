package rs_test

import (
	"context"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
)

// A template contains nothing of the caller.
func TestTemplate(t *testing.T) {
	for path, want := range map[rs.Path]string{
		rs.JoinPath("v1", "schema"):                                     "/v1/schema",
		rs.JoinPath("v1", "streams"):                                    "/v1/streams",
		rs.JoinPath("v1", "streams", "a/b", "records"):                  "/v1/streams/{stream}/records",
		rs.JoinPath("v1", "streams", "records", "records", "aggregate"): "/v1/streams/{stream}/records/{id}",
		rs.JoinPath("v1", "streams", "messages", "records", "m 1",
			"field-window"): "/v1/streams/{stream}/records/{id}/field-window",
		rs.JoinPath("v1", "streams", "search", "aggregate"):                  "/v1/streams/{stream}/aggregate",
		rs.JoinPath("v1", "search"):                                          "/v1/search",
		rs.JoinPath("v1", "search", "semantic"):                              "/v1/search/semantic",
		rs.JoinPath("v1", "search", "hybrid"):                                "/v1/search/hybrid",
		rs.JoinPath("v1", "search", "planted"):                               "other",
		rs.JoinPath("v1", "blobs", "planted"):                                "/v1/blobs/{id}",
		rs.JoinPath("v1", "streams", "planted"):                              "other",
		rs.JoinPath("v1", "streams", "messages", "records", "m1", "planted"): "other",
		"": "other",
	} {
		if got := path.Route().Template; got != want {
			t.Errorf("%s has template %s, want %s", path, got, want)
		}
	}
}

// observed records what it receives.
type observed struct {
	mu   sync.Mutex
	sent []rs.Sent
}

func (o *observed) Sent(sent rs.Sent) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.sent = append(o.sent, sent)
}

// Covers R-OPS-1: an observer receives every try once, whatever its outcome, after the whole answer.
func TestObserver(t *testing.T) {
	records := rs.JoinPath("v1", "streams", "messages", "records")
	const template = "/v1/streams/{stream}/records"
	get := func(ctx context.Context, client *rs.Client) {
		request := rs.Request{Path: records, Optional: []string{"view"}}
		request.Query.Set("view", "compact")
		_, _ = client.Get(ctx, request)
	}
	open := func(ctx context.Context, client *rs.Client) {
		download, err := client.Open(ctx, rs.Request{Path: "/v1/blobs/b"}, rs.Resume{})
		if err == nil {
			_, _ = download.ReadAll(100)
			_ = download.Body.Close()
			_ = download.Body.Close()
		}
	}
	for name, test := range map[string]struct {
		answer http.HandlerFunc
		read   func(context.Context, *rs.Client)
		want   []rs.Sent
	}{
		"answered": {body(`{"a":1}`), get, []rs.Sent{{Template: template, Status: 200, Bytes: 7, Try: 1}}},
		"second try": {
			inTurn(refusing(503), body(`{}`)), get,
			[]rs.Sent{{Template: template, Status: 503, Try: 1}, {Template: template, Status: 200, Bytes: 2, Try: 2}},
		},
		"redirect": {refusing(302), get, []rs.Sent{{Template: template, Status: 302, Try: 1}}},
		"no answer": {
			reset, get,
			[]rs.Sent{{Template: template, Try: 1}, {Template: template, Try: 2}, {Template: template, Try: 3}},
		},
		"no JSON": {body(`{`), get, []rs.Sent{{Template: template, Status: 200, Bytes: 1, Try: 1}}},
		"blob":    {whole, open, []rs.Sent{{Template: "/v1/blobs/{id}", Status: 200, Bytes: 10, Try: 1}}},
		"no blob": {refusing(404), open, []rs.Sent{{Template: "/v1/blobs/{id}", Status: 404, Try: 1}}},
	} {
		t.Run(name, func(t *testing.T) {
			client, requests := serve(t, test.answer)
			seen := &observed{}
			test.read(rs.ObservedBy(t.Context(), seen), client)
			if diff := cmp.Diff(test.want, seen.sent, cmpopts.IgnoreFields(rs.Sent{}, "Took")); diff != "" ||
				len(requests.all()) != len(seen.sent) {
				t.Errorf("%d requests: %s", len(requests.all()), diff)
			}
			for _, sent := range seen.sent {
				if sent.Took <= 0 || sent.Took > time.Minute {
					t.Errorf("took %v", sent.Took)
				}
			}
		})
	}
}
