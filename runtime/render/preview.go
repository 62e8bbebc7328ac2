package render

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
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

// preview is one field as a text shows it.
type preview struct {
	token   string // empty for null and empty values
	clipped bool   // a text was cut; read_record_field continues it
	counted bool   // a value is only counted; fetch shows it
}

// previewField shows a value in at most so many characters, and says the size of what it does not
// show. Binary values are named and sized (R-QRY-3).
func previewField(name string, value json.RawMessage, characters int) preview {
	name = SourceName(name)
	switch rawjson.Kind(value) {
	case rawjson.StringValue:
		text, _ := rawjson.Text(value)
		return previewText(name, text, characters)
	case rawjson.ObjectValue:
		return previewObject(name, value)
	case rawjson.ArrayValue:
		elements, _ := rawjson.Elements(value)
		if len(elements) == 0 {
			return preview{}
		}
		if len(value) <= nestedCharacters {
			return preview{token: name + "=" + Visible(value)}
		}
		return preview{token: fmt.Sprintf("%s=array(%d items)", name, len(elements)), counted: true}
	case rawjson.Number, rawjson.Boolean:
		if len(value) <= numberCharacters {
			return preview{token: name + "=" + Visible(value)}
		}
		return preview{token: fmt.Sprintf("%s=number(%d characters)", name, len(value)), counted: true}
	}
	return preview{}
}

// previewText, like the functions below, takes the name as SourceName spells it.
func previewText(name, text string, characters int) preview {
	if text == "" {
		return preview{}
	}
	if binary := describeBinary(text); binary != "" {
		return preview{token: name + "=" + binary}
	}
	if shown, clipped := Clip(text, characters); clipped {
		return previewCut(name, shown, utf8.RuneCountInString(text), characters)
	}
	return preview{token: name + "=" + Quoted(text)}
}

// previewCut shows the beginning of a text that has more characters than are at hand.
func previewCut(name, beginning string, whole, characters int) preview {
	shown, _ := Clip(beginning, characters)
	return preview{token: fmt.Sprintf("%s=%s clipped=true characters=%d", name, Quoted(shown), whole), clipped: true}
}

func previewObject(name string, value json.RawMessage) preview {
	object, _ := rawjson.ParseObject(value)
	if len(object) == 0 {
		return preview{}
	}
	if blob := object.Text("blob_id"); blob != "" {
		parts := []string{Token("blob_id", blob)}
		for _, detail := range []string{"mime_type", "size_bytes"} {
			if sent := object.Get(detail); sent != nil && len(sent) <= nestedCharacters {
				parts = append(parts, RawToken(detail, sent))
			}
		}
		return preview{token: name + "=blob(" + strings.Join(parts, " ") + ")"}
	}
	if len(value) <= nestedCharacters {
		return preview{token: name + "=" + Visible(value)}
	}
	return preview{token: fmt.Sprintf("%s=object(%d members)", name, len(object)), counted: true}
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

// isBase64Alphabet tells prose from what is worth decoding; prose has a space soon.
func isBase64Alphabet(text string) bool {
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
