package render

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/pdppmcp/pdpp-mcp/runtime/answer"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/wire"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/recordid"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// windowCharacters is the maximum length of a window's text in either channel. The largest window fits unless JSON
// escapes nearly all of it.
const windowCharacters = 33_000

// window is a window as both channels show it. Its range ends where its text ends.
type window struct {
	*answer.Window
	identity
	members rawjson.Object // the range, with the text
	text    string
}

// Window renders a window of a text field, or what is known of a file: in text the record, the range and the
// continuations precede it (R-WIN-1, R-WIN-2, R-BLOB-3).
func Window(found *answer.Window) (*tool.Result, error) {
	w := &window{Window: found, identity: targetIdentity(found.Target), members: found.Range, text: found.Text}
	w.clip()
	result := &tool.Result{Text: w.head(), Structured: w.structured()}
	if found.Range != nil {
		result.Text, result.Rows = result.Text+"\n\n"+marked(w.text), 1
	}
	if found.File != nil && found.File.Shown != nil {
		result.File = &tool.File{MediaType: found.File.Shown.MediaType, Data: found.File.Shown.Data}
	}
	return bounded(found.Origin, result, ChannelCharacters)
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
	w.members = w.members.WithAll(rawjson.String("text", w.text), rawjson.Bool("complete", false), rawjson.Bool("has_more", true),
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

// maxNextMatches is the maximum number of later matches with a call. The note has the offsets of more.
const maxNextMatches = 5

// directions returns the continuations to the next match and to the windows after and before, with the offsets of the
// RS.
func (w *window) directions() []direction {
	found := w.nextMatches()
	if offset, ok := w.members.Int("next_offset_chars"); ok && offset >= 0 {
		found = append(found, w.windowCall(nextWord, rawjson.Int(tool.FieldOffsetChars, offset))...)
	}
	return append(found, w.previous()...)
}

// previous returns the continuation to the window that ends where this one starts (R-WIN-1). The call has a length only
// if it differs from the default.
func (w *window) previous() []direction {
	offset, known := w.members.Int("previous_offset_chars")
	if !known || offset < 0 {
		return nil
	}
	start, isPlaced := w.members.Int("start_chars")
	if !isPlaced {
		return w.windowCall(previousWord, rawjson.Int(tool.FieldOffsetChars, offset))
	}
	limit, isGiven := w.Call.Arguments.Int(tool.FieldLimitChars)
	if !isGiven {
		limit = defaultWindow
	}
	offset = max(offset, start-answer.MaxWindow)
	place := []rawjson.Member{rawjson.Int(tool.FieldOffsetChars, offset)}
	if length := start - offset; length > 0 && length != limit {
		place = append(place, rawjson.Int(tool.FieldLimitChars, length))
	}
	return w.windowCall(previousWord, place...)
}

// windowCall returns the same call for another window of the field. It replaces a resource URI with the id that is
// shown (R-WIN-3).
func (w *window) windowCall(word string, place ...rawjson.Member) []direction {
	if recordid.IsURI(w.Target.Handle) && w.handle != "" {
		place = append(place, rawjson.String(tool.FieldID, w.handle))
	}
	var found []direction
	for _, call := range w.Call.Without(wire.Q, wire.Cursor, wire.BeforeChars, wire.AfterChars).With(place...) {
		found = append(found, direction{word, call})
	}
	return found
}

// nextMatches returns the continuations to the first matches after the window, each with as much text around it as the
// caller requested. A match that one of these windows shows has no other.
func (w *window) nextMatches() (found []direction) {
	end, _ := w.members.Int("end_chars")
	before, isGiven := w.Call.Arguments.Int(wire.BeforeChars)
	if !isGiven && w.Matches != nil {
		before = w.Matches.Lead
	}
	limit, isLimited := w.Call.Arguments.Int(tool.FieldLimitChars)
	after, isGiven := w.Call.Arguments.Int(wire.AfterChars)
	var length []rawjson.Member
	switch {
	case isGiven && !isLimited:
		matched, _ := w.members.Int("match_end_chars")
		start, _ := w.members.Int("match_start_chars")
		limit = min(answer.MaxWindow, before+matched-start+after)
		length = []rawjson.Member{rawjson.Int(tool.FieldLimitChars, limit)}
	case !isLimited:
		limit = defaultWindow
	}
	for range maxNextMatches {
		match, isLater := w.Matches.Past(end)
		if !isLater {
			break
		}
		start := max(0, match-before)
		place := append([]rawjson.Member{rawjson.Int(tool.FieldOffsetChars, start)}, length...)
		found = append(found, w.windowCall(nextMatchWord, place...)...)
		end = max(match+w.Matches.Length, start+limit)
	}
	return found
}

// note returns a note about where the field ends, or where other matches are (R-WIN-4).
func (w *window) note() string {
	start, _ := w.members.Int("start_chars")
	total, known := w.members.Int("total_chars")
	hasMatch := w.members.Get("match_start_chars") != nil
	more := w.members.True("has_more") || w.members.Get("next_offset_chars") != nil
	if w.File != nil && w.File.Note != "" { // access has the note
		return ""
	}
	ends := ""
	switch {
	case more || w.members.True("complete"):
	case known && w.text == "" && 0 < total && total <= start:
		ends = fmt.Sprintf("The field has %d characters: this offset is at or past its end.", total)
	case string(w.members.Get("has_more")) == "false":
		ends = "The field ends here."
	}
	switch {
	case w.Matches != nil && (more || w.Matches.Total > 0):
		return words(matchNote(w.Matches), ends)
	case more && hasMatch:
		return "The provider finds only the first match of q. To find a later one, continue with next, or pass a longer q with the words around it."
	}
	return ends
}

// matchNote returns where q occurs again, and how much of the field was searched for it.
func matchNote(found *answer.LaterMatches) string {
	times, place := "", ""
	if found.Searched > 0 {
		place = fmt.Sprintf(" up to offset_chars %d, where the search ended", found.Searched)
	}
	if found.Total == 0 {
		return "q does not occur again" + place + "."
	}
	offsets := make([]string, len(found.Offsets))
	for i, offset := range found.Offsets {
		offsets[i] = strconv.FormatInt(offset, 10)
	}
	if found.Total > 1 {
		times = fmt.Sprintf(" %d times", found.Total)
	}
	if place != "" {
		place += ","
	}
	first := ""
	if found.Total > len(offsets) {
		first = "first "
	}
	return fmt.Sprintf("q occurs again%s%s %sat offset_chars %s.", times, place, first, strings.Join(offsets, ", "))
}
