package fanout_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/pdppmcp/pdpp-mcp/runtime/grant/fanout"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// firstCursor returns a cursor of a search over two sources, and its content.
func firstCursor(t tester) (string, string) {
	t.Helper()
	page := search(t, newReader(members(&fakeRS{name: "a", hits: 40}, &fakeRS{name: "b", hits: 40})...), searchFor(7, ""))
	text, err := base64.RawURLEncoding.DecodeString(page.NextCursor)
	if err != nil {
		t.Fatal(err)
	}
	return page.NextCursor, string(text)
}

// R-PKG-5: a cursor continues only its own search. Any other is refused before any read.
func TestCursorsAreCheckedStrictly(t *testing.T) {
	real, text := firstCursor(t)
	changed := func(old, replacement string) string {
		if !strings.Contains(text, old) {
			t.Fatalf("%s has no %s", text, old)
		}
		return base64.RawURLEncoding.EncodeToString([]byte(strings.Replace(text, old, replacement, 1)))
	}
	otherWords, otherMode, otherFilter := searchFor(7, real), searchFor(7, real), searchFor(7, real)
	otherWords.Query = otherWords.Query.With("q", "notice")
	otherMode.Path = rs.JoinPath("v1", "search", "semantic")
	otherFilter.Query.Set("filter[is_seen]", "true")
	for name, request := range map[string]rs.Request{
		"not base64":         withCursor("!" + real),
		"padded":             withCursor(real + "=="),
		"not JSON":           withCursor(base64.RawURLEncoding.EncodeToString([]byte("cursor"))),
		"another version":    withCursor(changed(`"v":1`, `"v":2`)),
		"no version":         withCursor(changed(`"v":1,`, "")),
		"a member more":      withCursor(changed(`"v":1`, `"v":1,"x":1`)),
		"something after it": withCursor(base64.RawURLEncoding.EncodeToString([]byte(text + " {}"))),
		"another spelling":   withCursor(changed(`"v":1`, `"v": 1`)),
		"a foreign grant":    withCursor(changed(`"grt_a"`, `"grt_foreign"`)),
		"a grant twice":      withCursor(changed(`"grt_a"`, `"grt_b"`)),
		"a negative place":   withCursor(changed(`"c":"a@4"`, `"c":"a@4","k":-1`)),
		"a negative count":   withCursor(changed(`"n":80`, `"n":-1`)),
		"no place": withCursor(
			base64.RawURLEncoding.EncodeToString([]byte(text[:strings.Index(text, `"s":`)] + `"s":[]}`))),
		"too long":              withCursor(strings.Repeat("A", 3_001)),
		"of one source":         withCursor("a@4"),
		"of other words":        otherWords,
		"of another mode":       otherMode,
		"of another filter":     otherFilter,
		"of other streams":      searchFor(7, real, "messages"),
		"of a source's version": withCursor(changed(`"q":"`, `"q":"x`)),
	} {
		t.Run(name, func(t *testing.T) {
			a, b := &fakeRS{name: "a", hits: 40}, &fakeRS{name: "b", hits: 40}
			refusal := refusedWith(t, tool.InvalidArguments, newReader(members(a, b)...), request)
			untouched(t, a, b)
			if refusal.Param != "cursor" || !strings.Contains(refusal.Message, "without cursor") {
				t.Errorf("%+v", refusal)
			}
		})
	}
	for cursor, want := range map[string]string{real: "b-3", "": "a-0"} {
		page := search(t, newReader(members(&fakeRS{name: "a", hits: 40}, &fakeRS{name: "b", hits: 40})...),
			withCursor(cursor))
		if len(page.Data) != 7 || page.keys()[0] != want {
			t.Errorf("cursor %q: %q", cursor, page.keys())
		}
	}
}

func withCursor(cursor string) rs.Request {
	request := searchFor(7, "")
	request.Query.Set("cursor", cursor)
	return request
}

// The order of a filter does not matter.
func TestCursorIgnoresTheOrderOfParameters(t *testing.T) {
	ask := func(cursor string, names ...string) found {
		request := searchFor(3, cursor)
		for _, name := range names {
			request.Query.Set(name, "1")
		}
		return search(t, newReader(members(&fakeRS{name: "a", hits: 9})...), request)
	}
	first := ask("", "filter[a]", "filter[b]")
	if page := ask(first.NextCursor, "filter[b]", "filter[a]"); page.keys()[0] != "a-3" {
		t.Errorf("%q", page.keys())
	}
}

// A source whose grant ended between two pages is named. One that left the package is refused.
func TestCursorAfterAChangeOfThePackage(t *testing.T) {
	cursor, _ := firstCursor(t)
	b := &fakeRS{name: "b", hits: 40}
	page := search(t, newReader(member(b, "messages"), ended("a", "messages")), searchFor(5, cursor))
	if page.keys()[0] != "b-3" || page.reasons()["cin_a"] != "grant_inactive" {
		t.Errorf("%q %v", page.keys(), page.reasons())
	}
	refusedWith(t, tool.InvalidArguments, newReader(member(b, "messages")), searchFor(5, cursor))

	fresh := &fakeRS{name: "c", hits: 40}
	search(t, newReader(members(&fakeRS{name: "a", hits: 40}, b, fresh)...), searchFor(5, cursor))
	untouched(t, fresh)
}

