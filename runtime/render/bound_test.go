package render_test

import (
	"testing"
	"unicode/utf16"

	"pgregory.net/rapid"

	"github.com/pdppmcp/pdpp-mcp/runtime/render"
)

// R-BUD-2: characters are counted as hosts count them.
func TestLength(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "text")
		if want := len(utf16.Encode([]rune(text))); render.Length(text) != want {
			t.Fatalf("length %d, not %d", render.Length(text), want)
		}
	})
}

// The largest number that fits is found.
func TestLargest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		least := rapid.IntRange(0, 50).Draw(t, "least")
		most := least + rapid.IntRange(0, 40_000).Draw(t, "span")
		last := rapid.IntRange(least, most).Draw(t, "last that fits")
		if got := render.Largest(least, most, func(n int) bool { return n <= last }); got != last {
			t.Fatalf("%d, and %d fits", got, last)
		}
	})
}
