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

// Nearest returns the name that the word certainly means: the only one that is most similar. It returns an empty string if there is
// none, or if the names only share a word.
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
	case len(shorter) > 2 && distance(a, b) == 1:
		return mistyped
	case len(shorter) > 3 && a[0] == b[0] && distance(a, b) == 2:
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

// distance returns how many letters to insert, delete, replace or swap with their neighbour to turn a into b. It stops early if the
// lengths differ by more than two.
func distance(a, b string) int {
	if tooFar := max(len(a), len(b)) - min(len(a), len(b)); tooFar > 2 {
		return tooFar
	}
	before, row := []int(nil), make([]int, len(b)+1)
	for column := range row {
		row[column] = column
	}
	for i := range len(a) {
		next := make([]int, len(b)+1)
		next[0] = i + 1
		for j := range len(b) {
			replaced := row[j]
			if a[i] != b[j] {
				replaced++
			}
			next[j+1] = min(replaced, row[j+1]+1, next[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				next[j+1] = min(next[j+1], before[j-1]+1)
			}
		}
		before, row = row, next
	}
	return row[len(b)]
}
