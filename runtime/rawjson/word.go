package rawjson

import "math/bits"

// Most of a page is the inside of strings, and most of that needs no look at a single byte. So texts are
// looked at in words of eight bytes. In what the expressions below give, the highest bit of a byte says that
// the byte is meant. A borrow or a carry can set it too, in a byte that comes after one that is meant: the
// first one is always right.
const (
	wordBytes   = 8
	lowest      = 0x0101010101010101
	highest     = 0x8080808080808080
	quotes      = lowest * '"'
	backslashes = lowest * '\\'
	spaces      = lowest * ' '
)

// wordAt reads eight bytes, the first one lowest. The compiler makes one load of it.
func wordAt[T string | ~[]byte](text T, at int) uint64 {
	eight := text[at : at+wordBytes]
	return uint64(eight[0]) | uint64(eight[1])<<8 | uint64(eight[2])<<16 | uint64(eight[3])<<24 |
		uint64(eight[4])<<32 | uint64(eight[5])<<40 | uint64(eight[6])<<48 | uint64(eight[7])<<56
}

// special marks quotes, backslashes and control characters.
func special(word uint64) uint64 {
	quote, backslash := word^quotes, word^backslashes
	return ((quote-lowest)&^quote | (backslash-lowest)&^backslash | (word-spaces)&^word) & highest
}

// ordinaryPrefix is how many bytes stand before the first quote, backslash or control character, as far as
// whole words tell.
func ordinaryPrefix(text []byte) int {
	at := 0
	for len(text)-at >= 4*wordBytes {
		four := text[at : at+4*wordBytes]
		if special(wordAt(four, 0))|special(wordAt(four, wordBytes))|special(wordAt(four, 2*wordBytes))|special(wordAt(four, 3*wordBytes)) != 0 {
			break
		}
		at += 4 * wordBytes
	}
	for len(text)-at >= wordBytes {
		if found := special(wordAt(text, at)); found != 0 {
			return at + bits.TrailingZeros64(found)/8
		}
		at += wordBytes
	}
	return at
}

// holdsControl reports whether a control character stands in a text.
func holdsControl(text []byte) bool {
	at := 0
	for ; len(text)-at >= 4*wordBytes; at += 4 * wordBytes {
		four := text[at : at+4*wordBytes]
		a, b, c, d := wordAt(four, 0), wordAt(four, wordBytes), wordAt(four, 2*wordBytes), wordAt(four, 3*wordBytes)
		if ((a-spaces)&^a|(b-spaces)&^b|(c-spaces)&^c|(d-spaces)&^d)&highest != 0 {
			return true
		}
	}
	for ; at < len(text); at++ {
		if text[at] < ' ' {
			return true
		}
	}
	return false
}

// plainPrefix is how many bytes stand before the first one that is special or beyond ASCII, as far as whole
// words tell.
func plainPrefix(text string) int {
	at := 0
	for len(text)-at >= wordBytes {
		word := wordAt(text, at)
		if found := special(word) | word&highest; found != 0 {
			return at + bits.TrailingZeros64(found)/8
		}
		at += wordBytes
	}
	return at
}

// IsPrintableASCII reports whether every byte of a text is a character from the space to the tilde.
func IsPrintableASCII[T string | ~[]byte](text T) bool {
	at := 0
	for ; len(text)-at >= wordBytes; at += wordBytes {
		word := wordAt(text, at)
		if (word|(word-spaces)|(word+lowest))&highest != 0 { // beyond ASCII, or before the space, or DEL
			return false
		}
	}
	for ; at < len(text); at++ {
		if text[at] < ' ' || text[at] > '~' {
			return false
		}
	}
	return true
}

// ASCIIPrefix is how many bytes of ASCII a text begins with, as far as whole words tell.
func ASCIIPrefix[T string | ~[]byte](text T) int {
	at := 0
	for len(text)-at >= 4*wordBytes {
		four := wordAt(text, at) | wordAt(text, at+wordBytes) | wordAt(text, at+2*wordBytes) | wordAt(text, at+3*wordBytes)
		if four&highest != 0 {
			break
		}
		at += 4 * wordBytes
	}
	for len(text)-at >= wordBytes && wordAt(text, at)&highest == 0 {
		at += wordBytes
	}
	return at
}