// R-ERR-1: a source's refusal of its cursor is returned unchanged, with the source.
func TestExpiredPlaceIsPassedOn(t *testing.T) {
	cursor, _ := firstCursor(t)
	expired := &rs.Error{
		Status: 400, Type: "invalid_request_error", Code: "invalid_cursor",
		Message:  "Cursor refers to an expired or unknown snapshot",
		Envelope: []byte(`{"code":"invalid_cursor","message":"Cursor refers to an expired or unknown snapshot"}`),
		URL:      "http://internal/v1/search?cursor=b@3",
	}
	reader := newReader(members(&fakeRS{name: "a", hits: 40},
		&fakeRS{name: "b", fails: func(int) error { return expired }})...)
	_, err := ask(t.Context(), reader, searchFor(7, cursor))
	var refused *rs.Error
	if !errors.As(err, &refused) || refused.Code != "invalid_cursor" || strings.Contains(refused.URL, "internal") {
		t.Fatalf("%v", err)
	}
	want := `{"code":"invalid_cursor","message":"Cursor refers to an expired or unknown snapshot","grant_id":"grt_b",` +
		`"connector_key":"gmail",` +
		`"connection_id":"cin_b","display_name":"The b","next_step":"search again without cursor"}`
	if diff := gocmp.Diff(want, string(refused.Envelope)); diff != "" {
		t.Errorf("envelope (-want +got):\n%s", diff)
	}
}

// R-BUD-2, R-PKG-5: the cursor of a large package is limited. If the cursors of the sources are too long, positions are
// counted from the start. If those are too long too, a warning says so.
func TestCursorsAreBounded(t *testing.T) {
	packageOf := func(sources int) ([]fanout.Source, []*fakeRS) {
		var servers []*fakeRS
		for i := range sources {
			servers = append(servers,
				&fakeRS{name: fmt.Sprintf("a-source-with-cursors-as-long-as-those-of-real-ones-are-%03d", i), hits: 9})
		}
		sourcesOf := members(servers...)
		for i := range sourcesOf {
			sourcesOf[i].GrantID = fmt.Sprintf("grt_%016d", i)
		}
		return sourcesOf, servers
	}
	sources, servers := packageOf(50)
	keys, cursor := []string{}, ""
	for pages := 0; pages == 0 || cursor != "" && pages < 100; pages++ {
		page := search(t, newReader(sources...), searchFor(90, cursor))
		keys = append(keys, page.keys()...)
		if cursor = page.NextCursor; len(cursor) > 3_000 {
			t.Fatalf("%d characters", len(cursor))
		}
	}
	if diff := gocmp.Diff(turnsOf(servers...), keys); diff != "" {
		t.Errorf("hits (-want +got):\n%s", diff)
	}

	sources, _ = packageOf(400)
	response, err := ask(t.Context(), newReader(sources...), searchFor(90, ""))
	if err != nil || !strings.Contains(string(response.Body()), `"cursor_too_large"`) ||
		strings.Contains(string(response.Body()), "next_cursor") {
		t.Errorf("%v: %s", err, response.Body())
	}
}

// oneHitAtATime is a source whose pages have a hit, and a cursor in its own spelling.
type oneHitAtATime struct {
	cursor string

	mu   sync.Mutex
	sent string
}

func (s *oneHitAtATime) ProviderURL() string { return provider }

func (s *oneHitAtATime) Get(_ context.Context, request rs.Request) (*rs.Response, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sent, _ = request.Query.Get("cursor")
	next, err := json.Marshal(s.cursor)
	if err != nil {
		return nil, err
	}
	body := fmt.Sprintf(`{"object":"list","data":[{"stream":"messages","record_key":"m1"}],"has_more":true,`+
		`"next_cursor":%s}`, next)
	return rs.Response{Status: 200, Request: request}.WithBody([]byte(body))
}

// R-PKG-5: a source gets its own cursor back unchanged.
func TestCursorsOfSourcesComeBack(t *testing.T) {
	object := rapid.SampledFrom([]string{
		`{"off":5,"snap":"snap_0368544897a28d1bb5ecc9c9fe808723","rev":5753}`, `{"a":"<é\u2028😀>"}`, `{ "a": 1 }`,
		`{"a":1,"a":2}`, `{}`, `{"a":`, `[1]`, "{\"a\":\"\xff\"}",
	})
	rapid.Check(t, func(t *rapid.T) {
		spell := rapid.SampledFrom([]func([]byte) string{
			base64.RawURLEncoding.EncodeToString, base64.URLEncoding.EncodeToString, base64.StdEncoding.EncodeToString,
			func(text []byte) string { return strings.ToValidUTF8(string(text), "?") },
			func(text []byte) string { return "sem1." + base64.RawURLEncoding.EncodeToString(text) },
		}).Draw(t, "spell")
		source := &oneHitAtATime{cursor: spell([]byte(object.Draw(t, "object")))}
		reader := fanout.New([]fanout.Source{{
			GrantID: "grt_1", ConnectionID: "cin_1", Streams: []string{"messages"},
			Reader: source,
		}}, fanout.Options{ProviderURL: provider})
		first := search(t, reader, searchFor(1, ""))
		search(t, reader, searchFor(1, first.NextCursor))
		if source.sent != source.cursor {
			t.Fatalf("the source's cursor %q comes back as %q", source.cursor, source.sent)
		}
	})
}
