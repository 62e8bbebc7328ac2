package scan_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pdppmcp/pdpp-mcp/runtime/grant/fanout"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/sandbox/resource"
)

// R-SCAN-5: the hits of a provider that filters, in the same order, over all pages.
func TestFilteredHits(t *testing.T) {
	closed := newCaller(sandboxOf(t, resource.ReadsV01, "everything"), 20_000)
	open := newCaller(sandboxOf(t, resource.ReadsOpen, "everything"), 20_000)
	for _, arguments := range []string{
		`{"q":"overdraft","streams":["messages"],"connection_id":"cin_gmail_personal","filter":{"is_seen":true},"limit":3}`,
		`{"q":"the","streams":["messages"],"connection_id":"cin_gmail_personal",` +
			`"filter":{"received_at":{"gte":"2026-01-01"}},"limit":5}`,
		`{"q":"rent","streams":["transactions"],"mode":"semantic","filter":{"category":"housing"},"limit":4}`,
	} {
		t.Run(arguments, func(t *testing.T) {
			got, want := closed.hits(t, arguments), open.hits(t, arguments)
			if diff := cmp.Diff(want, got); diff != "" || len(want) == 0 {
				t.Errorf("%d hits (-open +v0.1):\n%s", len(want), diff)
			}
		})
	}
	for _, sent := range open.taken() {
		if strings.Contains(sent, "/search") && !strings.Contains(sent, "filter%5B") {
			t.Errorf("read on at a provider that filters: %s", sent)
		}
	}
}

// R-CLAIM-8: a search that a filter leaves without hits says why at both kinds of provider.
func TestFilterWithoutHits(t *testing.T) {
	for _, reads := range []resource.Reads{resource.ReadsV01, resource.ReadsOpen} {
		c := newCaller(sandboxOf(t, reads, "everything"), 20_000)
		read := c.call(t, "search", `{"q":"rent","streams":["transactions"],"filter":{"currency":"XXX"}}`)
		if explained := `No hit has currency="XXX"; values seen: "EUR".`; len(read.Results) > 0 || !strings.Contains(read.text, explained) {
			t.Errorf("%s: %s", reads, read.text)
		}
		_, err := c.try(t, "search", `{"q":"rent","streams":["transactions"],"filter":{"curency":"EUR"}}`)
		if refused, isRefused := errors.AsType[*rs.Error](err); !isRefused || refused.Code != "unknown_field" {
			t.Errorf("%s: a field that does not exist: %v", reads, err)
		}
	}
}

// hits follows the calls that lead from page to page, and joins the ids.
func (c caller) hits(t *testing.T, arguments string) []string {
	t.Helper()
	var ids []string
	for range 100 {
		read := c.call(t, "search", arguments)
		for _, hit := range read.Results {
			ids = append(ids, hit.ID)
		}
		if !read.Data.HasMore {
			return ids
		}
		arguments = string(read.Next[0].Arguments)
	}
	t.Fatal("the pages do not end")
	return nil
}

// R-SCAN-5, R-PKG-6: of two providers one filters and one refuses to. Neither's hits are missing, whichever is asked
// first, and only the one that refused is known to.
func TestFilteredHitsOfTwoProviders(t *testing.T) {
	const first, second = "https://first.example", "https://second.example"
	want := newCaller(sandboxOf(t, resource.ReadsOpen, "everything"), 20_000).hits(t,
		`{"q":"overdraft","streams":["messages"],"filter":{"is_seen":true},"limit":100}`)
	slices.Sort(want)
	closed, open := sandboxOf(t, resource.ReadsV01, "gmail_personal"), sandboxOf(t, resource.ReadsOpen, "gmail_both")
	sources := []fanout.Source{
		{
			GrantID: "grt_1", ConnectionID: "cin_gmail_personal", Streams: []string{"messages", "threads"},
			Reader: provided{closed, first},
		},
		{
			GrantID: "grt_2", ConnectionID: "cin_gmail_work", Streams: []string{"messages", "threads"},
			Reader: provided{open, second},
		},
	}
	for range 2 {
		for _, streams := range []string{`"streams":["messages"],`, ""} {
			c := newCaller(&watched{Reader: fanout.New(slices.Clone(sources), fanout.Options{})}, 20_000)
			got := c.hits(t, `{"q":"overdraft",`+streams+`"filter":{"is_seen":true},"limit":3}`)
			slices.Sort(got)
			if diff := cmp.Diff(want, got); diff != "" || len(want) == 0 {
				t.Errorf("%s %d hits (-open +both):\n%s", streams, len(want), diff)
			}
			if !c.readings.Refuses([]string{first}) || c.readings.Refuses([]string{second}) {
				t.Errorf("%s it is not remembered who refuses", streams)
			}
		}
		slices.Reverse(sources)
	}
}

// provided is a reader of another provider.
type provided struct {
	rs.Reader

	origin string
}

func (p provided) ProviderURL() string { return p.origin }

// R-SCAN-5, R-SCAN-6: hits of streams that lack the field do not match, and that is said; without any hit, it says how
// many were looked at.
func TestHitsOfOtherStreams(t *testing.T) {
	c := newCaller(sandboxOf(t, resource.ReadsV01, "everything"), 20_000)
	read := c.call(t, "search", `{"q":"overdraft","filter":{"is_seen":true},"limit":20}`)
	if len(read.Results) == 0 ||
		!strings.Contains(read.text, "stream chat_messages lacks a field of the filter; its hits were left out: 3") ||
		read.Reading == nil {
		t.Errorf("%s", read.text)
	}
	if strings.Contains(read.text, "recall=complete") {
		t.Errorf("recall is called complete: %s", read.text)
	}
	if _, err := c.try(t, "search", `{"q":"overdraft","filter":{"nonsense":true}}`); err == nil ||
		!strings.Contains(err.Error(), "nonsense") {
		t.Errorf("a field that no stream has: %v", err)
	}
	read = newCaller(c.watched, 1).call(t, "search",
		`{"q":"overdraft","streams":["messages"],"filter":{"subject":"no such subject"}}`)
	if len(read.Results) > 0 || !read.Data.HasMore || strings.Contains(read.text, "No hits.") || read.Reading.Read != 1 {
		t.Errorf("after one record of several: %s", read.text)
	}
}

