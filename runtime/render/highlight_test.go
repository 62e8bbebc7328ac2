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
		clipped, _ := clipSnippet(highlight(snippet, []string{"over"}), rapid.IntRange(0, 40).Draw(t, "characters"))
		open := false
		for rest := clipped; ; {
			start, end := strings.Index(rest, openMark), strings.Index(rest, closeMark)
			switch {
			case start < 0 && end < 0:
				if open {
					t.Fatalf("%q leaves a tag open", clipped)
				}
				return
			case !open && start >= 0 && (end < 0 || start < end):
				open, rest = true, rest[start+len(openMark):]
			case open && end >= 0 && (start < 0 || end < start):
				open, rest = false, rest[end+len(closeMark):]
			default:
				t.Fatalf("%q is not balanced", clipped)
			}
		}
	})
}
