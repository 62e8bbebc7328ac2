package fanout_test

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/pdppmcp/pdpp-mcp/runtime/grant/fanout"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// R-PKG-6: of four failing sources, one hangs, one refuses, one answers with HTML and one is revoked. The answer keeps
// the deadline of one source and names all of them.
func TestMissingSourcesAreNamed(t *testing.T) { synctest.Test(t, missingSourcesAreNamed) }

func missingSourcesAreNamed(t *testing.T) {
	const deadline = 500 * time.Millisecond
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
		ProviderURL: provider, ChildTimeout: deadline,
		Observe: func(result fanout.Result, _ time.Duration) {
			mu.Lock()
			defer mu.Unlock()
			results[result]++
		},
	})
	started := time.Now()
	page := search(t, reader, searchFor(7, ""))
	if took := time.Since(started); took > deadline {
		t.Errorf("took %s", took)
	}
	if diff := gocmp.Diff([]string{"a-0", "a-1", "a-2", "a-3", "a-4", "a-5", "a-6"}, page.keys()); diff != "" {
		t.Errorf("hits (-want +got):\n%s", diff)
	}
	want := map[string]string{
		"cin_b": "rs_timeout", "cin_c": "grant_revoked", "cin_d": "rs_invalid_response", "cin_e": "rs_invalid_response",
		"cin_f": "grant_inactive",
	}
	if diff := gocmp.Diff(want, page.reasons()); diff != "" {
		t.Errorf("missing (-want +got):\n%s", diff)
	}
	if string(page.Meta.Count) != `{"kind":"none"}` || page.Meta.Recall.Complete || page.Meta.Recall.Missing != 5 {
		t.Errorf("meta %+v", page.Meta)
	}
	for _, warning := range page.Meta.Warnings {
		if authorization := warning.ConnectionID == "cin_c" ||
			warning.ConnectionID == "cin_f"; authorization != strings.Contains(warning.Message, "approve it again") {
			t.Errorf("%s: %q", warning.ConnectionID, warning.Message)
		}
		if warning.ConnectionID == "cin_c" && warning.HTTPStatus != 403 || !strings.Contains(warning.Message, "The ") {
			t.Errorf("%+v", warning)
		}
	}
	if diff := gocmp.Diff(map[fanout.Result]int{
		fanout.Answered: 3, fanout.TimedOut: 1, fanout.Refused: 1,
		fanout.Failed: 1,
	}, results); diff != "" {
		t.Errorf("observed (-want +got):\n%s", diff)
	}
}

// R-PKG-6: a failed source keeps its position, and its hits are on a later page, each once.
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

// R-PKG-6: if no source answers, their common refusal is returned, or else each is named.
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
		"authorization": {
			[]error{refusal(403, "grant_revoked"), refusal(401, "context.active_false")},
			403,
			"grant_revoked",
		},
		"authorization and a bad day": {[]error{refusal(403, "grant_revoked"), down}, 0, "source_unavailable"},
		"two kinds of refusals": {
			[]error{refusal(403, "grant_revoked"), refusal(500, "api_error")},
			0,
			"source_unavailable",
		},
		"a request without sources": {
			[]error{refusal(400, "invalid_request"), refusal(400, "invalid_request")}, 400, "invalid_request",
		},
	} {
		for _, more := range [][]fanout.Source{nil, {ended("z", "messages")}} {
			t.Run(fmt.Sprintf("%s, %d inactive", name, len(more)), func(t *testing.T) {
				var servers []*fakeRS
				for i, err := range test.errors {
					servers = append(servers, &fakeRS{name: string(rune('a' + i)), fails: func(int) error { return err }})
				}
				_, err := ask(t.Context(), newReader(append(members(servers...), more...)...), searchFor(7, ""))
				var refused *rs.Error
				var own *tool.Error
				switch {
				case test.status != 0 && errors.As(err, &refused) && !errors.As(err, &own):
					if refused.Status != test.status || refused.Code != test.code || !strings.HasPrefix(refused.URL, provider) {
						t.Errorf("%+v", refused)
					}
				case test.status == 0 && errors.As(err, &own):
					if string(own.Code) != test.code || len(connections(t, own.UnavailableConnections)) != len(servers)+len(more) ||
						own.AvailableConnections != nil {
						t.Errorf("%+v", own)
					}
				default:
					t.Errorf("%v", err)
				}
			})
		}
	}
}

