package main

import (
	"fmt"
	"strings"
	"unicode"
)

// obeyed tells what a terminal would act on in place of showing it: control characters, and marks that turn the
// direction of writing. Line breaks and tabs are not among them.
func obeyed(r rune) bool {
	return r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r))
}

// printable takes out what a terminal would obey.
func printable(shown string) string {
	return strings.Map(func(r rune) rune {
		if obeyed(r) {
			return unicode.ReplacementChar
		}
		return r
	}, shown)
}

// escaped writes in JSON as escapes what printable takes out, so that the JSON says the same. Outside of strings JSON
// has no such characters.
func escaped(shown string) string {
	if !strings.ContainsFunc(shown, obeyed) {
		return shown
	}
	var written strings.Builder
	for _, r := range shown {
		if obeyed(r) {
			fmt.Fprintf(&written, `\u%04x`, r) // all of them are below U+10000
			continue
		}
		written.WriteRune(r)
	}
	return written.String()
}

// oneLine cannot command the terminal, nor pass for another line.
func oneLine(text string) string { return printable(strings.Join(strings.Fields(text), " ")) }
