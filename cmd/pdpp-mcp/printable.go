package main

import (
	"io"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
)

// obeyed reports whether a terminal would act on a character in place of showing it, or would show nothing. Line breaks
// and tabs lay out what is shown.
func obeyed(r rune) bool { return r != '\n' && r != '\t' && rawjson.IsUnseen(r) }

// printable writes what a terminal would obey as escapes of JSON, so that a person sees them and JSON says the same: outside
// of strings JSON has no such characters.
func printable(shown string) string {
	if !strings.ContainsFunc(shown, obeyed) {
		return strings.ToValidUTF8(shown, "\ufffd")
	}
	written := make([]byte, 0, len(shown)+len(shown)/4)
	for _, r := range shown {
		if obeyed(r) {
			written = rawjson.AppendEscape(written, r)
			continue
		}
		written = append(written, string(r)...)
	}
	return string(written)
}

// oneLine cannot command the terminal, nor pass for another line.
func oneLine(text string) string { return printable(strings.Join(strings.Fields(text), " ")) }

// printableWriter passes on what is printable. Each write is whole lines, so that no character comes in two.
type printableWriter struct{ io.Writer }

func (w printableWriter) Write(text []byte) (int, error) {
	if _, err := io.WriteString(w.Writer, printable(string(text))); err != nil {
		return 0, err
	}
	return len(text), nil
}
