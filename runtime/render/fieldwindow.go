package render

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/pdppmcp/pdpp-mcp/runtime/answer"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/recordid"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// windowCharacters is the maximum length of a window's text in either channel. The largest window fits unless JSON escapes nearly all of
// it.
const windowCharacters = 33_000

const maxWindow = 16_384 // the largest limit_chars that the tool accepts

// window is a window of a text field. Offsets are the RS's; recount corrects its ends.
type window struct {
	identity
	input   FieldWindowInput
	body    rawjson.Object
	members rawjson.Object
	text    string
	later   *laterMatch // the next match after the window; nil if it is unknown
}

// FieldWindow renders a window of a text field: in text the record, the range and the continuations precede it (R-WIN-1, R-WIN-2).
func FieldWindow(ctx context.Context, env tool.Env, response *rs.Response, input FieldWindowInput) (*tool.Result, error) {
	w, err := openWindow(response, input)
	if err != nil {
		return nil, err
	}
	w.clip()
	w.later = w.findLater(ctx, env, response.Request)
	result := &tool.Result{Text: w.head() + "\n\n" + marked(w.text), Structured: w.structured(response), Rows: 1}
	return withinBounds(response, result, ChannelCharacters)
}

func openWindow(response *rs.Response, input FieldWindowInput) (*window, error) {
	body, err := response.Object()
	if err != nil {
		return nil, err
	}
	if inner, ok := rawjson.ParseObject(body.Get("data")); ok && body.Get("window") == nil {
		body = inner // older servers wrap the answer once more
	}
	members, ok := rawjson.ParseObject(body.Get("window"))
	text, hasText := rawjson.Text(members.Get("text"))
	if !ok || !hasText {
		return nil, response.Unusable("the resource server's answer holds no window with a text", "")
	}
	w := &window{identity: targetIdentity(input.Target), input: input, body: body, members: members, text: text}
	w.recount()
	return w, nil
}

// clip ends a window earlier if its text does not fit. The next window begins at that end.
func (w *window) clip() {
	fits := func(shown int) bool {
		text := firstRunes(w.text, shown)
		return max(Length(rawjson.Quote(text)), utf8.RuneCountInString(visibleLines(text))) <= windowCharacters
	}
	characters := utf8.RuneCountInString(w.text)
	start, known := w.members.Int("start_chars")
	if fits(characters) || !known {
		return
	}
	w.text = firstRunes(w.text, Largest(0, characters, fits))
	end := start + int64(utf8.RuneCountInString(w.text))
	w.set(rawjson.String("text", w.text), rawjson.Bool("complete", false), rawjson.Bool("has_more", true),
		rawjson.Int("end_chars", end), rawjson.Int("next_offset_chars", end))
}

// direction is a continuation of a window and the word that introduces it in either channel.
type direction struct {
	word string
	answer.Call
}

const (
	nextWord      = "next"
	previousWord  = "previous"
	nextMatchWord = "next_match"
)

// directions returns the continuations to the next match and to the windows after and before, with the offsets of the RS.
func (w *window) directions() []direction {
	found := w.nextMatch()
	if offset, ok := w.members.Int("next_offset_chars"); ok && offset >= 0 {
		found = append(found, w.windowCall(nextWord, rawjson.Int(tool.FieldOffsetChars, offset))...)
	}
	return append(found, w.previous()...)
}

// previous returns the continuation to the window that ends where this one starts (R-WIN-1). The call has a length only if it differs
// from the default.
func (w *window) previous() []direction {
	offset, known := w.members.Int("previous_offset_chars")
	if !known || offset < 0 {
		return nil
	}
	start, isPlaced := w.members.Int("start_chars")
	if !isPlaced {
		return w.windowCall(previousWord, rawjson.Int(tool.FieldOffsetChars, offset))
	}
	limit, isGiven := w.input.Call.Arguments.Int(tool.FieldLimitChars)
	if !isGiven {
		limit = defaultWindow
	}
	offset = max(offset, start-maxWindow)
	place := []rawjson.Member{rawjson.Int(tool.FieldOffsetChars, offset)}
	if length := start - offset; length > 0 && length != limit {
		place = append(place, rawjson.Int(tool.FieldLimitChars, length))
	}
	return w.windowCall(previousWord, place...)
}

// windowCall returns the same call for another window of the field. It replaces a resource URI with the id that is shown (R-WIN-3).
func (w *window) windowCall(word string, place ...rawjson.Member) []direction {
	if recordid.IsURI(w.input.Target.Handle) && w.handle != "" {
		place = append(place, rawjson.String(tool.FieldID, w.handle))
	}
	var found []direction
	for _, call := range w.input.Call.Without("q", "cursor", "before_chars", "after_chars").With(place...) {
		found = append(found, direction{word, call})
	}
	return found
}

