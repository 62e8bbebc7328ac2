package invocation

import (
	"fmt"
	"strings"

	"github.com/mattn/go-runewidth"
)

// Width returns how many columns a terminal needs for a text without escape sequences.
func Width(text string) int { return runewidth.StringWidth(text) }

// Cut returns a text that is no wider than columns. It marks a cut with an ellipsis.
func Cut(text string, columns int) string { return runewidth.Truncate(text, columns, "…") }

// Count returns a number with its noun, such as "1 row" or "2 rows".
func Count(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}

// WrapLine breaks a line at spaces so that no part is wider than columns, and begins each further part with hang. A word that is
// wider stays whole.
func WrapLine(line string, columns int, hang string) string {
	body := strings.TrimLeft(line, " ")
	var wrapped strings.Builder
	wrapped.WriteString(line[:len(line)-len(body)])
	wide := wrapped.Len()
	for i, word := range strings.Split(body, " ") {
		width := Width(word)
		switch {
		case i > 0 && wide+1+width > columns:
			wrapped.WriteString("\n" + hang)
			wide = len(hang)
		case i > 0:
			wrapped.WriteByte(' ')
			wide++
		}
		wrapped.WriteString(word)
		wide += width
	}
	return wrapped.String()
}

// WrapText wraps paragraphs, whose lines it joins first. Lines that begin with white space, such as examples, stay as they are.
func WrapText(paragraphs string, columns int) string {
	var wrapped []string
	joined := "" // the paragraph so far
	end := func() {
		if joined != "" {
			wrapped = append(wrapped, WrapLine(joined, columns, ""))
		}
		joined = ""
	}
	for line := range strings.SplitSeq(strings.TrimRight(paragraphs, "\n"), "\n") {
		switch {
		case line == "" || line[0] == ' ' || line[0] == '\t':
			end()
			wrapped = append(wrapped, line)
		case joined == "":
			joined = line
		default:
			joined += " " + line
		}
	}
	end()
	return strings.Join(wrapped, "\n")
}
