package render

import (
	"bytes"
	"encoding/json"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
)

// plainText is the text of a JSON string of printable ASCII without escapes, which is spelled as it reads. It is nil
// for any other value, and shares memory with this one.
func plainText(value json.RawMessage) []byte {
	last := len(value) - 1
	if last < 1 || value[0] != '"' || value[last] != '"' || !rawjson.IsPrintableASCII(value) || bytes.IndexByte(value, '\\') >= 0 {
		return nil
	}
	return value[1:last:last]
}

// textLike is the text of a JSON string that is probably the same as another one, which is then not copied; empty for a
// value of another kind.
func textLike(value json.RawMessage, other string) string {
	if plain := plainText(value); plain != nil && string(plain) == other {
		return other
	}
	text, _ := rawjson.Text(value)
	return text
}
