package toolspec

import (
	"fmt"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/nearname"
)

// unknown says that a word is none of the known ones, and which was meant.
func unknown(noun, word string, known []string) string {
	message := fmt.Sprintf("unknown %s %q", noun, word)
	if near := nearname.Meant(word, known); near != "" {
		return message + fmt.Sprintf("; did you mean %q?", near)
	}
	if len(known) == 0 {
		return message + "; there are none here"
	}
	return message + "; use one of " + strings.Join(known, ", ")
}