// R-PKG-6: the delays of several sources do not add up. A source that hangs in a later round makes a short page, is not
// missing, and continues on the next page.
func TestHangingSourcesShortenThePage(t *testing.T) {
	synctest.Test(t, sourcesThatHangLaterMakeAShortPage)
}

func sourcesThatHangLaterMakeAShortPage(t *testing.T) {
	first, second := &fakeRS{name: "a", hits: 40, largest: 2, waitsOnce: 2}, &fakeRS{
		name: "b", hits: 40,
		largest: 2, waitsOnce: 2,
	}
	third, hanging := &fakeRS{name: "c", hits: 1}, &fakeRS{name: "d", waitsOnce: 1}
	reader := newReader(members(first, second, third, hanging)...)
	started := time.Now()
	page := search(t, reader, searchFor(20, ""))
	if took := time.Since(started); took != 2750*time.Millisecond { // for a caller who waits 3 s
		t.Errorf("took %s", took)
	}
	if diff := gocmp.Diff([]string{"a-0", "b-0", "c-0", "a-1", "b-1"}, page.keys()); diff != "" {
		t.Errorf("hits (-want +got):\n%s", diff)
	}
	if diff := gocmp.Diff(map[string]string{"cin_d": "rs_timeout"}, page.reasons()); diff != "" {
		t.Errorf("missing (-want +got):\n%s", diff)
	}
	next := search(t, reader, searchFor(4, page.NextCursor))
	if diff := gocmp.Diff([]string{"a-2", "b-2", "a-3", "b-3"}, next.keys()); diff != "" {
		t.Errorf("next hits (-want +got):\n%s", diff)
	}
}

// R-OPS-2: an answer names each grant that answered, once.
func TestAnswersNameTheirGrants(t *testing.T) {
	schema := &fakeRS{name: "a", body: `{"connectors":[]}`}
	list := &fakeRS{name: "b", body: `{"object":"list","data":[]}`}
	broken := &fakeRS{
		name:  "c",
		fails: func(int) error { return &rs.Failure{Reason: rs.Unreachable, Message: "no answer"} },
	}
	one, again := member(list, "messages"), member(list, "messages")
	again.ConnectionID = "cin_of_the_same_grant"
	named := one.ConnectionID
	for name, test := range map[string]struct {
		sources []fanout.Source
		request rs.Request
		want    []string
	}{
		"search": {[]fanout.Source{one, again, member(broken, "messages")}, searchFor(7, ""), []string{"grt_b"}},
		"of two": {
			members(&fakeRS{name: "x", hits: 2}, &fakeRS{name: "y", hits: 2}), searchFor(2, ""),
			[]string{"grt_x", "grt_y"},
		},
		"one source": {
			members(list, schema),
			rs.Request{Path: "/v1/streams/messages/records", Sources: rs.OneSource{Stream: "messages", ConnectionID: &named}},
			[]string{"grt_b"},
		},
		"schema": {
			members(schema, broken),
			rs.Request{Path: "/v1/schema", Sources: rs.SchemaOfSources{}},
			[]string{"grt_a"},
		},
		"streams": {
			members(broken, list),
			rs.Request{Path: "/v1/streams", Sources: rs.StreamsOfSources{}},
			[]string{"grt_b"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			response, err := ask(t.Context(), newReader(test.sources...), test.request)
			if err != nil {
				t.Fatal(err)
			}
			if diff := gocmp.Diff(test.want, response.GrantIDs); diff != "" {
				t.Errorf("grants (-want +got):\n%s", diff)
			}
		})
	}
}

// R-LOCAL-2: an answer of the only readable source names the unreadable sources of the stream. An answer of a named
// source does not.
func TestAbsentFromTheAnswerOfOneSource(t *testing.T) {
	reader := newReader(member(&fakeRS{name: "a", body: `{"object":"list","data":[]}`}, "messages", "notes"),
		ended("b", "messages"))
	connection := "cin_a"
	for _, test := range []struct {
		asked  rs.OneSource
		absent string
	}{
		{rs.OneSource{Stream: "messages"}, `"connection_id":"cin_b"`},
		{rs.OneSource{Stream: "messages", ConnectionID: &connection}, ""},
		{rs.OneSource{Stream: "notes"}, ""},
	} {
		absences := tool.Absences(t.Context(), reader, rs.Request{Path: "/v1/streams/x/records", Sources: test.asked})
		if got := fmt.Sprintf("%s", absences); (test.absent == "") != (absences == nil) || !strings.Contains(got, test.absent) {
			t.Errorf("%+v is answered without %s, want %s", test.asked, got, test.absent)
		}
	}
}
