package render

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"regexp"
	"slices"
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/pdppmcp/pdpp-mcp/runtime/answer"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/file/filetext"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// Bounds of the values of a page that does not fit (R-BUD-3, R-BUD-6), in characters as read_record_field counts them.
const (
	wholeCharacters   = 8_000 // a value of this length is never clipped to make room for other rows
	clippedCharacters = 2_000 // a longer value shows at least this much; otherwise the page loses rows
	base64Characters  = 200   // a base64 string of this length or more is shown as binary
	fileCharacters    = 40    // so is one of this length that begins like a file of a known format
	readOnCharacters  = 4_000 // of the calls in one row that read the rest of its values
)

// clipLimit limits the length of values in characters. A value longer than above is clipped to keep.
type clipLimit struct{ above, keep int }

var unclipped = clipLimit{math.MaxInt, math.MaxInt}

type cut struct {
	name   string
	shown  int  // characters
	isText bool // read_record_field can read it
}

// clip returns fields with long values clipped, and the clipped values. It keeps a value whole if its beginning and the
// call for the rest would not be shorter.
func (id identity) clip(fields rawjson.Object, limit clipLimit) (rawjson.Object, []cut) {
	var cuts []cut
	clipped := fields
	for i, field := range fields {
		if value, cut, ok := id.clipValue(field, limit); ok {
			if cuts == nil {
				clipped = slices.Clone(fields)
			}
			clipped[i].Value, cuts = value, append(cuts, cut)
		}
	}
	return clipped, cuts
}

// clipValue returns the beginning of a value and how much of it is shown (R-BUD-6). Binary shows its type and size,
// even if it is short (R-QRY-3).
func (id identity) clipValue(field rawjson.Member, limit clipLimit) (json.RawMessage, cut, bool) {
	if len(field.Value) <= limit.above && !mayBeBinary(field.Value) {
		return nil, cut{}, false
	}
	text, isText := rawjson.Text(field.Value)
	binary, beginning := "", ""
	if isText {
		binary = describeBinary(text)
	} else {
		text = string(field.Value)
	}
	whole := utf8.RuneCountInString(text)
	if binary == "" {
		if whole <= limit.above {
			return nil, cut{}, false
		}
		beginning = firstRunes(text, limit.keep)
	}
	c := cut{name: field.Name, shown: utf8.RuneCountInString(beginning), isText: isText}
	value := rawjson.Quote(fmt.Sprintf("%s%s…[%d of %d characters shown]", binary, beginning, c.shown, whole))
	call := id.readField(field.Name, largestWindow(c.shown)...)
	if binary == "" && len(value)+call.Arguments.Size() >= len(field.Value) {
		return nil, cut{}, false
	}
	return value, c, true
}

func largestWindow(offset int) []rawjson.Member {
	return []rawjson.Member{rawjson.Int(tool.FieldOffsetChars, int64(offset)), rawjson.Int(tool.FieldLimitChars, answer.MaxWindow)}
}

// readOn returns the calls that read the rest of clipped values: one for each text, and one that fetches the other
// values.
func (id identity) readOn(cuts []cut) []answer.Call {
	var calls []answer.Call
	var names []string
	room := readOnCharacters
	for _, cut := range cuts {
		if cut.isText && id.canRead(cut.name) {
			call := id.readField(cut.name, largestWindow(cut.shown)...)
			if room -= call.Arguments.Size(); room >= 0 || calls == nil {
				calls = append(calls, call)
				continue
			}
		}
		names = append(names, cut.name)
	}
	switch accepted := acceptedNames(names); {
	case names == nil || !id.canFetch():
	case accepted == nil:
		calls = append(calls, id.fetch())
	default:
		calls = append(calls, id.fetch(rawjson.Strings(tool.DocumentFields, accepted)))
	}
	return calls
}

// Largest returns the largest number between least and most that fits. Least must fit.
func Largest(least, most int, fits func(int) bool) int {
	return least + sort.Search(max(0, most-least), func(n int) bool { return !fits(least + n + 1) })
}

func firstRunes(text string, count int) string {
	for i := range text {
		if count--; count < 0 {
			return text[:i]
		}
	}
	return text
}

