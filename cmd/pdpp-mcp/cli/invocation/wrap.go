package invocation

import (
	"fmt"
	"strings"

	"github.com/mattn/go-runewidth"
)

// Width returns the columns that a terminal needs for a text without escape sequences.
func Width(text string) int { return runewidth.StringWidth(text) }

// Cut shortens a text to a width in columns, with an ellipsis at its end.
func Cut(text string, columns int) string { return runewidth.Truncate(text, columns, "…") }

// Count returns a number with its noun, such as "1 row" or "2 rows".
func Count(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}

// WrapLine breaks a line at spaces and begins each further line with hang. A word that is wider than columns stays whole.
func WrapLine(line string, columns int, hang string) string {
	body := strings.TrimLeft(line, " ")
	wrapped := line[:len(line)-len(body)]
	width := len(wrapped)
	for i, word := range strings.Split(body, " ") {
		switch {
		case i == 0:
		case width+1+Width(word) > columns:
			wrapped += "\n" + hang
			width = len(hang)
		default:
			wrapped += " "
			width++
		}
		wrapped += word
		width += Width(word)
	}
	return wrapped
}

// WrapText joins the lines of each paragraph and wraps them. Indented lines stay as they are.
func WrapText(text string, columns int) string {
	var wrapped []string
	isOpen := false // the last line can be continued
	for line := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n") {
		isPlain := line != "" && line[0] != ' ' && line[0] != '\t'
		if isPlain && isOpen {
			wrapped[len(wrapped)-1] += " " + line
		} else {
			wrapped = append(wrapped, line)
		}
		isOpen = isPlain
	}
	for i, line := range wrapped {
		if !strings.HasPrefix(line, " ") && !strings.HasPrefix(line, "\t") {
			wrapped[i] = WrapLine(line, columns, "")
		}
	}
	return strings.Join(wrapped, "\n")
}
