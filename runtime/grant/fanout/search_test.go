package fanout_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/grant/fanout"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
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
// no source is reported.
func TestStreamsAreRouted(t *testing.T) {
	mail, music, open, chat := &fakeRS{name: "a", hits: 1}, &fakeRS{name: "b", hits: 1}, &fakeRS{
		name: "c",
		hits: 1,
	}, &fakeRS{name: "d", hits: 1}
	sources := []fanout.Source{
		member(mail, "messages", "threads"), member(music, "tracks", "threads"),
		member(chat, "channels"),
	}
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
	if len(page.Meta.Warnings) != 1 || page.Meta.Warnings[0].Code != "stream_not_granted" ||
		!strings.Contains(page.Meta.Warnings[0].Message, `"other"`) {
		t.Errorf("%+v", page.Meta.Warnings)
	}
}

// R-PKG-5: members that share a connection have the same records, so each stream is searched once.
func TestSharedConnectionIsSearchedOnce(t *testing.T) {
	first, second, third := &fakeRS{name: "a", hits: 1}, &fakeRS{name: "b", hits: 1}, &fakeRS{name: "c", hits: 1}
	sources := []fanout.Source{
		member(first, "messages", "threads"), member(second, "messages", "labels"),
		member(third, "threads"),
	}
	for i := range sources {
		sources[i].ConnectionID = "cin_shared"
	}
	search(t, newReader(sources...), searchFor(8, ""))
	untouched(t, third)
	if got := append(first.queries(), second.queries()...); len(got) != 2 || strings.Contains(got[0], "streams") ||
		!strings.Contains(got[1], "streams=labels") || strings.Contains(got[1], "messages") {
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

// A cancelled call does not wait for a source that hangs.
func TestCancelledCallEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	first := &fakeRS{name: "a", fails: func(int) error { cancel(); return nil }}
	_, err := ask(ctx, newReader(members(first, &fakeRS{name: "b", waits: true})...), searchFor(7, ""))
	var failure *rs.Failure
	if !errors.As(err, &failure) || failure.Reason != rs.Timeout || !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// The number of concurrent reads is limited.
func TestConcurrencyIsBounded(t *testing.T) {
	const atOnce = 24
	var mu sync.Mutex
	running, most := 0, 0
	entered, leave := make(chan struct{}), make(chan struct{})
	var servers []*fakeRS
	for i := range 3 * atOnce {
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
			for range atOnce {
				<-entered
			}
			for range atOnce {
				leave <- struct{}{}
			}
		}
	}()
	reader := fanout.New(members(servers...), fanout.Options{ProviderURL: provider, ChildTimeout: time.Minute})
	if page := search(t, reader, searchFor(3*atOnce, "")); len(page.Data) != 3*atOnce || most != atOnce {
		t.Errorf("%d hits, %d at once", len(page.Data), most)
	}
}

// The counts of all sources are summed while each is exact, and later pages repeat the sum.
func TestCountsStayHonest(t *testing.T) {
	exact := []*fakeRS{{name: "a", hits: 3}, {name: "b", hits: 30}}
	first := search(t, newReader(members(exact...)...), searchFor(10, ""))
	second := search(t, newReader(members(exact...)...), searchFor(10, first.NextCursor))
	for _, page := range []found{first, second} {
		if string(page.Meta.Count) != `{"kind":"exact","value":33}` {
			t.Errorf("count %s", page.Meta.Count)
		}
	}
	if !first.Meta.Recall.Complete || first.Meta.Recall.Searched != 2 {
		t.Errorf("recall %+v", first.Meta.Recall)
	}
	silent := &fakeRS{name: "c", body: `{"data":[],"has_more":false,"meta":{"count":{"kind":"none"}}}`}
	if page := search(t, newReader(members(append(exact, silent)...)...),
		searchFor(10, "")); string(page.Meta.Count) != `{"kind":"none"}` || page.Meta.Recall.Complete {
		t.Errorf("%+v", page.Meta)
	}
}

// R-BUD-3: the beginning of a page needs no request, and the cursor continues right after it.
func TestSmallerPageNeedsNoRequest(t *testing.T) {
	a, b := &fakeRS{name: "a", hits: 50}, &fakeRS{name: "b", hits: 50}
	reader := newReader(members(a, b)...)
	request := searchFor(20, "")
	merged, err := reader.Search(t.Context(), request)
	if err != nil {
		t.Fatal(err)
	}
	asked := len(a.queries()) + len(b.queries())
	if whole := merged.Hits(t.Context(), 20); whole.URL != provider+"/v1/search?q=overdraft&limit=20" ||
		whole.RequestID != "req_a" {
		t.Errorf("%q %q", whole.URL, whole.RequestID)
	}
	part := first(t, merged, request, 5)
	if now := len(a.queries()) + len(b.queries()); now != asked {
		t.Errorf("%d requests more", now-asked)
	}
	rest := search(t, newReader(members(a, b)...), searchFor(95, part.NextCursor))
	if diff := gocmp.Diff(turnsOf(a, b), append(part.keys(), rest.keys()...)); diff != "" {
		t.Errorf("hits (-want +got):\n%s", diff)
	}
}

// first returns the first hits of a page.
func first(t tester, merged tool.FoundHits, request rs.Request, hits int) found {
	t.Helper()
	response, err := bodyOf(request, merged.Hits(context.Background(), hits))
	if err != nil {
		t.Fatal(err)
	}
	return decode(t, response)
}

// A hybrid search has no cursors: it continues with a longer page, up to the longest page of the source.
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

// The warnings of sources are returned once each.
func TestSourceWarningsAreKept(t *testing.T) {
	body := `{"data":[],"meta":{"warnings":[{"code":"stale","message":"old index"}]}}`
	response, err := ask(t.Context(),
		newReader(members(&fakeRS{name: "a", body: body}, &fakeRS{name: "b", body: body})...), searchFor(5, ""))
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

// R-SEARCH-9, R-ERR-4: the members of a source's recall never replace those of the package, so that the merged
// answer names nothing twice.
func TestRecallNamesItsSourceOnce(t *testing.T) {
	source := &fakeRS{
		name: "a",
		body: `{"data":[],"has_more":false,"meta":{"recall":{"complete":false,"connection_id":"cin_x"}}}`,
	}
	response, err := ask(t.Context(),
		newReader(member(source, "messages"), member(&fakeRS{name: "b", hits: 1}, "messages")), searchFor(10, ""))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := rawjson.Unambiguous(context.Background(), response.Body(), 100); err != nil ||
		!strings.Contains(string(response.Body()), `"connection_id":"cin_a","display_name":"The a","complete":false}`) {
		t.Errorf("%v: %s", err, response.Body())
	}
}
