package filetext

import (
	"bytes"
	"iter"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Match is a place of words in a text, in code points.
type Match struct{ Start, End int64 }

// Matches returns the places of words in a text, which do not overlap. It ignores case, Unicode normalization and soft
// hyphens, and any white space matches any other (R-WIN-4).
func Matches(text []byte, words string) iter.Seq[Match] {
	return func(yield func(Match) bool) {
		needle := folded([]byte(words))
		if len(needle) == 0 {
			return
		}
		searched := folded(text)
		places := folder{text: text}
		for from := 0; ; {
			i := bytes.Index(searched[from:], needle)
			if i < 0 {
				return
			}
			start, end := from+i, from+i+len(needle)
			if from = end; startsWithMark(searched[start:]) || startsWithMark(searched[end:]) {
				from = start + 1 // it begins or ends inside of a character
			} else if !yield(places.sourceOf(start, end)) {
				return
			}
		}
	}
}

// startsWithMark reports whether a folded text begins with a mark of the character before it.
func startsWithMark(text []byte) bool {
	r, _ := utf8.DecodeRune(text)
	return unicode.Is(unicode.Mn, r)
}

// folded returns a text in the form in which it is compared.
func folded(text []byte) []byte {
	f := folder{text: text, result: make([]byte, 0, len(text))}
	for f.next() {
	}
	return f.result
}

// folder folds a text character by character.
type folder struct {
	text    []byte
	at      int   // in the text, in bytes
	source  int64 // in the text, in code points
	last    int64 // where the last character begins, in code points
	length  int   // of the folded text
	isSpace bool  // the last character was white space
	result  []byte
}

// sourceOf returns the place of the characters that make a part of the folded text. The next part must begin behind
// this one.
func (f *folder) sourceOf(start, end int) Match {
	for f.length <= start && f.next() {
	}
	match := Match{Start: f.last}
	for f.length < end && f.next() {
	}
	match.End = f.source
	return match
}

// next folds the next character with its combining marks. It is false at the end of the text.
func (f *folder) next() bool {
	if f.at == len(f.text) {
		return false
	}
	rest := f.text[f.at:]
	f.last = f.source
	if rest[0] < utf8.RuneSelf && (len(rest) == 1 || rest[1] < utf8.RuneSelf) {
		f.at, f.source = f.at+1, f.source+1
		f.add(rune(rest[0]))
		return true
	}
	size := max(norm.NFKD.NextBoundary(rest, true), 1)
	f.at, f.source = f.at+size, f.source+int64(utf8.RuneCount(rest[:size]))
	for _, r := range string(norm.NFKD.Bytes(rest[:size])) {
		f.add(r)
	}
	return true
}

const softHyphen = '\u00ad'

func (f *folder) add(r rune) {
	isSpace := unicode.IsSpace(r)
	switch {
	case r == softHyphen, isSpace && f.isSpace:
		return
	case isSpace:
		r = ' '
	default:
		r = unicode.ToLower(unicode.ToUpper(r))
	}
	f.isSpace = isSpace
	f.length += utf8.RuneLen(r)
	if f.result != nil {
		f.result = utf8.AppendRune(f.result, r)
	}
}
