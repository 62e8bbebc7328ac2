package render

import (
	"testing"
	"unicode/utf16"

	"pgregory.net/rapid"
)

// R-BUD-2: characters are counted as hosts count them, and a cut never passes the bound.
func TestClip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text, bound := rapid.String().Draw(t, "text"), rapid.IntRange(0, 20).Draw(t, "bound")
		if want := len(utf16.Encode([]rune(text))); Length(text) != want {
			t.Fatalf("length %d, not %d", Length(text), want)
		}
		clipped := Clip(text, bound)
		if Length(clipped) > bound || clipped != text && Length(text) <= bound || text[:len(clipped)] != clipped {
			t.Fatalf("%q to %d: %q", text, bound, clipped)
		}
	})
}

// The widest ceiling that fits is found, up to a few characters, and never a wider one.
func TestWidest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		least := rapid.IntRange(0, 50).Draw(t, "least")
		most := least + rapid.IntRange(0, 40_000).Draw(t, "span")
		last := rapid.IntRange(least, most).Draw(t, "last that fits")
		if got := widest(least, most, func(shown int) int { return last - shown }); got > last || got < last-15 {
			t.Fatalf("%d, and %d fits", got, last)
		}
	})
}
