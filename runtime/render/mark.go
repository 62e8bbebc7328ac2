package render

import (
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
)

// marked encloses multi-line content of a record between two lines with a random mark of 64 bits, so that no line of it can be taken for a
// line of the adapter (R-TRUST-1). Digits cost the fewest tokens.
func marked(content string) string {
	if content == "" {
		return ""
	}
	var random [8]byte
	rand.Read(random[:]) // never fails
	mark := fmt.Sprintf("%020d", binary.BigEndian.Uint64(random[:]))
	return "[data " + mark + "]\n" + visibleLines(content) + "\n[/data " + mark + "]"
}

// visibleLines escapes unseen characters, except line breaks and tabs. Structured output has them exact.
func visibleLines(text string) string {
	isEscaped := func(r rune) bool { return r != '\n' && r != '\t' && rawjson.IsUnseen(r) }
	if !strings.ContainsFunc(strings.ReplaceAll(text, "\r\n", "\n"), isEscaped) {
		return text
	}
	var out []byte
	for i, r := range text {
		if isEscaped(r) && !strings.HasPrefix(text[i:], "\r\n") {
			out = rawjson.AppendEscape(out, r)
		} else {
			out = append(out, string(r)...)
		}
	}
	return string(out)
}
