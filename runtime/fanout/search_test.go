package fanout_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/pdppmcp/pdpp-mcp/runtime/fanout"
	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// R-PKG-4: with connection_id exactly one source is asked, and its answer passes through.
func TestNamedConnectionIsSearchedAlone(t *testing.T) {
	a, b := &fakeRS{name: "a", hits: 9}, &fakeRS{name: "b", hits: 9}
	request := searchFor(3, "")
	id := "cin_b"
	request.Query.Set("connection_id", id)
	request.Sources = rs.HitsOfSources{ConnectionID: &id}
	response, err := newReader(members(a, b)...).Get(t.Context(), request)
	if err != nil {
		t.Fatal(err)
	}
	untouched(t, a)
	if diff := gocmp.Diff([]string{"q=overdraft&limit=3&connection_id=cin_b"}, b.queries()); diff != "" {
		t.Errorf("queries (-want +got):\n%s", diff)
	}
	if page := decode(t, response); page.NextCursor != "b@3" || response.RequestID != "req_b" {
		t.Errorf("%s %s", response.RequestID, response.Body())
	}
}

// R-PKG-3: each source is asked only for the names that its grant has; one with none is not asked. A name of
// nobody is told.
func TestStreamsAreRouted(t *testing.T) {
	mail, music, open, chat := &fakeRS{name: "a", hits: 1}, &fakeRS{name: "b", hits: 1}, &fakeRS{name: "c", hits: 1}, &fakeRS{name: "d", hits: 1}
	sources := []fanout.Source{member(mail, "messages", "threads"), member(music, "tracks", "threads"), member(chat, "channels")}
	search(t, newReader(append(sources, member(open))...), searchFor(8, "", "threads", "messages", "other"))
	untouched(t, chat)
	for server, want := range map[*fakeRS]string{
		mail: "q=overdraft&streams=threads&streams=messages&limit=3", music: "q=overdraft&streams=threads&limit=3",
		open: "q=overdraft&streams=threads&streams=messages&streams=other&limit=2",
	} {
		if diff := gocmp.Diff(want, server.queries()[0]); diff != "" {
			t.Errorf("query of %s (-want +got):\n%s", server.name, diff)
		}
	}
	page := search(t, newReader(sources...), searchFor(8, "", "threads", "other"))
	if len(page.Meta.Warnings) != 1 || page.Meta.Warnings[0].Code != "stream_not_granted" || !strings.Contains(page.Meta.Warnings[0].Message, `"other"`) {
		t.Errorf("%+v", page.Meta.Warnings)
	}
}

// R-PKG-5: members that share a connection have the same records, so each stream is searched once.
func TestSharedConnectionIsSearchedOnce(t *testing.T) {
	first, second, third := &fakeRS{name: "a", hits: 1}, &fakeRS{name: "b", hits: 1}, &fakeRS{name: "c", hits: 1}
	sources := []fanout.Source{member(first, "messages", "threads"), member(second, "messages", "labels"), member(third, "threads")}
	for i := range sources {
		sources[i].ConnectionID = "cin_shared"
	}
	search(t, newReader(sources...), searchFor(8, ""))
	untouched(t, third)
	if got := append(first.queries(), second.queries()...); len(got) != 2 || strings.Contains(got[0], "streams") || !strings.Contains(got[1], "streams=labels") || strings.Contains(got[1], "messages") {
		t.Errorf("queries %q", got)
	}
}

// R-PKG-2: hits that do not name their source get its identity; what a hit says itself stays.
func TestHitsNameTheirSource(t *testing.T) {
	bare := &fakeRS{name: "a", body: `{"data":[{"record_key":"1","connection_id":null},` +
		`{"record_key":"2","connection_id":"cin_elsewhere"},` +
		`{"record_key":"3","connector_instance_id":"cin_a","connector_id":"imap","display_name":"Mine"}]}`}
	page := search(t, newReader(member(bare)), searchFor(0, ""))
	got := fmt.Sprint(page.Data)
	if want := "[{1 cin_a gmail The a} {2 cin_elsewhere  } {3   Mine}]"; got != want {
		t.Errorf("%s, not %s", got, want)
	}
	if diff := gocmp.Diff([]string{"q=overdraft&limit=25"}, bare.queries()); diff != "" {
		t.Errorf("queries (-want +got):\n%s", diff)
	}
}

