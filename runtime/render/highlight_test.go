package render

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/pdppmcp/pdpp-mcp/e2e/timetest"
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
	for _, seed := range []string{
		"<mark>over</mark>draft", "[[[over]]]draft ⟦", "a <b>over</b> **over** <mar",
		"\x01over\x02", ">>>over<<<",
	} {
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

// R-ERR-9: a snippet of any size takes time in proportion to its size, whatever marks it has. The first match stays in
// view.
func TestHostileSnippets(t *testing.T) {
	const count = 400_000
	for _, test := range []struct{ name, snippet, want string }{
		{"tags that are never closed", strings.Repeat("<mark>", count), ""},
		{"tags that close nothing", strings.Repeat("</mark>", count), ""},
		{"one mark for both ends", strings.Repeat("*", count), ""},
		{"sure marks", strings.Repeat("⟦", count), ""},
		{"a match far behind", strings.Repeat("é ", count) + "<mark>over</mark>draft", "<mark>over</mark>draft"},
	} {
		began := timetest.Spent()
		shown, _, _ := shownSnippet(test.snippet, []string{"over"})
		if took := timetest.Spent() - began; took > time.Second {
			t.Errorf("%s: took %s", test.name, took)
		}
		if utf8.RuneCountInString(shown) > snippetCharacters+len(closeMark)+1 || !strings.HasSuffix(shown, test.want) {
			t.Errorf("%s: shows %q", test.name, shown)
		}
	}
}
