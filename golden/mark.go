package golden

import (
	"regexp"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
)

var marks = regexp.MustCompile(`\[(/?)data (\d{20})\]`)

// WithoutMarks replaces the random marks around multi-line content (R-TRUST-1), so that the same result has the same
// golden.
func WithoutMarks[Text ~string | ~[]byte](text Text) Text {
	return Text(marks.ReplaceAllString(string(text), "[${1}data MARK]"))
}

// Marked returns the text before the marked content of a result, and the content. It reports whether there is one.
func Marked(text string) (head, content string, ok bool) {
	opening := marks.FindStringSubmatchIndex(text)
	if opening == nil {
		return text, "", strings.HasSuffix(text, "\n\n") // no content is not marked
	}
	mark := text[opening[4]:opening[5]]
	content, isClosed := strings.CutSuffix(text[opening[1]:], "\n[/data "+mark+"]")
	return text[:opening[0]], strings.TrimPrefix(content, "\n"), isClosed && opening[2] == opening[3]
}

// Visible returns marked content as the text channel shows it: line breaks and tabs as they are, other unseen
// characters as escapes.
func Visible(text string) string {
	var out strings.Builder
	for i, r := range text {
		if r == '\n' || r == '\t' || !rawjson.IsUnseen(r) || strings.HasPrefix(text[i:], "\r\n") {
			out.WriteRune(r)
		} else {
			out.Write(rawjson.AppendEscape(nil, r))
		}
	}
	return out.String()
}
