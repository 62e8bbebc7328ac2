package toolspec

import (
	"fmt"
	"strings"
)

// unknown says that a word is none of the known ones, and which was meant.
func unknown(noun, word string, known []string) string {
	message := fmt.Sprintf("unknown %s %q", noun, word)
	if near := nearest(word, known); near != "" {
		return message + fmt.Sprintf("; did you mean %q?", near)
	}
	if len(known) == 0 {
		return message + "; there are none here"
	}
	return message + "; use one of " + strings.Join(known, ", ")
}

// nearest is the known word that the given one begins, or that a typing mistake could have turned into
// it, or empty.
func nearest(word string, known []string) string {
	best, bestDistance := "", 3
	for _, candidate := range known {
		if len(word) > 3 && strings.HasPrefix(candidate, word) {
			return candidate
		}
		if distance := editDistance(word, candidate); distance < bestDistance && distance < len(candidate) {
			best, bestDistance = candidate, distance
		}
	}
	return best
}

// editDistance is the number of letters to insert, delete or replace to turn a into b (Levenshtein).
// It stops counting where the lengths alone rule a typing mistake out.
func editDistance(a, b string) int {
	if tooFar := max(len(a), len(b)) - min(len(a), len(b)); tooFar > 2 {
		return tooFar
	}
	row := make([]int, len(b)+1)
	for column := range row {
		row[column] = column
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replace := diagonal
			if a[i] != b[j] {
				replace++
			}
			diagonal = row[j+1]
			row[j+1] = min(replace, row[j+1]+1, row[j]+1)
		}
	}
	return row[len(b)]
}