// R-PKG-6: one source hangs, one is refused, one answers with a page of HTML, one was revoked before. The
// answer comes within the deadline of one source, names the missing, and offers none of them.
func TestMissingSourcesAreNamed(t *testing.T) {
	good, hanging := &fakeRS{name: "a", hits: 30}, &fakeRS{name: "b", waits: true}
	refused := &fakeRS{name: "c", fails: func(int) error {
		return &rs.Error{Status: http.StatusForbidden, Code: "grant_revoked", Message: "Grant is revoked"}
	}}
	html := &fakeRS{name: "d", fails: func(int) error {
		return &rs.Failure{Reason: rs.InvalidResponse, Status: 200, Message: "the resource server's answer is not JSON"}
	}}
	odd := &fakeRS{name: "e", body: `{"object":"list"}`}
	var mu sync.Mutex
	results := map[fanout.Result]int{}
	reader := fanout.New(append(members(good, hanging, refused, html, odd), ended("f", "messages")), fanout.Options{
		ProviderURL: provider, ChildTimeout: 500 * time.Millisecond,
		Observe: func(result fanout.Result, _ time.Duration) {
			mu.Lock()
			defer mu.Unlock()
			results[result]++
		},
	})
	started := time.Now()
	page := search(t, reader, searchFor(7, ""))
	if took := time.Since(started); took > 2*time.Second {
		t.Errorf("took %s", took)
	}
	if diff := gocmp.Diff([]string{"a-0", "a-1", "a-2", "a-3", "a-4", "a-5", "a-6"}, page.keys()); diff != "" {
		t.Errorf("hits (-want +got):\n%s", diff)
	}
	want := map[string]string{
		"cin_b": "rs_timeout", "cin_c": "grant_revoked", "cin_d": "rs_invalid_response", "cin_e": "rs_invalid_response", "cin_f": "grant_inactive",
	}
	if diff := gocmp.Diff(want, page.reasons()); diff != "" {
		t.Errorf("missing (-want +got):\n%s", diff)
	}
	if page.Meta.Accuracy != "" || page.Meta.Recall.Complete || page.Meta.Recall.Missing != 5 {
		t.Errorf("meta %+v", page.Meta)
	}
	for _, warning := range page.Meta.Warnings {
		if authorization := warning.ConnectionID == "cin_c" || warning.ConnectionID == "cin_f"; authorization != strings.Contains(warning.Message, "approve it again") {
			t.Errorf("%s: %q", warning.ConnectionID, warning.Message)
		}
		if warning.ConnectionID == "cin_c" && warning.HTTPStatus != 403 || !strings.Contains(warning.Message, "The ") {
			t.Errorf("%+v", warning)
		}
	}
	if diff := gocmp.Diff(map[fanout.Result]int{fanout.Answered: 3, fanout.TimedOut: 1, fanout.Refused: 1, fanout.Failed: 1}, results); diff != "" {
		t.Errorf("observed (-want +got):\n%s", diff)
	}
}

// R-PKG-6: a source that failed keeps its place, and its hits come with a later page, each once.
func TestFailedSourceComesBack(t *testing.T) {
	steady := &fakeRS{name: "a", hits: 20}
	flaky := &fakeRS{name: "b", hits: 10, fails: func(call int) error {
		if call == 2 {
			return &rs.Error{Status: 502, Code: "api_error", Message: "bad gateway"}
		}
		return nil
	}}
	keys, cursor, missed := map[string]int{}, "", 0
	for {
		page := search(t, newReader(members(steady, flaky)...), searchFor(6, cursor))
		for _, key := range page.keys() {
			keys[key]++
		}
		missed += len(page.reasons())
		if cursor = page.NextCursor; cursor == "" {
			break
		}
	}
	if missed != 1 || len(keys) != 30 {
		t.Errorf("missed %d times, %d hits", missed, len(keys))
	}
	for key, times := range keys {
		if times != 1 {
			t.Errorf("%s came %d times", key, times)
		}
	}
}

// R-PKG-6: paging ends when only a source that fails is left, and says how to ask it.
func TestPagingEndsWithoutTheFailing(t *testing.T) {
	down := &fakeRS{name: "b", fails: func(int) error { return &rs.Failure{Reason: rs.Unreachable, Message: "no route"} }}
	reader := newReader(members(&fakeRS{name: "a", hits: 8}, down)...)
	first := search(t, reader, searchFor(5, ""))
	last := search(t, reader, searchFor(5, first.NextCursor))
	if len(last.Data) != 3 || last.NextCursor != "" {
		t.Fatalf("%+v", last)
	}
	for page, advice := range map[*found]string{&first: "the next page", &last: `connection_id "cin_b"`} {
		if message := page.Meta.Warnings[0].Message; !strings.Contains(message, advice) {
			t.Errorf("%q does not say %q", message, advice)
		}
	}
}

