package tool

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
)

// A cursor of the adapter has the whole state between two pages, so that any replica can continue. It has no secret. A changed cursor
// can only reach other positions in lists that the caller may read.

// QuestionOf stands for what such a cursor is bound to: everything of a request but its page. Parameters count without
// their order, as a filter may be spelled in another order for the next page.
func QuestionOf(request rs.Request) string {
	var parameters []string
	for _, parameter := range request.Query.Without("cursor", "limit").Parameters() {
		parameters = append(parameters, fmt.Sprintf("%q=%q", parameter.Name, parameter.Value))
	}
	slices.Sort(parameters)
	sum := sha256.Sum256([]byte(string(request.Path) + "?" + strings.Join(parameters, "&")))
	return base64.RawURLEncoding.EncodeToString(sum[:12])
}

// EncodeCursor encodes a struct of strings, numbers and lists of them as a cursor, in the alphabet of URLs.
func EncodeCursor(holds any) string {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(holds); err != nil {
		panic("tool: strings and numbers always encode: " + err.Error())
	}
	return base64.RawURLEncoding.EncodeToString(bytes.TrimSuffix(text.Bytes(), []byte("\n")))
}

// DecodeCursor reads a cursor that EncodeCursor spelled, and nothing else: no unknown members, no other spelling,
// nothing after it. Its error is an *Error.
func DecodeCursor[T any](text string) (T, error) {
	var holds T
	decoded, err := base64.RawURLEncoding.DecodeString(text)
	if err == nil {
		err = json.Unmarshal(decoded, &holds)
	}
	if err != nil || EncodeCursor(holds) != text {
		return holds, CursorRefused("is malformed", err)
	}
	return holds, nil
}

// CursorRefused is the refusal of a cursor of the adapter's own making, before anything is read. The cause may be nil.
func CursorRefused(problem string, cause error) *Error {
	return &Error{
		Code:    InvalidArguments,
		Message: "the cursor " + problem + "; pass next_cursor of the page before as it is, or begin again without cursor",
		Param:   HitsCursor, // every tool with pages calls it so
		Cause:   cause,
	}
}
