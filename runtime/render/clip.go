package render

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// Bounds of the values of a page that does not fit (R-BUD-3, R-BUD-6), in characters as read_record_field counts them.
const (
	wholeCharacters   = 8_000 // a value of so many is never clipped to make room for other rows
	clippedCharacters = 2_000 // of a longer one, at least, before a page loses rows for its sake
	base64Characters  = 200   // from here on a string of base64 counts as binary
	readOnCharacters  = 4_000 // of the calls that read on in one row, each field by itself
)

// ceiling says how much is shown of long values: of one with more than so many characters, the first ones.
type ceiling struct{ above, shown int }

// noCeiling shows every value whole.
var noCeiling = ceiling{math.MaxInt, math.MaxInt}

// cut is a value of which only the beginning is shown.
type cut struct {
	name   string
	shown  int  // characters
	isText bool // so that read_record_field reads on
}

// clip gives a record's fields with the beginnings of those that are too long, and what was cut of them. Without a cut they
// are the same fields. Clipping has to pay: a value whose beginning, mark and call would be as long as it stays whole.
func (id identity) clip(fields rawjson.Object, most ceiling) (rawjson.Object, []cut) {
	var cuts []cut
	for i, field := range fields {
		if len(field.Value) <= most.above && !mayBeBinary(field.Value) {
			continue
		}
		value, cut, ok := id.clipValue(field, most)
		if !ok {
			continue
		}
		if cuts == nil {
			fields = append(rawjson.Object{}, fields...)
		}
		fields[i].Value = value
		cuts = append(cuts, cut)
	}
	return fields, cuts
}

// clipValue is the beginning of a value as a text that ends in how much of it is shown (R-BUD-6). What is no text is shown
// as the beginning of its JSON. Binary is named and sized, however short (R-QRY-3).
func (id identity) clipValue(field rawjson.Member, most ceiling) (json.RawMessage, cut, bool) {
	text, isText := rawjson.Text(field.Value)
	binary := ""
	if isText {
		binary = describeBinary(text)
	} else {
		text = string(field.Value)
	}
	whole := utf8.RuneCountInString(text)
	beginning := ""
	if binary == "" {
		if whole <= most.above {
			return nil, cut{}, false
		}
		beginning = firstRunes(text, most.shown)
	}
	c := cut{name: field.Name, shown: utf8.RuneCountInString(beginning), isText: isText}
	value := rawjson.Quote(fmt.Sprintf("%s%s…[%d of %d characters shown]", binary, beginning, c.shown, whole))
	call := id.readField(field.Name, readFrom(c.shown)...)
	if binary == "" && len(value)+call.Arguments.Size() >= len(field.Value) {
		return nil, cut{}, false
	}
	return value, c, true
}

// readFrom are the arguments of the largest window from a character on.
func readFrom(offset int) []rawjson.Member {
	return []rawjson.Member{rawjson.Int(tool.FieldOffsetChars, int64(offset)), rawjson.Int(tool.FieldLimitChars, windowMost)}
}

// readOn are the calls that go on where the beginnings of the cut values end: in a text window by window. All others are
// one call, which fetches them by themselves.
func (id identity) readOn(cuts []cut) []Call {
	var calls []Call
	var names []string
	room := readOnCharacters
	for _, cut := range cuts {
		if cut.isText && id.canRead(cut.name) {
			call := id.readField(cut.name, readFrom(cut.shown)...)
			if room -= call.Arguments.Size(); room >= 0 || calls == nil {
				calls = append(calls, call)
				continue
			}
		}
		names = append(names, cut.name)
	}
	switch passed := passable(names); {
	case names == nil || !id.canFetch():
	case passed == nil:
		calls = append(calls, id.fetch())
	default:
		calls = append(calls, id.fetchFields(passed...))
	}
	return calls
}

// widest is about the largest ceiling, up to a most, with which something fits. Free is how much longer each clipped value may be
// with a ceiling, as far as that can be told; less than 0 when it does not fit. With the least ceiling it fits, and with a
// smaller one than another that fits, too.
func widest(least, most int, free func(shown int) int) int {
	for range 4 { // the values that are whole soon leave their share to the others
		more := free(least)
		if more < 16 || least >= most { // a few characters more or less do not matter
			return least
		}
		guess := min(most, least+more)
		if free(guess) < 0 {
			most = guess - 1
			break
		}
		least = guess
	}
	for most-least > 15 {
		middle := (least + most + 1) / 2
		if free(middle) >= 0 {
			least = middle
		} else {
			most = middle - 1
		}
	}
	return least
}

// share is what each of so many clipped values has of the room that is left, or lacks.
func share(free, cuts int) int {
	if free < 0 {
		return free
	}
	return free / max(1, cuts)
}

// firstRunes is the beginning of a text, at most so many code points.
func firstRunes(text string, count int) string {
	for at := range text {
		if count--; count < 0 {
			return text[:at]
		}
	}
	return text
}

// mayBeBinary tells the JSON values that describeBinary has to look at; prose has a space soon.
func mayBeBinary(value json.RawMessage) bool {
	return len(value) > base64Characters && value[0] == '"' &&
		(bytes.HasPrefix(value, []byte(`"data:`)) || isBase64(value[1:base64Characters], `\`))
}

// describeBinary names and sizes a text that is base64 or a data URL of it, else it is empty.
func describeBinary(text string) string {
	if len(text) < base64Characters {
		return ""
	}
	kind := "base64"
	if head, body, found := strings.Cut(text, ";base64,"); found && strings.HasPrefix(head, "data:") && len(head) < base64Characters {
		text, kind = body, strings.TrimPrefix(head, "data:")
	}
	if !isBase64(text, "") {
		return ""
	}
	for _, encoding := range []*base64.Encoding{base64.StdEncoding, base64.RawStdEncoding, base64.RawURLEncoding} {
		if decoded, err := encoding.DecodeString(text); err == nil && mixed(text) {
			return fmt.Sprintf("binary(%s %d bytes)", kind, len(decoded))
		}
	}
	return ""
}

// isBase64 reports whether a text holds characters of base64 and line breaks alone, and what else is named.
func isBase64[T string | []byte | json.RawMessage](text T, also string) bool {
	for i := range len(text) {
		switch c := text[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9':
		case c == '+', c == '/', c == '-', c == '_', c == '=', c == '\r', c == '\n':
		case also != "" && c == also[0]:
		default:
			return false
		}
	}
	return true
}

// mixed keeps long runs of letters or of digits, which are also base64, from being taken for it.
func mixed(text string) bool {
	return strings.ContainsAny(text, "0123456789+/-_=") && strings.ContainsAny(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") &&
		strings.ContainsAny(text, "abcdefghijklmnopqrstuvwxyz")
}