// R-PKG-6: when nobody answers, what all say is the answer; else each is named.
func TestAllSourcesFail(t *testing.T) {
	refusal := func(status int, code string) error {
		return &rs.Error{Status: status, Code: code, Message: code, URL: "http://internal/v1/search"}
	}
	down := &rs.Failure{Reason: rs.Unreachable, Message: "no route", URL: "http://internal/v1/search"}
	for name, test := range map[string]struct {
		errors []error
		status int    // of the *rs.Error, or 0
		code   string // of the answer
	}{
		"authorization":               {[]error{refusal(403, "grant_revoked"), refusal(401, "context.active_false")}, 403, "grant_revoked"},
		"authorization and a bad day": {[]error{refusal(403, "grant_revoked"), down}, 0, "source_unavailable"},
		"two kinds of refusals":       {[]error{refusal(403, "grant_revoked"), refusal(500, "api_error")}, 0, "source_unavailable"},
		"a question that nobody can answer": {
			[]error{refusal(400, "invalid_request"), refusal(400, "invalid_request")}, 400, "invalid_request",
		},
	} {
		for _, more := range [][]fanout.Source{nil, {ended("z", "messages")}} {
			t.Run(fmt.Sprintf("%s, %d inactive", name, len(more)), func(t *testing.T) {
				var servers []*fakeRS
				for i, err := range test.errors {
					servers = append(servers, &fakeRS{name: string(rune('a' + i)), fails: func(int) error { return err }})
				}
				_, err := newReader(append(members(servers...), more...)...).Get(t.Context(), searchFor(7, ""))
				var refused *rs.Error
				var own *tool.Error
				switch {
				case test.status != 0 && errors.As(err, &refused) && !errors.As(err, &own):
					if refused.Status != test.status || refused.Code != test.code || !strings.HasPrefix(refused.URL, provider) {
						t.Errorf("%+v", refused)
					}
				case test.status == 0 && errors.As(err, &own):
					if string(own.Code) != test.code || len(connections(t, own.UnavailableConnections)) != len(servers)+len(more) || own.AvailableConnections != nil {
						t.Errorf("%+v", own)
					}
				default:
					t.Errorf("%v", err)
				}
			})
		}
	}
}

// A caller who goes away is not kept waiting by a source that hangs.
func TestCancelledCallEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	first := &fakeRS{name: "a", fails: func(int) error { cancel(); return nil }}
	_, err := newReader(members(first, &fakeRS{name: "b", waits: true})...).Get(ctx, searchFor(7, ""))
	var failure *rs.Failure
	if !errors.As(err, &failure) || failure.Reason != rs.Timeout || !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// Only so many sources are read at once.
func TestConcurrencyIsBounded(t *testing.T) {
	var mu sync.Mutex
	running, most := 0, 0
	entered, leave := make(chan struct{}), make(chan struct{})
	var servers []*fakeRS
	for i := range 9 {
		servers = append(servers, &fakeRS{name: fmt.Sprint(i), hits: 1, fails: func(int) error {
			mu.Lock()
			running++
			most = max(most, running)
			mu.Unlock()
			entered <- struct{}{}
			<-leave
			mu.Lock()
			running--
			mu.Unlock()
			return nil
		}})
	}
	go func() {
		for range 3 {
			for range 3 {
				<-entered
			}
			for range 3 {
				leave <- struct{}{}
			}
		}
	}()
	reader := fanout.New(members(servers...), fanout.Options{ProviderURL: provider, Concurrency: 3, ChildTimeout: time.Minute})
	if page := search(t, reader, searchFor(9, "")); len(page.Data) != 9 || most != 3 {
		t.Errorf("%d hits, %d at once", len(page.Data), most)
	}
}

