package rawjson

import (
	"bytes"
	"encoding/json"
	"math/bits"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Quote returns a text as a JSON string, without escapes for HTML. Bytes that are not UTF-8 become the replacement
// character.
func Quote(text string) json.RawMessage {
	return AppendQuote(make([]byte, 0, len(text)+2), text)
}

// TextOrNull returns a text as a JSON string, or null if it is empty.
func TextOrNull(text string) json.RawMessage {
	if text == "" {
		return json.RawMessage("null")
	}
	return Quote(text)
}

// AppendQuote appends a text as Quote returns it.
func AppendQuote(out []byte, text string) []byte {
	return append(AppendEscaped(append(out, '"'), text), '"')
}

// AppendEscaped appends a text as Quote returns it, without the quotes around it.
func AppendEscaped[T string | []byte](out []byte, text T) []byte {
	start := 0
	for i := plainPrefix(text); i < len(text); {
		if isPlain[text[i]] {
			i++
			continue
		}
		character, size := utf8.DecodeRuneInString(string(text[i:min(len(text), i+utf8.UTFMax)]))
		if escape := escaped(character, size); escape != "" {
			out = append(append(out, text[start:i]...), escape...)
			start = i + size
		}
		i += size
		i += plainPrefix(text[i:])
	}
	return append(out, text[start:]...)
}

// isPlain has the ASCII characters that need no escape.
var isPlain = func() (plain [256]bool) {
	for c := ' '; c < utf8.RuneSelf; c++ {
		plain[c] = c != '"' && c != '\\'
	}
	return plain
}()

var controls = func() (written [' ']string) {
	for control := range written {
		quoted, _ := json.Marshal(string(rune(control))) // a string always encodes
		written[control] = string(quoted[1 : len(quoted)-1])
	}
	return written
}()

// escaped returns the escape of a character, or "". It escapes the line separators too. JSON allows them, but scripts
// do not, and some hosts put JSON into scripts.
func escaped(character rune, size int) string {
	switch {
	case character < ' ':
		return controls[character]
	case character == '"':
		return `\"`
	case character == '\\':
		return `\\`
	case character == '\u2028':
		return `\u2028`
	case character == '\u2029':
		return `\u2029`
	case character == utf8.RuneError && size == 1:
		return `\ufffd`
	}
	return ""
}

// Most of a page is text that needs no escape. These functions skip it in words of eight bytes. Byte by byte, a hosted
// call of 25 records takes 10 % longer.
const (
	wordBytes = 8
	lowest    = 0x0101010101010101
	highest   = 0x8080808080808080
)

// wordAt reads eight bytes, the first one lowest. The compiler makes one load of it.
func wordAt[T ~string | ~[]byte](text T, i int) uint64 {
	eight := text[i : i+wordBytes]
	return uint64(eight[0]) | uint64(eight[1])<<8 | uint64(eight[2])<<16 | uint64(eight[3])<<24 |
		uint64(eight[4])<<32 | uint64(eight[5])<<40 | uint64(eight[6])<<48 | uint64(eight[7])<<56
}

// delimiting sets the highest bit of the first quote, backslash or control character. Other bits, and later bytes, may
// be marked wrongly.
func delimiting(word uint64) uint64 {
	quote, backslash := word^lowest*'"', word^lowest*'\\'
	return (quote-lowest)&^quote | (backslash-lowest)&^backslash | (word-lowest*' ')&^word
}

// special sets the highest bit of the first byte that is delimiting or outside ASCII.
func special(word uint64) uint64 { return (delimiting(word) | word) & highest }

// plainPrefix returns the number of bytes before the first special one. It reads only whole words, so it may return
// less.
func plainPrefix[T string | []byte](text T) int {
	i := 0
	for ; len(text)-i >= wordBytes; i += wordBytes {
		if found := special(wordAt(text, i)); found != 0 {
			return i + bits.TrailingZeros64(found)/8
		}
	}
	return i
}

// SkipASCII skips ASCII characters, eight at a time, and returns the position of the rest.
func SkipASCII[T ~string | ~[]byte](text T, i int) int {
	for len(text)-i >= wordBytes && wordAt(text, i)&highest == 0 {
		i += wordBytes
	}
	return i
}

// IsPrintableASCII reports whether every byte of a text is a character from the space to the tilde.
func IsPrintableASCII[T ~string | ~[]byte](text T) bool {
	i := 0
	for ; len(text)-i >= wordBytes; i += wordBytes {
		word := wordAt(text, i)
		if (word|(word-lowest*' ')|(word+lowest))&highest != 0 { // outside ASCII, before the space, or DEL
			return false
		}
	}
	for ; i < len(text); i++ {
		if text[i] < ' ' || text[i] > '~' {
			return false
		}
	}
	return true
}

// IsUnseen reports whether a character is invisible or controls how others are shown: the control characters (Cc) with
// line breaks and tabs, the format characters (Cf), and the separators of lines and paragraphs (Zl, Zp).
//
// The zero-width joiner is one of them, although emoji use it: it can hide a difference between two ids.
func IsUnseen(r rune) bool {
	const lineSeparator, paragraphSeparator = '\u2028', '\u2029' // the only characters of Zl and Zp
	if r <= unicode.MaxLatin1 {
		return unicode.IsControl(r) || r == '\u00ad'
	}
	return r == lineSeparator || r == paragraphSeparator || unicode.Is(unicode.Cf, r)
}

// AppendEscape appends the JSON escape of a character: \u and four digits, twice for one beyond U+FFFF.
func AppendEscape(out []byte, r rune) []byte {
	if r > 0xffff {
		high, low := utf16.EncodeRune(r)
		return AppendEscape(AppendEscape(out, high), low)
	}
	const digits = "0123456789abcdef"
	return append(out, '\\', 'u', digits[r>>12&15], digits[r>>8&15], digits[r>>4&15], digits[r&15])
}

// VisibleText returns a text on one line: line breaks and tabs become spaces, and every other character that IsUnseen
// becomes an escape.
func VisibleText(text string) string {
	if !strings.ContainsFunc(text, IsUnseen) {
		return text
	}
	var out []byte
	for _, r := range text {
		switch {
		case r == '\n' || r == '\r' || r == '\t':
			out = append(out, ' ')
		case IsUnseen(r):
			out = AppendEscape(out, r)
		default:
			out = utf8.AppendRune(out, r)
		}
	}
	return string(out)
}

// Visible returns a JSON value on one line, with every character that IsUnseen as an escape. It is the same value.
func Visible(value []byte) string {
	if IsPrintableASCII(value) { // without a copy of the copy
		return string(value)
	}
	return string(AppendVisible(nil, value))
}

// AppendVisible appends a JSON value as Visible returns it.
func AppendVisible(out, value []byte) []byte {
	if IsPrintableASCII(value) || !bytes.ContainsFunc(value, IsUnseen) {
		return append(out, value...)
	}
	for _, r := range string(value) {
		switch {
		case !IsUnseen(r):
			out = utf8.AppendRune(out, r)
		case r == '\n' || r == '\r' || r == '\t': // between tokens, since JSON strings cannot hold them unescaped
			out = append(out, ' ')
		default:
			out = AppendEscape(out, r)
		}
	}
	return out
}

// MakeVisible makes the JSON value that begins at a position of out visible as AppendVisible does.
func MakeVisible(out []byte, from int) []byte {
	if IsPrintableASCII(out[from:]) || !bytes.ContainsFunc(out[from:], IsUnseen) {
		return out
	}
	return AppendVisible(out[:from], bytes.Clone(out[from:]))
}