// emptyPages is a server that refuses filters and whose search has pages without a hit for ever.
type emptyPages struct{}

func (emptyPages) ProviderURL() string { return provider }

func (emptyPages) Get(ctx context.Context, request rs.Request) (*rs.Response, error) {
	if err := ctx.Err(); err != nil {
		return nil, &rs.Failure{Reason: rs.Timeout, Message: "cancelled", Cause: err}
	}
	if strings.Contains(request.Query.Encoded(), "filter") {
		return nil, refused("invalid_request", "filter")
	}
	at, _ := request.Query.Get("cursor")
	body := `{"object":"list","data":[],"has_more":true,"next_cursor":"` + at + `x"}`
	return sent(ctx, []byte(body), request)
}

// R-SCAN-8: pages without a hit end too.
func TestHitsOfEmptyPages(t *testing.T) {
	c := newCaller(&watched{Reader: emptyPages{}}, 5)
	read := c.call(t, "search", `{"q":"x","filter":{"is_seen":true},"limit":3}`)
	asked := len(slices.DeleteFunc(c.taken(), func(sent string) bool { return !strings.Contains(sent, "/search") }))
	if asked > 6 || read.Reading.Complete || !strings.Contains(read.text, "One call reads 5 records at most.") {
		t.Errorf("asked %d times: %s", asked, read.text)
	}
}

// hybridPage is a server that refuses filters and whose search has more hits and no cursor, as a hybrid one (920).
type hybridPage struct{ emptyPages }

func (hybridPage) Get(ctx context.Context, request rs.Request) (*rs.Response, error) {
	switch {
	case strings.Contains(request.Query.Encoded(), "filter"):
		return nil, refused("invalid_request", "filter")
	case strings.HasSuffix(string(request.Path), "/m1"):
		return sent(ctx, []byte(`{"id":"m1","data":{"is_seen":true}}`), request)
	}
	return sent(ctx,
		[]byte(`{"object":"list","data":[{"stream":"messages","record_key":"m1","connection_id":"cin_1"}],"has_more":true}`),
		request)
}

// R-SCAN-6, R-BUD-3: hits that no cursor leads to are not passed over in silence.
func TestHitsBehindNoCursor(t *testing.T) {
	read := newCaller(&watched{Reader: hybridPage{}}, 5).call(t, "search", `{"q":"x","filter":{"is_seen":true},"limit":3}`)
	if len(read.Results) != 1 || read.Reading.Complete || read.Data.HasMore ||
		!strings.Contains(read.text, "gave no cursor for the rest") {
		t.Errorf("%+v: %s", read.Reading, read.text)
	}
}

// limitedHits is a server that refuses filters. Its search has a page of matching hits. It answers 429 to one read
// of a record.
type limitedHits struct {
	emptyPages

	record string
}

func (l limitedHits) Get(ctx context.Context, request rs.Request) (*rs.Response, error) {
	switch path := string(request.Path); {
	case strings.Contains(request.Query.Encoded(), "filter"):
		return nil, refused("invalid_request", "filter")
	case strings.HasSuffix(path, "/"+l.record):
		return nil, &rs.Error{
			Status: http.StatusTooManyRequests, Code: "rate_limit_exceeded", Message: "slow down",
			RetryAfter: "30", URL: provider,
		}
	case strings.Contains(path, "/records/"):
		return sent(ctx, []byte(`{"id":"m","data":{"is_seen":true}}`), request)
	}
	hits := make([]string, 20)
	for i := range hits {
		hits[i] = fmt.Sprintf(`{"stream":"messages","record_key":"m%d","connection_id":"cin_1"}`, i)
	}
	return sent(ctx, []byte(`{"object":"list","data":[`+strings.Join(hits, ",")+`],"has_more":false}`), request)
}

// R-SCAN-8: a wait that exceeds the time is the answer if no record was read. Otherwise it ends the page, with a
// continuation.
func TestRateLimitedHits(t *testing.T) {
	const arguments = `{"q":"x","filter":{"is_seen":true},"limit":15}`
	for record, shown := range map[string]int{"m0": 0, "m7": 0, "m8": 8} { // eight are read at once
		t.Run(record, func(t *testing.T) {
			c := newCaller(&watched{Reader: limitedHits{record: record}}, 20_000)
			result, err := c.try(t, "search", arguments)
			var limited *rs.Error
			if isLimited := errors.As(err, &limited); isLimited != (shown == 0) || isLimited && limited.RetryAfter != "30" {
				t.Fatalf("error %v", err)
			}
			if shown == 0 {
				return
			}
			read := pageOf(t, result)
			if len(read.Results) != shown || read.Reading.Complete || !read.Data.HasMore ||
				!strings.Contains(read.text, "Retry-After: 30") {
				t.Fatal(read.text)
			}
			rest := newCaller(&watched{Reader: limitedHits{record: "none"}}, 20_000).call(t, "search",
				string(read.Next[0].Arguments))
			if len(rest.Results) != 20-shown || rest.Data.HasMore {
				t.Errorf("the rest: %s", rest.text)
			}
		})
	}
}
