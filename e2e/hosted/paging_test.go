package hosted_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pdppmcp/pdpp-mcp/e2e/journey"
)

// R-PKG-2, R-PKG-5, R-SEARCH-9, R-BUD-3: sources with 1, 40 and 400 hits are paged to the end, each hit once, and
// with room for all of them in a result. The pages come from two replicas in turn, with tokens of before
// and after a refresh: a cursor holds all state of a search.
func TestPackageIsPagedToItsEnd(t *testing.T) {
	for _, limit := range []int{7, 100} {
		for _, channel := range journey.Channels {
			t.Run(fmt.Sprintf("%d/%s", limit, channel.Name), func(t *testing.T) { pageToTheEnd(t, limit, channel) })
		}
	}
}

func pageToTheEnd(t *testing.T, limit int, channel journey.Channel) {
	t.Helper()
	p := newProvider(t, member{name: "many", hits: 400}, member{name: "one", hits: 1}, member{name: "some", hits: 40})
	sessions := []*mcp.ClientSession{
		p.session(t, "first"),
		p.session(t, "refreshed"),
	}
	want := map[string]int{}
	for _, m := range p.members {
		for i := range m.hits {
			want[fmt.Sprintf("%s/messages:m%d", m.connectionID(), i)] = 1
		}
	}
	seen, cursor, pages := map[string]int{}, "", 0
	for pages == 0 || cursor != "" {
		result := call(t.Context(), t, sessions[pages%2], "search", searchOf(limit, cursor))
		shown := channel.Show(t, result)
		page, err := channel.Read.Hits(shown)
		if err != nil || result.IsError {
			t.Fatalf("%v\n%s", err, shown)
		}
		if len(page.IDs()) > limit || len(page.IDs()) < limit && page.HasMore || page.HasMore != (page.Cursor != "") {
			t.Errorf("page %d has %d hits, more=%t and the cursor %q", pages, len(page.IDs()), page.HasMore, page.Cursor)
		}
		if pages == 0 {
			checkSources(t, p, page.IDs())
		}
		for _, id := range page.IDs() {
			seen[id]++
		}
		cursor = page.Cursor
		if pages++; pages > len(want) {
			t.Fatal("the pages do not end")
		}
	}
	for id, times := range seen {
		if times != want[id] {
			t.Errorf("%s is shown %d times, want %d", id, times, want[id])
		}
	}
	if full := (len(want) + limit - 1) / limit; len(seen) != len(want) || pages != full {
		t.Errorf("%d pages show %d hits of %d", pages, len(seen), len(want))
	}
	for _, bearer := range p.take() {
		if strings.HasPrefix(bearer, "package") {
			t.Fatal("a package token reached the resource server")
		}
	}
}

func searchOf(limit int, cursor string) string {
	if cursor == "" {
		return fmt.Sprintf(`{"q":"note","limit":%d}`, limit)
	}
	return fmt.Sprintf(`{"q":"note","limit":%d,"cursor":%q}`, limit, cursor)
}

// checkSources checks that every source has a hit on the first page.
func checkSources(t *testing.T, p *provider, ids []string) {
	t.Helper()
	for _, m := range p.members {
		if !slices.ContainsFunc(ids, func(id string) bool { return strings.HasPrefix(id, m.connectionID()+"/") }) {
			t.Errorf("the first page shows nothing of %s: %q", m.name, ids)
		}
	}
}

// R-PKG-5, R-HOST-5: the cursor of one package is refused with another package's token, and no source is read.
func TestCursorOfAnotherPackage(t *testing.T) {
	p := newProvider(t, member{name: "many", hits: 40}, member{name: "some", hits: 40})
	page, err := journey.Channels[0].Read.Hits(journey.Text(t,
		call(t.Context(), t, p.session(t, "x"), "search", searchOf(7, ""))))
	if err != nil || page.Cursor == "" {
		t.Fatalf("%+v, %v", page, err)
	}
	other := newProvider(t, member{name: "elsewhere", hits: 40}, member{name: "some", hits: 40})
	result := call(t.Context(), t, other.session(t, "x"), "search", searchOf(7, page.Cursor))
	for _, channel := range journey.Channels {
		if refusal, refused := channel.Read.Refusal(channel.Show(t, result)); !refused ||
			refusal.Code != "invalid_arguments" {
			t.Errorf("%s: %s", channel.Name, channel.Show(t, result))
		}
	}
	if asked := other.take(); len(asked) > 0 {
		t.Errorf("the resource server was asked %d times", len(asked))
	}
}
