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

// printableJSON writes what a terminal would obey as escapes, so that the values stay the same. Such characters stand
// in strings only.
func printableJSON(shown string) string {
	if !strings.ContainsFunc(shown, obeyed) {
		return shown
	}
	var escaped strings.Builder
	for _, r := range shown {
		if obeyed(r) {
			fmt.Fprintf(&escaped, `\u%04x`, r) // all of them are below U+10000
			continue
		}
		escaped.WriteRune(r)
	}
	return escaped.String()
}

// oneLine cannot command the terminal, nor pass for another line.
func oneLine(text string) string { return printable(strings.Join(strings.Fields(text), " ")) }
