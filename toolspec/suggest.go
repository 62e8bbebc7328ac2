package toolspec

import (
	"fmt"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/nearname"
)

// unknown returns a message for an unknown word, with the nearest known word or all of them.
func unknown(noun, word string, known []string) string {
	message := fmt.Sprintf("unknown %s %q", noun, word)
	if near := nearname.Nearest(word, known); near != "" {
		return message + fmt.Sprintf("; did you mean %q?", near)
	}
	if len(known) == 0 {
		return message + "; none is allowed here"
	}
	return message + "; use one of " + strings.Join(known, ", ")
}