// note returns a note about where the field ends, or how to find another match (R-WIN-4).
func (w *window) note() string {
	start, _ := w.members.Int("start_chars")
	total, known := w.members.Int("total_chars")
	hasMatch := w.members.Get("match_start_chars") != nil
	switch more := w.members.True("has_more") || w.members.Get("next_offset_chars") != nil; {
	case w.input.File.Note != "": // File.access has the note
		return ""
	case w.later != nil:
		return w.later.note()
	case more && hasMatch:
		return "The provider finds only the first match of q. To find a later one, continue with next, or pass a longer q with the words around it."
	case more || w.members.True("complete"):
		return ""
	case known && w.text == "" && 0 < total && total <= start:
		return fmt.Sprintf("The field has %d characters: this offset is at or past its end.", total)
	case string(w.members.Get("has_more")) == "false":
		return "The field ends here."
	}
	return ""
}

func (w *window) structured(response *rs.Response) json.RawMessage {
	field := w.body.Get("field")
	if rawjson.Kind(field) != rawjson.ObjectValue {
		field = rawjson.Object{rawjson.String("path", w.input.FieldPath)}.Encode()
	}
	members := rawjson.Object{w.structuredRecord(), rawjson.Raw("field", field)}
	if w.members != nil { // the text of a file may be unavailable
		members = append(members, rawjson.Raw("window", w.members.Encode()))
	}
	if w.input.File.Document != nil {
		members = append(members, rawjson.Raw("document", w.input.File.Document.Encode()))
	}
	members = withWarnings(append(withText(members, "note", w.note()), w.input.File.access()...), w.body)
	var calls []answer.Call
	for _, direction := range w.directions() {
		if direction.word == nextWord {
			calls = append(calls, direction.Call)
		} else { // as next it would lead a reader back, or past text not read yet
			members = withCalls(members, direction.word, []answer.Call{direction.Call})
		}
	}
	return withText(finish(response, members, calls), "request_id", tool.ShownRequestID(response.RequestID)).Encode() // R-WIN-2
}

// head returns the lines before the window's text: tokens, notes and continuations.
func (w *window) head() string {
	field, _ := rawjson.ParseObject(w.body.Get("field"))
	tokens := []string{w.tokens(), Token("field_path", w.input.FieldPath)}
	for _, name := range fileNames {
		if value := field.Get(name); value != nil && len(value) <= tool.LabelCharacters {
			tokens = append(tokens, RawToken(name, value))
		}
	}
	tokens = append(tokens, Tokens(w.input.File.Document))
	for _, name := range []string{
		"start_chars", "end_chars", "total_chars", "complete", "has_more", "match_start_chars", "match_end_chars",
	} {
		value := w.members.Get(name)
		isSaid := name == "has_more" && string(value) == "false" && w.members.True("complete")
		if value != nil && len(value) <= numberCharacters && !isSaid {
			tokens = append(tokens, RawToken(name, value))
		}
	}
	lines := append([]string{words(tokens...)}, WarningLines(w.body)...)
	if note := w.note(); note != "" {
		lines = append(lines, "note: "+note)
	}
	for _, member := range w.input.File.access() {
		lines = append(lines, member.Name+": "+rawjson.TextOf(member.Value))
	}
	for _, direction := range w.directions() {
		lines = append(lines, callLine(direction.word, direction.Call))
	}
	return strings.Join(lines, "\n")
}

// recount corrects the offsets of a server that counts starts in code points but lengths in UTF-16. The range is then longer than the
// text (R-WIN-1).
func (w *window) recount() {
	start, hasStart := w.members.Int("start_chars")
	sent, hasEnd := w.members.Int("end_chars")
	characters := int64(utf8.RuneCountInString(w.text))
	if !hasStart || !hasEnd || start < 0 || characters == 0 || characters >= sent-start {
		return
	}
	end, more := start+characters, w.members.True("has_more")
	if total, known := w.members.Int("total_chars"); known { // the wrong end may be past it
		more = end < total
	}
	next := rawjson.Raw("next_offset_chars", rawjson.Value("null"))
	if more {
		next.Value = strconv.AppendInt(nil, end, 10)
	}
	w.set(rawjson.Int("end_chars", end), rawjson.Bool("has_more", more), rawjson.Bool("complete", start == 0 && !more), next)

	from, hasStart := w.members.Int("match_start_chars")
	to, hasEnd := w.members.Int("match_end_chars")
	text := []rune(w.text)
	if !hasStart || !hasEnd || from < start || from-start > int64(len(text)) {
		return
	}
	end = from // the start of a match is counted in code points
	for units := to - from; units > 0 && end-start < int64(len(text)); end++ {
		units -= int64(utf16.RuneLen(text[end-start]))
	}
	w.set(rawjson.Int("match_end_chars", end))
}

func (w *window) set(members ...rawjson.Member) {
	for _, member := range members {
		w.members = w.members.With(member.Name, member.Value)
	}
}
