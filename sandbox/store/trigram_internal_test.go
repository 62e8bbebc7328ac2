package store

import (
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"
)

// simpleTrigrams returns the trigrams of a text, by their definition.
func simpleTrigrams(text string) map[string]bool {
	words := strings.FieldsFunc(strings.ToLower(text),
		func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	distinct := map[string]bool{}
	for _, word := range words {
		runes := []rune(" " + word + " ")
		for i := 0; i+3 <= len(runes); i++ {
			distinct[string(runes[i:i+3])] = true
		}
	}
	return distinct
}

// The coverage that the store counts equals the share of the query's trigrams in the set of the text's.
func TestCoverageEqualsItsDefinition(t *testing.T) {
	texts := rapid.OneOf(rapid.String(), rapid.StringMatching(`([a-dA-DéÉßİ1 .,\-]|overdraft){0,60}`))
	rapid.Check(t, func(t *rapid.T) {
		query, text := texts.Draw(t, "query"), texts.Draw(t, "text")
		wanted, occurring := simpleTrigrams(query), simpleTrigrams(text)
		q := newTrigramQuery(query)
		if len(q.places) != len(wanted) {
			t.Fatalf("%d trigrams, want %d", len(q.places), len(wanted))
		}
		if len(wanted) == 0 {
			return
		}
		found := 0
		for each := range wanted {
			if occurring[each] {
				found++
			}
		}
		if got, want := q.coverage(text), float64(found)/float64(len(wanted)); got != want {
			t.Fatalf("coverage is %v, want %v", got, want)
		}
	})
}
