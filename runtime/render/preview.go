package render

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
)

// Bounds of one previewed value.
const (
	numberCharacters = 64  // a longer number is named, not printed
	nestedCharacters = 120 // longer arrays and objects are counted, not printed
	base64Characters = 200 // from here on a string of base64 counts as binary
)

// shown says how much of a value a preview shows: one of these, or so many characters of a text, which
// read_record_field continues.
type shown int

const (
	nothing     shown = -iota - 1 // of null and of empty values
	whole                         // also of binary values, which are named and sized (R-QRY-3)
	onlyCounted                   // fetch shows it
)

// isBeginning reports whether the preview is the beginning of a text.
func (s shown) isBeginning() bool { return s >= 0 }

// appendPreview appends a field as name=value, a text in at most so many characters, and the size of what it does
// not show. It appends nothing for null and for empty values.
func appendPreview(out []byte, name string, value json.RawMessage, characters int) ([]byte, shown) {
	switch rawjson.Kind(value) {
	case rawjson.StringValue:
		if plain := plainText(value); len(plain) > 0 && !mayBeBinary(plain) {
			return appendPlainPreview(out, name, plain, characters)
		}
		text, _ := rawjson.Text(value)
		return appendTextPreview(out, name, text, characters)
	case rawjson.ObjectValue:
		return appendObjectPreview(out, name, value)
	case rawjson.ArrayValue:
		elements, _ := rawjson.Elements(value)
		switch {
		case len(elements) == 0:
			return out, nothing
		case len(value) <= nestedCharacters:
			return appendVisible(appendSource(out, name), value), whole
		}
		return fmt.Appendf(appendSource(out, name), "array(%d items)", len(elements)), onlyCounted
	case rawjson.Number, rawjson.Boolean:
		if len(value) <= numberCharacters {
			return appendVisible(appendSource(out, name), value), whole
		}
		return fmt.Appendf(appendSource(out, name), "number(%d characters)", len(value)), onlyCounted
	}
	return out, nothing
}

// appendSource appends a name that came with the data, and the sign after it.
func appendSource(out []byte, name string) []byte {
	return append(append(out, SourceName(name)...), '=')
}

// appendPlainPreview appends a text that needs no escapes and is not binary: most texts, and so without a copy of them.
func appendPlainPreview(out []byte, name string, text []byte, characters int) ([]byte, shown) {
	out = append(appendSource(out, name), '"')
	out = append(append(out, text[:min(len(text), characters)]...), '"')
	if len(text) > characters {
		return appendCutNote(out, characters, len(text)), shown(characters)
	}
	return out, whole
}

func appendTextPreview(out []byte, name, text string, characters int) ([]byte, shown) {
	if text == "" {
		return out, nothing
	}
	if binary := describeBinary(text); binary != "" {
		return append(appendSource(out, name), binary...), whole
	}
	if clipped := Clip(text, characters); len(clipped) < len(text) {
		count := utf8.RuneCountInString(clipped)
		return appendCutNote(appendQuoted(appendSource(out, name), clipped), count, utf8.RuneCountInString(text)), shown(count)
	}
	return appendQuoted(appendSource(out, name), text), whole
}

// appendCutNote says how many characters of a text are shown, and of how many (R-BUD-6).
func appendCutNote(out []byte, shown, characters int) []byte {
	out = strconv.AppendInt(append(out, " clipped=true characters_shown="...), int64(shown), 10)
	return strconv.AppendInt(append(out, " characters="...), int64(characters), 10)
}

func appendObjectPreview(out []byte, name string, value json.RawMessage) ([]byte, shown) {
	object, _ := rawjson.ParseObject(value)
	if len(object) == 0 {
		return out, nothing
	}
	out = appendSource(out, name)
	if blob := object.Text("blob_id"); blob != "" {
		out = append(append(out, "blob("...), Token("blob_id", blob)...)
		for _, detail := range []string{"mime_type", "size_bytes"} {
			if sent := object.Get(detail); sent != nil && len(sent) <= nestedCharacters {
				out = append(append(out, ' '), RawToken(detail, sent)...)
			}
		}
		return append(out, ')'), whole
	}
	if len(value) <= nestedCharacters {
		return appendVisible(out, value), whole
	}
	return fmt.Appendf(out, "object(%d members)", len(object)), onlyCounted
}

// describeBinary names and sizes a text that is base64 or a data URL of it, else it is empty.
func describeBinary(text string) string {
	if len(text) < base64Characters {
		return ""
	}
	kind := "base64"
	if head, body, found := strings.Cut(text, ";base64,"); found && strings.HasPrefix(head, "data:") && len(head) < nestedCharacters {
		text, kind = body, Quoted(strings.TrimPrefix(head, "data:"))
	}
	if !isBase64Alphabet(text) {
		return ""
	}
	for _, encoding := range []*base64.Encoding{base64.StdEncoding, base64.RawStdEncoding, base64.RawURLEncoding} {
		if decoded, err := encoding.DecodeString(text); err == nil && mixed(text) {
			return fmt.Sprintf("binary(%s %d bytes)", kind, len(decoded))
		}
	}
	return ""
}

// mayBeBinary tells the texts that describeBinary has to look at.
func mayBeBinary(text []byte) bool {
	return len(text) >= base64Characters && (bytes.HasPrefix(text, []byte("data:")) || isBase64Alphabet(text))
}

// isBase64Alphabet tells prose from what is worth decoding; prose has a space soon.
func isBase64Alphabet[T string | []byte](text T) bool {
	for i := range len(text) {
		switch c := text[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9':
		case c == '+', c == '/', c == '-', c == '_', c == '=', c == '\r', c == '\n':
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
