package render

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// R-SEARCH-8: tags are balanced, sentinels become tags or go, and prose stays prose.
func TestHighlight(t *testing.T) {
	for _, test := range []struct{ snippet, want string }{
		{"<mark>Overdraft</mark> notice", "<mark>Overdraft</mark> notice"},
		{"an <mark>overdraft", "an overdraft"},
		{"overdraft</mark> fee", "overdraft fee"},
		{"<mark>a <mark>b</mark></mark> c", "<mark>a b</mark> c"},
		{`<MARK class="hit">overdraft</MARK>`, "<mark>overdraft</mark>"},
		{"[[[overdraft]]] fee", "<mark>overdraft</mark> fee"},
		{">>>overdraft<<< fee", "<mark>overdraft</mark> fee"},
		{"⟦overdraft⟧ ⟦fee", "<mark>overdraft</mark> fee"},
		{"overdraft⟧ fee", "overdraft fee"},
		{"[overdraft] fee", "<mark>overdraft</mark> fee"},
		{"**Overdraft** fee", "<mark>Overdraft</mark> fee"},
		{"«overdraft» fee", "<mark>overdraft</mark> fee"},
		{"<b>overdraft</b> fee", "<mark>overdraft</mark> fee"},
		{"il dit «bonjour» [sic] __init__", "il dit «bonjour» [sic] __init__"},
		{"a < b && c > d", "a < b && c > d"},
	} {
		if got := highlight(test.snippet, []string{"overdraft"}); got != test.want {
			t.Errorf("%s became %s, not %s", test.snippet, got, test.want)
		}
	}
}

// R-SEARCH-8: no snippet and no cut leaves a tag open.
func TestHighlightAlwaysBalanced(t *testing.T) {
	pieces := []string{"<mark>", "</mark>", "[", "]", "**", "⟦", "⟧", "over", "draft", " ", "<", "😀", "<b>", "</b>"}
	rapid.Check(t, func(t *rapid.T) {
		snippet := strings.Join(rapid.SliceOf(rapid.SampledFrom(pieces)).Draw(t, "snippet"), "")
		checkBalanced(t, snippet, rapid.IntRange(0, 40).Draw(t, "characters"))
	})
}

// R-SEARCH-8: the same of any bytes that a server may send.
func FuzzHighlight(f *testing.F) {
	for _, seed := range []string{"<mark>over</mark>draft", "[[[over]]]draft ⟦", "a <b>over</b> **over** <mar", "\x01over\x02", ">>>over<<<"} {
		f.Add(seed, 12)
	}
	f.Fuzz(func(t *testing.T, snippet string, characters int) { checkBalanced(t, snippet, characters) })
}

// checkBalanced checks that a snippet of a number of characters has balanced tags or none.
func checkBalanced(t interface{ Fatalf(string, ...any) }, snippet string, characters int) {
	clipped, _ := clipSnippet(highlight(snippet, []string{"over"}), characters)
	for rest := clipped; ; {
		before, after, opened := strings.Cut(rest, openMark)
		inside, behind, closed := strings.Cut(after, closeMark)
		if strings.Contains(before, closeMark) || opened && (!closed || strings.Contains(inside, openMark)) {
			t.Fatalf("%q is not balanced", clipped)
		}
		if !opened {
			return
		}
		rest = behind
	}
}
