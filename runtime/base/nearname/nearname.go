// Package nearname finds the known name that is nearest to a wrong one. Everything that asks "did you mean" uses it.
package nearname

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
)

// Degrees of likeness, the nearest first.
const (
	sameLetters = iota // except for case and separators: receivedAt, received_at
	sameNoun           // except for a plural: message, messages
	mistyped           // one letter
	misspelt           // two letters, not the first
	within             // one contains the other: date, send_date
	sharesWord         // sender_email, from_email
	unlike
)

// Order returns the names with the most similar first. Equally similar names keep their order.
func Order(word string, names []string) []string {
	return slices.SortedStableFunc(slices.Values(names), func(a, b string) int {
		return cmp.Compare(likeness(word, a), likeness(word, b))
	})
}

// Nearest returns the name that the word certainly means: the only one that is most similar. It returns an empty string
// without such a name, and if the names only share a word.
func Nearest(word string, names []string) string {
	best, nearest := sharesWord, ""
	for _, name := range names {
		switch degree := likeness(word, name); {
		case degree < best:
			best, nearest = degree, name
		case degree == best && name != nearest:
			nearest = ""
		}
	}
	return nearest
}

func likeness(word, name string) int {
	words, names := wordsOf(word), wordsOf(name)
	a, b := strings.Join(words, ""), strings.Join(names, "")
	shorter, longer := a, b
	if len(shorter) > len(longer) {
		shorter, longer = b, a
	}
	switch {
	case shorter == "":
		return unlike
	case a == b:
		return sameLetters
	case longer == shorter+"s" || longer == strings.TrimSuffix(shorter, "y")+"ies":
		return sameNoun
	case len(shorter) > 2 && isWithin(a, b, 1):
		return mistyped
	case len(shorter) > 3 && a[0] == b[0] && isWithin(a, b, 2):
		return misspelt
	case len(shorter) > 2 && strings.Contains(longer, shorter):
		return within
	case slices.ContainsFunc(words, func(each string) bool { return len(each) > 2 && slices.Contains(names, each) }):
		return sharesWord
	}
	return unlike
}

// wordsOf returns the words of a name in lower case, split at separators and before capitals.
func wordsOf(name string) []string {
	var spaced strings.Builder
	wasLower := false
	for _, r := range name {
		if unicode.IsUpper(r) && wasLower {
			spaced.WriteByte(' ')
		}
		wasLower = unicode.IsLower(r)
		spaced.WriteRune(unicode.ToLower(r))
	}
	return strings.FieldsFunc(spaced.String(), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// isWithin reports whether a becomes b if up to n letters are inserted, deleted, replaced or swapped with their
// neighbour.
func isWithin(a, b string, n int) bool {
	for a != "" && b != "" && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	if n == 0 || a == "" || b == "" {
		return len(a)+len(b) <= n
	}
	isSwapped := len(a) > 1 && len(b) > 1 && a[0] == b[1] && a[1] == b[0]
	return isWithin(a[1:], b[1:], n-1) || isWithin(a[1:], b, n-1) || isWithin(a, b[1:], n-1) || isSwapped &&
		isWithin(a[2:], b[2:], n-1)
}
