package filetext

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Lengths of the text that leads to a match, in code points.
const (
	ShortestLead = 60 // unless the text has less before the match
	longestLead  = 300
)

// leadStart returns where the text that leads to a match starts: at the beginning of a line or sentence, otherwise of a
// word, otherwise at the match. The lead is never longer than longest.
func leadStart(text []byte, match, longest int64) int64 {
	before := text[:skipRunes(text, match)]
	word := match
	for lead := int64(0); lead <= longest; lead++ {
		if len(before) == 0 || lead >= ShortestLead && endsSentence(before) {
			return match - lead
		}
		last, size := utf8.DecodeLastRune(before)
		if unicode.IsSpace(last) {
			word = match - lead
		}
		before = before[:len(before)-size]
	}
	return word
}

// endsSentence reports whether a line or sentence ends with the last character of a text.
func endsSentence(text []byte) bool {
	last, size := utf8.DecodeLastRune(text)
	if unicode.IsSpace(last) && last != '\n' {
		last, _ = utf8.DecodeLastRune(text[:len(text)-size])
		return strings.ContainsRune(".!?", last)
	}
	return strings.ContainsRune("\n。！？", last)
}
