package listing

import (
	"fmt"

	"github.com/pdppmcp/pdpp-mcp/toolspec"
)

// The marks around the codes in docs/troubleshooting.md.
const (
	codesBegin = "<!-- codes:begin -->\n"
	codesEnd   = "<!-- codes:end -->"
)

// Troubleshooting returns docs/troubleshooting.md with its codes replaced, or a *NoMarkersError.
func Troubleshooting(page []byte, sections []toolspec.CodeSection) ([]byte, error) {
	var text markdown
	for _, section := range sections {
		text.paragraph("### %s", section.Title)
		text.paragraph("%s", section.Intro)
		text.table([]string{section.Keyed, "what happened", "what to do"})
		for _, code := range section.Codes {
			if code.Meaning != "" {
				text.row(keyed(code), code.Meaning, code.Next)
			}
		}
	}
	text.line("")
	return replaced("docs/troubleshooting.md", page, codesBegin, codesEnd, text.bytes())
}

func keyed(code toolspec.Code) string {
	if code.Status == 0 {
		return "`" + code.Code + "`"
	}
	return fmt.Sprintf("`%s` (%d)", code.Code, code.Status)
}
