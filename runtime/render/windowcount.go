package render

import (
	"strconv"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
)

// recount puts right the ends of a server that counts code points and adds lengths in UTF-16: behind a character
// beyond U+FFFF its ends are one too far for each, and reading on from there loses as many characters (R-WIN-1).
// It shows in a text that has fewer code points than its range; every other range stays as it was sent.
func (w *window) recount() {
	start, hasStart := w.members.Int("start_chars")
	sent, hasEnd := w.members.Int("end_chars")
	characters := int64(utf8.RuneCountInString(w.text))
	if !hasStart || !hasEnd || start < 0 || characters == 0 || characters >= sent-start {
		return
	}
	end, more := start+characters, w.members.True("has_more")
	if total, known := w.members.Int("total_chars"); known { // the end that was too far may have passed it
		more = end < total
	}
	w.set(rawjson.Int("end_chars", end), rawjson.Bool("has_more", more), rawjson.Bool("complete", start == 0 && !more))
	next := rawjson.Raw("next_offset_chars", rawjson.Value("null"))
	if more {
		next.Value = strconv.AppendInt(nil, end, 10)
	}
	w.set(next)
	w.recountMatch(start)
}

// recountMatch puts right the end of a match, whose start is counted in code points.
func (w *window) recountMatch(start int64) {
	from, hasStart := w.members.Int("match_start_chars")
	to, hasEnd := w.members.Int("match_end_chars")
	text := []rune(w.text)
	if !hasStart || !hasEnd || from < start || from-start > int64(len(text)) {
		return
	}
	end, units := from, to-from
	for _, character := range text[from-start:] {
		if units <= 0 {
			break
		}
		units -= int64(utf16.RuneLen(character))
		end++
	}
	w.set(rawjson.Int("match_end_chars", end))
}

func (w *window) set(members ...rawjson.Member) {
	for _, member := range members {
		w.members = w.members.With(member.Name, member.Value)
	}
}