// The counts of all sources are summed while each is exact, and later pages repeat the sum.
func TestCountsStayHonest(t *testing.T) {
	exact := []*fakeRS{{name: "a", hits: 3}, {name: "b", hits: 30}}
	first := search(t, newReader(members(exact...)...), searchFor(10, ""))
	second := search(t, newReader(members(exact...)...), searchFor(10, first.NextCursor))
	for _, page := range []found{first, second} {
		if string(page.Meta.Count) != "33" || page.Meta.Accuracy != "exact" {
			t.Errorf("count %s %s", page.Meta.Count, page.Meta.Accuracy)
		}
	}
	if !first.Meta.Recall.Complete || first.Meta.Recall.Searched != 2 {
		t.Errorf("recall %+v", first.Meta.Recall)
	}
	silent := &fakeRS{name: "c", body: `{"data":[],"has_more":false,"meta":{"count":{"kind":"none"}}}`}
	if page := search(t, newReader(members(append(exact, silent)...)...), searchFor(10, "")); string(page.Meta.Count) != `{"kind":"none"}` || page.Meta.Recall.Complete {
		t.Errorf("%+v", page.Meta)
	}
}

// R-BUD-3: the beginning of a page is read again without a request, also while a source hangs, and the
// cursor goes on right after it. The request says what the caller asked.
func TestSmallerPageNeedsNoRequest(t *testing.T) {
	a, b := &fakeRS{name: "a", hits: 50}, &fakeRS{name: "b", hits: 50}
	reader := newReader(members(a, b)...)
	request := searchFor(20, "")
	response, err := reader.Get(t.Context(), request)
	if err != nil {
		t.Fatal(err)
	}
	asked := len(a.queries()) + len(b.queries())
	if got := response.Request.Query.Encoded(); got != request.Query.Encoded() || response.URL != provider+"/v1/search?q=overdraft&limit=20" || response.RequestID != "req_a" {
		t.Errorf("%q %q %q", got, response.URL, response.RequestID)
	}
	smaller := response.Request
	smaller.Query = smaller.Query.With("limit", "5")
	part := search(t, reader, smaller)
	if now := len(a.queries()) + len(b.queries()); now != asked {
		t.Errorf("%d requests more", now-asked)
	}
	rest := search(t, newReader(members(a, b)...), searchFor(95, part.NextCursor))
	if diff := gocmp.Diff(turnsOf(a, b), append(part.keys(), rest.keys()...)); diff != "" {
		t.Errorf("hits (-want +got):\n%s", diff)
	}

	// Another caller's reader, and another question, are asked anew.
	other := &fakeRS{name: "z", hits: 1}
	if page := search(t, newReader(members(other)...), smaller); len(page.Data) != 1 || page.Data[0].RecordKey != "z-0" {
		t.Errorf("another caller got %q", page.keys())
	}
	larger := response.Request
	larger.Query = larger.Query.With("limit", "30")
	if page := search(t, reader, larger); len(page.Data) != 30 {
		t.Errorf("%d hits", len(page.Data))
	}
}

// A hybrid search has no cursors: it is read on by asking for more, as far as one page of the source goes.
func TestSearchWithoutCursorsIsReadOn(t *testing.T) {
	hybrid := &fakeRS{name: "a", hits: 130, hybrid: true}
	keys, cursor := []string{}, ""
	var last found
	for {
		last = search(t, newReader(members(hybrid)...), searchFor(40, cursor))
		keys = append(keys, last.keys()...)
		if cursor = last.NextCursor; cursor == "" {
			break
		}
	}
	if len(keys) != 100 || keys[99] != "a-99" {
		t.Errorf("%d hits", len(keys))
	}
	if len(last.Meta.Warnings) != 1 || last.Meta.Warnings[0].Code != "source_truncated" {
		t.Errorf("%+v", last.Meta.Warnings)
	}
}

// The warnings of sources are passed on, each once.
func TestSourceWarningsAreKept(t *testing.T) {
	body := `{"data":[],"meta":{"warnings":[{"code":"stale","message":"old index"}]}}`
	response, err := newReader(members(&fakeRS{name: "a", body: body}, &fakeRS{name: "b", body: body})...).Get(t.Context(), searchFor(5, ""))
	if err != nil {
		t.Fatal(err)
	}
	var sent struct {
		Meta struct {
			Warnings []json.RawMessage `json:"warnings"`
		} `json:"meta"`
	}
	if err := json.Unmarshal(response.Body(), &sent); err != nil || len(sent.Meta.Warnings) != 1 {
		t.Errorf("%v: %s", err, response.Body())
	}
}

