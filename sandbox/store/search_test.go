package store_test

import (
	"testing"

	"github.com/pdppmcp/pdpp-mcp/sandbox/store"
)

func TestSearchSeesTextsOfArrays(t *testing.T) {
	s := open(t, "", notes(raw("a", `{"tags":["blue moon","river"]}`), raw("b", `{"text":"river"}`)))
	hits, err := s.Search(t.Context(), "river", scope())
	if err != nil || len(hits) != 2 {
		t.Fatalf("found %v, %v", hits, err)
	}
	only := []store.SearchScope{{Selection: everything, Fields: []string{"tags"}}}
	if hits, err = s.Search(t.Context(), "river", only); err != nil || len(hits) != 1 || hits[0].Key != "a" {
		t.Errorf("in tags: found %v, %v", hits, err)
	}
}

func TestSnippetCutsALongText(t *testing.T) {
	long := ""
	for range 100 {
		long += "word "
	}
	s := open(t, "", notes(note("a", "2026-01-01T00:00:00Z", long+"needle "+long),
		note("b", "2026-01-01T00:00:00Z", "needle")))
	hits, err := s.Search(t.Context(), "needle", scope())
	if err != nil || len(hits) != 2 {
		t.Fatalf("found %d, %v", len(hits), err)
	}
	for _, hit := range hits {
		text, truncated, err := s.Snippet(t.Context(), "needle", hit.Matches[0])
		if err != nil || truncated != (hit.Key == "a") || hit.Key == "b" && text != "<mark>needle</mark>" {
			t.Errorf("%s: %q, %v, %v", hit.Key, text, truncated, err)
		}
	}
}

// Whatever a person types, a search ends without an error, and what it finds has a snippet.
func FuzzSearch(f *testing.F) {
	for _, seed := range []string{
		"word", `"two words"`, `"open`, "NOT", "a AND (b", "col:x", "*", "-", "'", "\x00",
		"0\x00", "é", "x*",
	} {
		f.Add(seed)
	}
	s, err := store.Open(f.Context(), "")
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { _ = s.Close() })
	if err := s.Load(f.Context(),
		notes(note("a", "2026-01-01T00:00:00Z", "two words and a word, NOT col x é"))); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, query string) {
		hits, err := s.Search(t.Context(), query, scope())
		if err != nil {
			t.Fatalf("search %q: %v", query, err)
		}
		for _, hit := range hits {
			if _, _, err := s.Snippet(t.Context(), query, hit.Matches[0]); err != nil {
				t.Errorf("snippet for %q: %v", query, err)
			}
		}
		if _, err := s.Similar(t.Context(), query, scope()); err != nil {
			t.Errorf("similar to %q: %v", query, err)
		}
	})
}
