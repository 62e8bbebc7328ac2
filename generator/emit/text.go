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
	if text == "" {
		return jen.Lit("")
	}
	return statement
}
