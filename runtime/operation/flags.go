package operation

import (
	"strings"
	"unicode"

	"github.com/pdppmcp/pdpp-mcp/runtime/render"
)

// flagsCharacters bounds the flags of one field.
const flagsCharacters = 200

// shownFlags are flags as they are, or as a JSON string when they hold what no flag does.
func shownFlags(flags string) string {
	odd := func(r rune) bool {
		return !(strings.ContainsRune("=,|_-./:", r) || unicode.IsLetter(r) || unicode.IsDigit(r))
	}
	if strings.ContainsFunc(flags, odd) {
		return render.Quoted(flags)
	}
	return flags
}
