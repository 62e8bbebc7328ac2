package store

import "unicode"

// trigram is three consecutive letters of a lower-cased word with a blank before and after it.
type trigram [3]rune

// trigramQuery is the distinct trigrams of a query. It counts them in texts of any length without storing the text's
// trigrams.
type trigramQuery struct {
	places map[trigram]int
	maybe  [1024]bool // by hash: false for nearly every other trigram, so that few map lookups are needed
}

func newTrigramQuery(query string) *trigramQuery {
	q := &trigramQuery{places: map[trigram]int{}}
	eachTrigram(query, func(t trigram) bool {
		if _, known := q.places[t]; !known {
			q.places[t] = len(q.places)
		}
		q.maybe[t.sum()] = true
		return true
	})
	return q
}

// coverage returns the share of the query's trigrams that a text has, from 0 to 1. The query has at least one.
func (q *trigramQuery) coverage(text string) float64 {
	seen := make([]bool, len(q.places))
	found := 0
	eachTrigram(text, func(t trigram) bool {
		if !q.maybe[t.sum()] {
			return true
		}
		if place, wanted := q.places[t]; wanted && !seen[place] {
			seen[place] = true
			found++
		}
		return found < len(seen)
	})
	return float64(found) / float64(len(q.places))
}

func (t trigram) sum() uint32 {
	return (uint32(t[0])*131 + uint32(t[1])*31 + uint32(t[2])) % 1024
}

// eachTrigram calls yield with each trigram of a text in order, repetitions included, until yield returns false.
func eachTrigram(text string, yield func(trigram) bool) {
	last := trigram{}
	length := 0 // of the word so far, the blank before it counted
	take := func(r rune) bool {
		last = trigram{last[1], last[2], r}
		length++
		return length < 3 || yield(last)
	}
	for _, r := range text {
		r = unicode.ToLower(r)
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			if length > 0 && !take(' ') {
				return
			}
			length = 0
			continue
		}
		if length == 0 {
			take(' ')
		}
		if !take(r) {
			return
		}
	}
	if length > 0 {
		take(' ')
	}
}
