package rawjson

import (
	"encoding/json"
	"unicode/utf8"
)

// Quote returns a text as a JSON string, without escapes for HTML. Bytes that are not UTF-8 become the replacement character.
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
	out = append(out, '"')
	start := 0
	for at := plainPrefix(text); at < len(text); {
		if isPlain[text[at]] {
			at++
			continue
		}
		character, size := utf8.DecodeRuneInString(text[at:])
		if escape := escaped(character, size); escape != "" {
			out = append(append(out, text[start:at]...), escape...)
			start = at + size
		}
		at += size
		at += plainPrefix(text[at:])
	}
	return append(append(out, text[start:]...), '"')
}

// isPlain has the ASCII characters that need no escape.
var isPlain = func() (plain [256]bool) {
	for c := ' '; c < utf8.RuneSelf; c++ {
		plain[c] = c != '"' && c != '\\'
	}
	return plain
}()

// controls are the escapes of the control characters.
var controls = func() (written [' ']string) {
	for control := range written {
		quoted, _ := json.Marshal(string(rune(control))) // a string always encodes
		written[control] = string(quoted[1 : len(quoted)-1])
	}
	return written
}()

// escaped returns the escape of a character, or "". JSON allows the line separators, but scripts, into which some hosts put it, do not.
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