// mayBeBinary reports whether a value may be one that describeBinary describes: base64 has no spaces.
func mayBeBinary(value json.RawMessage) bool {
	return len(value) > fileCharacters && (bytes.IndexByte(value, ' ') < 0 || bytes.HasPrefix(value, []byte(`"data:`)))
}

// describeBinary returns the type and the size of a text that is base64 or a base64 data URL. It returns an empty
// string for any other text.
func describeBinary(text string) string {
	if len(text) < fileCharacters {
		return ""
	}
	isLong, kind := len(text) >= base64Characters, "base64"
	if head, body, found := strings.Cut(text, ";base64,"); found && strings.HasPrefix(head, "data:") && len(head) < base64Characters {
		text, kind, isLong = body, strings.TrimPrefix(head, "data:"), true
	}
	// Texts with one class of characters, such as long numbers, are also valid base64.
	const upper, lower, others = "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefghijklmnopqrstuvwxyz", "0123456789+/-_="
	if strings.Trim(text, upper+lower+others+"\r\n") != "" ||
		!strings.ContainsAny(text, upper) || !strings.ContainsAny(text, lower) || !strings.ContainsAny(text, others) {
		return ""
	}
	for _, encoding := range []*base64.Encoding{base64.StdEncoding, base64.RawStdEncoding, base64.RawURLEncoding} {
		if decoded, err := encoding.DecodeString(text); err == nil {
			if detected := http.DetectContentType(decoded); kind == "base64" && !strings.HasPrefix(detected, "text/") && detected != "application/octet-stream" {
				isLong, kind = true, detected
			}
			if !isLong {
				return ""
			}
			return fmt.Sprintf("binary(%s %d bytes)", kind, len(decoded))
		}
	}
	return ""
}

// convertedName is the member that names the fields whose HTML is shown as text (R-DOC-7).
const convertedName = "converted"

// convertHTML returns a record's fields with HTML as readable text, and the names of the converted fields.
func convertHTML(fields rawjson.Object) (rawjson.Object, []string) {
	var names []string
	for i, field := range fields {
		if len(field.Value) < 5 || field.Value[0] != '"' || !strings.ContainsRune("<\\ ", rune(field.Value[1])) {
			continue // it does not begin with a tag, an escape or white space
		}
		if !bytes.Contains(field.Value, []byte("<")) && !bytes.Contains(field.Value, []byte(`\u003`)) {
			continue
		}
		if text, _ := rawjson.Text(field.Value); filetext.IsHTML(text) {
			if names == nil {
				fields = slices.Clone(fields)
			}
			fields[i].Value = rawjson.Quote(readable(text))
			names = append(names, field.Name)
		}
	}
	return fields, names
}

func readable(html string) string {
	return strings.TrimSuffix(string(filetext.Readable([]byte(html))), "\n")
}

// blockTags match tags in an excerpt of HTML. Prose about HTML rarely has two of them in so few words.
var blockTags = regexp.MustCompile(`(?i)</?(?:p|div|br|html|body|table|tr|td|th|ul|ol|li|span|font|a|h[1-6]|blockquote)(?:\s[^<>]*)?/?>`)

// Private characters in place of highlight tags while HTML is converted.
const openPrivate, closePrivate = "\ue000", "\ue001"

// convertExcerpt returns a highlighted excerpt of HTML as readable text. It is false for any other excerpt.
func convertExcerpt(excerpt string) (string, bool) {
	marks := strings.Count(excerpt, openMark) + strings.Count(excerpt, closeMark)
	if strings.Count(excerpt, "<")-marks < 2 || len(blockTags.FindAllStringIndex(excerpt, 2)) < 2 {
		return excerpt, false
	}
	if end := strings.IndexByte(excerpt, '>'); end >= 0 && end < strings.IndexByte(excerpt, '<') {
		excerpt = excerpt[end+1:] // the rest of a tag
	}
	return shownMarks.Replace(readable(hiddenMarks.Replace(excerpt))), true
}

// Marks become private characters while the tags of a text are removed.
var (
	hiddenMarks = strings.NewReplacer(openMark, openPrivate, closeMark, closePrivate)
	shownMarks  = strings.NewReplacer(openPrivate, openMark, closePrivate, closeMark)
)
