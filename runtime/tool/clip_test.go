package tool_test

import (
	"strings"
	"testing"
	"unicode/utf16"

	"pgregory.net/rapid"

	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// R-BUD-2: characters are counted as hosts count them, and a cut never passes the bound.
func TestClip(t *testing.T) {
	length := func(text string) int { return len(utf16.Encode([]rune(text))) }
	rapid.Check(t, func(t *rapid.T) {
		text, bound := rapid.String().Draw(t, "text"), rapid.IntRange(0, 20).Draw(t, "bound")
		clipped := tool.Clip(text, bound)
		if length(clipped) > bound || clipped != text && length(text) <= bound || !strings.HasPrefix(text, clipped) {
			t.Fatalf("%q to %d: %q", text, bound, clipped)
		}
		if shown := tool.Shorten(text, bound); (shown == text) != (clipped == text) || !strings.HasPrefix(shown, clipped) {
			t.Fatalf("%q to %d: %q", text, bound, shown)
		}
	})
}
