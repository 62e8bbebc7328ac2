// Package nearname finds, among the names that there are, the one that a wrong name was meant as. It knows nothing of what
// the names are of.
package nearname

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
)

// Degrees of likeness, the nearest first.
const (
	sameLetters = iota // but for case and what stands between words: receivedAt, received_at
	sameNoun           // but for a plural: message, messages
	mistyped           // one letter
	misspelt           // two letters, none of them the first
	within             // one is a part of the other: date, send_date
	sharesWord         // sender_email, from_email
	unlike
)

// Order is the names with those that are like the word first, the nearest in front. The others keep their order.
func Order(word string, names []string) []string {
	return slices.SortedStableFunc(slices.Values(names), func(a, b string) int {
		return cmp.Compare(likeness(word, a), likeness(word, b))
	})
}

// Meant is the name that the word was meant as: the only one that is most like it. It is empty when there is none, or when
// a word in common is all.
func Meant(word string, names []string) string {
	best, meant := sharesWord, ""
	for _, name := range names {
		switch degree := likeness(word, name); {
		case degree < best:
			best, meant = degree, name
		case degree == best && name != meant:
			meant = ""
		}
	}
	return meant
}

func likeness(word, name string) int {
	a, b := letters(word), letters(name)
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
	case slices.ContainsFunc(words(word), func(each string) bool { return len(each) > 2 && slices.Contains(words(name), each) }):
		return sharesWord
	}
	return unlike
}

// letters are the letters and digits of a name, in lower case.
func letters(name string) string { return strings.Join(words(name), "") }

// words are the words of a name in lower case, whether case or a separator tells them apart.
func words(name string) []string {
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

// distance is the number of letters to insert, delete, replace or swap with their neighbour to turn a into b. It stops
// counting where the lengths alone rule a typing mistake out.
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
