package listing

import (
	"fmt"

	"github.com/pdppmcp/pdpp-mcp/toolspec"
)

// Codes returns docs/tools/errors.md.
func Codes(sections []toolspec.CodeSection) []byte {
	text := newPage("toolspec/codes.yaml", "Error codes")
	text.paragraph("The meaning of a code never changes; the wording of messages may. A tool's error is a result that " +
		"the model sees and can often fix " +
		"itself, so most steps below address the model.")
	for _, section := range sections {
		text.paragraph("## %s", section.Title)
		text.paragraph("%s", section.Intro)
		text.table([]string{section.Keyed, "what happened", "what to do"})
		for _, code := range section.Codes {
			if code.Meaning != "" {
				text.row(keyed(code), code.Meaning, code.Next)
			}
		}
	}
	return text.bytes()
}

func keyed(code toolspec.Code) string {
	if code.Status == 0 {
		return "`" + code.Code + "`"
	}
	return fmt.Sprintf("`%s` (%d)", code.Code, code.Status)
}
