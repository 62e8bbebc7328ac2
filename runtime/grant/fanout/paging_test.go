package fanout_test

import (
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/pdppmcp/pdpp-mcp/runtime/grant/fanout"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
)

// pageThrough reads all pages with the given limits, each with a new reader like at another replica. It returns all
// hits in order.
func pageThrough(t tester, sources []fanout.Source, limit func() int) []string {
	t.Helper()
	keys, cursor := []string{}, ""
	for range 2_000 {
		size := limit()
		page := search(t, newReader(sources...), searchFor(size, cursor))
		if len(page.Data) > size {
			t.Fatalf("%d hits with limit %d", len(page.Data), size)
		}
		keys = append(keys, page.keys()...)
		if cursor = page.NextCursor; cursor == "" {
			return keys
		}
	}
	t.Fatal("paging does not end")
	return nil
}

// R-PKG-2, R-PKG-5: a search over sources with 1, 40 and 400 hits reaches the end, and its first page has hits of all
// three.
func TestPagingWalksEverySource(t *testing.T) {
	small, middle, large := &fakeRS{name: "a", hits: 1}, &fakeRS{name: "b", hits: 40}, &fakeRS{name: "c", hits: 400}
	keys := pageThrough(t, members(small, middle, large), func() int { return 7 })
	if diff := gocmp.Diff(turnsOf(small, middle, large), keys); diff != "" {
		t.Errorf("hits (-want +got):\n%s", diff)
	}
	if first := keys[:3]; first[0] != "a-0" || first[1] != "b-0" || first[2] != "c-0" {
		t.Errorf("first hits %q", first)
	}
	if asked := len(small.queries()); asked != 1 {
		t.Errorf("a source with one hit was asked %d times", asked)
	}
	for _, query := range large.queries()[:1] {
		if query != "q=overdraft&limit=2" {
			t.Errorf("the third of three sources was asked %q for its share of 7", query)
		}
	}
}

// R-PKG-5, R-BUD-3: all hits are returned once and in one order, for any sources, pages and limits.
func TestPagingShowsEveryHitOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var servers []*fakeRS
		var sources []fanout.Source
		for i := range rapid.IntRange(1, 6).Draw(t, "sources") {
			server := &fakeRS{
				name: string(rune('a' + i)),
				hits: rapid.SampledFrom([]int{0, 1, 2, 7, 40, 99, 150}).Draw(t, "hits"),
				wrapped: rapid.SampledFrom([]string{"", "records", "results", "hits", "data.results", "data.data"}).Draw(t,
					"wrapped"),
				largest: rapid.SampledFrom([]int{0, 0, 3, 10}).Draw(t, "largest"),
			}
			if server.hybrid = rapid.Bool().Draw(t, "hybrid"); server.hybrid {
				server.hits, server.largest = min(server.hits, 99), 0
			}
			servers, sources = append(servers, server), append(sources, member(server, "messages"))
		}
		keys, cursor := []string{}, ""
		for pages := 0; ; pages++ {
			if pages > 2_000 {
				t.Fatal("paging does not end")
			}
			limit := rapid.IntRange(1, 100).Draw(t, "limit")
			reader := newReader(sources...)
			request := searchFor(limit, cursor)
			merged, err := reader.Search(t.Context(), request)
			if err != nil {
				t.Fatal(err)
			}
			page := first(t, merged, request, limit)
			if shown := rapid.IntRange(0, limit-1).Draw(t, "shown"); shown > 0 && shown < len(page.Data) {
				part := first(t, merged, request, shown)
				if diff := gocmp.Diff(page.keys()[:shown], part.keys()); diff != "" {
					t.Fatalf("the smaller page is not the beginning (-want +got):\n%s", diff)
				}
				page = part
			}
			keys = append(keys, page.keys()...)
			if cursor = page.NextCursor; cursor == "" {
				break
			}
		}
		if diff := gocmp.Diff(turnsOf(servers...), keys); diff != "" {
			t.Fatalf("hits (-want +got):\n%s", diff)
		}
	})
}

// R-PKG-6: sources that fail sometimes lose and repeat nothing, except those that the last page names as missing.
func TestPagingOverFailingSources(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var servers []*fakeRS
		for i := range rapid.IntRange(1, 4).Draw(t, "sources") {
			fails := rapid.SliceOfN(rapid.IntRange(0, 3), 40, 40).Draw(t, "fails")
			servers = append(servers, &fakeRS{
				name: string(rune('a' + i)), hits: rapid.IntRange(0, 60).Draw(t, "hits"),
				largest: rapid.IntRange(1, 20).Draw(t, "largest"),
				fails: func(call int) error {
					if call < len(fails) && fails[call] == 0 {
						return &rs.Error{Status: 502, Code: "api_error", Message: "bad gateway"}
					}
					return nil
				},
			})
		}
		shown, cursor := map[string][]string{}, ""
		var last found
		for pages := 0; pages == 0 || cursor != ""; pages++ {
			if pages > 2_000 {
				t.Fatal("paging does not end")
			}
			response, err := ask(t.Context(), newReader(members(servers...)...),
				searchFor(rapid.IntRange(1, 30).Draw(t, "limit"), cursor))
			if err != nil {
				pages-- // every source failed; the same page is asked again
				continue
			}
			last = decode(t, response)
			for _, hit := range last.Data {
				shown[hit.ConnectionID] = append(shown[hit.ConnectionID], hit.RecordKey)
			}
			cursor = last.NextCursor
		}
		for _, server := range servers {
			want, got := turnsOf(server), shown["cin_"+server.name]
			if _, missing := last.reasons()["cin_"+server.name]; missing {
				want = want[:min(len(got), len(want))]
			}
			if diff := gocmp.Diff(want, append([]string{}, got...)); diff != "" {
				t.Fatalf("hits of %s (-want +got):\n%s", server.name, diff)
			}
		}
	})
}
