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
		if quoted := clipQuoted(text, bound+2); rawLength(quoted) > bound+2 {
			t.Fatalf("%s is longer than %d", quoted, bound+2)
		}
	})
}

// Ceiling shares a budget: pieces under it stay whole, and no greater ceiling would keep the budget.
func TestCeiling(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lengths := rapid.SliceOfN(rapid.IntRange(0, 50), 1, 10).Draw(t, "lengths")
		budget := rapid.IntRange(0, 300).Draw(t, "budget")
		used := func(ceiling int) int {
			total := 0
			for _, length := range lengths {
				total += min(length, ceiling)
			}
			return total
		}
		ceiling := Ceiling(lengths, budget)
		if used(ceiling) > budget {
			t.Fatalf("%d uses %d of %d", ceiling, used(ceiling), budget)
		}
		if more := used(ceiling + 1); more <= budget && more != used(ceiling) {
			t.Fatalf("%d could be more", ceiling)
		}
	})
}