// R-PKG-6: sources that hang one after the other, once they have answered, make a short page and not a slow
// one. None is missing, and the cursor goes on where the page ends.
func TestSourcesThatHangLaterMakeAShortPage(t *testing.T) {
	first, second := &fakeRS{name: "a", hits: 40, largest: 2, waitsOnce: 2}, &fakeRS{name: "b", hits: 40, largest: 2, waitsOnce: 2}
	third := &fakeRS{name: "c", hits: 1}
	reader := fanout.New(members(first, second, third), fanout.Options{ProviderURL: provider, ChildTimeout: 50 * time.Millisecond})
	page := search(t, reader, searchFor(20, ""))
	if diff := gocmp.Diff([]string{"a-0", "b-0", "c-0", "a-1", "b-1"}, page.keys()); diff != "" {
		t.Errorf("hits (-want +got):\n%s", diff)
	}
	if len(page.reasons()) > 0 {
		t.Errorf("missing: %v", page.reasons())
	}
	next := search(t, reader, searchFor(4, page.NextCursor))
	if diff := gocmp.Diff([]string{"a-2", "b-2", "a-3", "b-3"}, next.keys()); diff != "" {
		t.Errorf("next hits (-want +got):\n%s", diff)
	}
}

// R-PKG-2: a hit that claims to be of another member of the package is left out with a warning, on every page, and costs
// none of the others (R-PKG-5). One of a connection that no member names stays: a grant can have several.
func TestHitsThatClaimAnotherSourceAreDropped(t *testing.T) {
	for name, claim := range map[string]string{
		"its id":           `,"connection_id":"cin_honest"`,
		"its other name":   `,"connection_id":"cin_other","connector_instance_id":"cin_honest"`,
		"one that ended":   `,"connection_id":"cin_gone"`,
		"with an own name": `,"connector_instance_id":"cin_liar","connection_id":"cin_honest"`,
	} {
		for _, hybrid := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, hybrid %t", name, hybrid), func(t *testing.T) {
				liar := &fakeRS{name: "liar", hits: 30, hybrid: hybrid, claims: func(i int) string {
					switch i % 3 {
					case 0:
						return claim
					case 1:
						return `,"connection_id":"cin_unnamed"`
					}
					return ""
				}}
				honest := &fakeRS{name: "honest", hits: 10}
				reader := newReader(append(members(liar, honest), ended("gone", "messages"))...)
				seen, cursor, warned := map[string]int{}, "", false
				for range 30 {
					page := search(t, reader, searchFor(4, cursor))
					for _, hit := range page.Data {
						seen[hit.RecordKey]++
						if strings.HasPrefix(hit.RecordKey, "liar") && hit.ConnectionID != "cin_liar" && hit.ConnectionID != "cin_unnamed" {
							t.Errorf("%s is shown as a hit of %s", hit.RecordKey, hit.ConnectionID)
						}
					}
					for _, warning := range page.Meta.Warnings {
						warned = warned || warning.Code == fanout.WarnHitsDropped && warning.ConnectionID == "cin_liar"
					}
					if cursor == "" && page.Meta.Accuracy == "exact" {
						t.Errorf("a count of %s is called exact", page.Meta.Count)
					}
					if cursor = page.NextCursor; cursor == "" {
						break
					}
				}
				for i := range 30 {
					if want := min(i%3, 1); seen[fmt.Sprintf("liar-%d", i)] != want {
						t.Errorf("liar-%d is shown %d times, want %d", i, seen[fmt.Sprintf("liar-%d", i)], want)
					}
				}
				if !warned {
					t.Error("no warning tells of the hits that are left out")
				}
				if len(seen) != 30 || cursor != "" {
					t.Errorf("%d hits were shown, want 20 of one and 10 of the other; the cursor is %q", len(seen), cursor)
				}
			})
		}
	}
}

// R-SEARCH-9, R-ERR-4: what a source says of its own search takes no name that the package gives it, so that the merged
// answer names nothing twice.
func TestRecallNamesItsSourceOnce(t *testing.T) {
	source := &fakeRS{name: "a", body: `{"data":[],"has_more":false,"meta":{"recall":{"complete":true,"connection_id":"cin_x"}}}`}
	response, err := newReader(member(source, "messages"), member(&fakeRS{name: "b", hits: 1}, "messages")).Get(t.Context(), searchFor(10, ""))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := rawjson.Unambiguous(response.Body(), 100); err != nil || !strings.Contains(string(response.Body()), `"connection_id":"cin_a","display_name":"The a","complete":true}`) {
		t.Errorf("%v: %s", err, response.Body())
	}
}
