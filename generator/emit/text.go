package emit

import (
	"strings"

	"github.com/dave/jennifer/jen"
)

// instructions returns a text of several paragraphs as an expression, with one literal per paragraph.
func instructions(text string) jen.Code {
	statement := &jen.Statement{}
	paragraphs := strings.SplitAfter(text, "\n")
	for i, paragraph := range paragraphs {
		if paragraph == "" {
			continue
		}
		if i > 0 {
			statement.Op("+").Line()
		}
		statement.Lit(paragraph)
	}
	return statement
}

// commentWidth is the length of a comment line before it is wrapped, in bytes without the slashes.
const commentWidth = 100

// comment returns text as // lines, wrapped between words.
func comment(text string) *jen.Statement {
	statement := &jen.Statement{}
	for i, line := range wrapped(text) {
		if i > 0 {
			statement.Line()
		}
		statement.Comment(line)
	}
	return statement
}

func wrapped(text string) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		switch {
		case line == "":
			line = word
		case len(line)+1+len(word) > commentWidth:
			lines = append(lines, line)
			line = word
		default:
			line += " " + word
		}
	}
	return append(lines, line)
}
