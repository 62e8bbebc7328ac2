package record

import (
	"unicode/utf8"

	"github.com/pdppmcp/pdpp-mcp/runtime/answer"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/file/filetext"
)

// windowsAhead is the number of windows that are searched for later matches: some 130,000 characters.
const windowsAhead = 8

// maxOffsets is the number of later matches that are listed (R-WIN-4).
const maxOffsets = 20

// queryNotFound is the code of the resource server's refusal of words that do not occur (932k).
const queryNotFound = "query_not_found"

// windowAround returns the window of the first match of q that the resource server does not find, because it compares
// characters: firstMatch also ignores Unicode normalization and the kind of white space (R-WIN-4). The result is nil if
// q does not occur.
func windowAround(input FieldWindowInput, read func(offset, limit int64) *answer.Window) *answer.Window {
	match, isFound := firstMatch(*input.Q, read)
	if !isFound {
		return nil
	}
	start, limit := input.selector().Around(match)
	w := read(start, limit)
	if w == nil {
		return nil
	}
	w.Range = w.Range.WithAll(rawjson.Int("match_start_chars", match.Start), rawjson.Int("match_end_chars", match.End))
	return w
}

// firstMatch reads a field from its start to the first match of q, within windowsAhead windows.
func firstMatch(q string, read func(offset, limit int64) *answer.Window) (first filetext.Match, isFound bool) {
	overlap := 2 * int64(utf8.RuneCountInString(q)) // as in laterMatches
	from := int64(0)
	for range windowsAhead {
		w := read(from, answer.MaxWindow)
		if begins, known := rangeOf(w).Int("start_chars"); !known || begins != from {
			break
		}
		for match := range filetext.Matches([]byte(w.Text), q) {
			return filetext.Match{Start: from + match.Start, End: from + match.End}, true
		}
		end, more := w.Range.Int("next_offset_chars")
		if !more || end-overlap <= from {
			break
		}
		from = end - overlap
	}
	return filetext.Match{}, false
}

// laterMatches finds the matches after the first one (R-WIN-4). A server finds only the first match (932e), so later
// text is read. read returns a window from an offset, or nil. The result is nil if nothing is known.
func laterMatches(w *answer.Window, q string, read func(offset, limit int64) *answer.Window) *answer.LaterMatches {
	start, _ := w.Range.Int("start_chars")
	matched, isMatch := w.Range.Int("match_end_chars")
	if !isMatch || q == "" {
		return nil
	}
	length := int64(utf8.RuneCountInString(q))
	search := newMatchSearch(q, matched)
	search.in(start, []byte(w.Text))
	overlap := 2 * length // a match may begin in one window and end in the next, and be longer than q
	end, more := w.Range.Int("next_offset_chars")
	for reads := 0; more; reads++ {
		from := max(search.next, end-overlap)
		var ahead *answer.Window
		if reads < windowsAhead {
			ahead = read(from, answer.MaxWindow)
		}
		if begins, known := rangeOf(ahead).Int("start_chars"); !known || begins != from {
			if reads == 0 {
				return nil
			}
			search.found.Searched = end
			break
		}
		search.in(from, []byte(ahead.Text))
		previous := end
		if end, more = ahead.Range.Int("next_offset_chars"); more && end <= previous {
			search.found.Searched = previous
			break
		}
	}
	return &search.found
}

// matchSearch collects matches from a place in a field.
type matchSearch struct {
	words string
	next  int64 // a match begins here or later
	found answer.LaterMatches
}

func newMatchSearch(words string, next int64) *matchSearch {
	return &matchSearch{words: words, next: next, found: answer.LaterMatches{Length: int64(utf8.RuneCountInString(words))}}
}

// in searches a part of the field that begins at an offset.
func (s *matchSearch) in(start int64, text []byte) {
	skipped := max(0, s.next-start)
	for match := range filetext.Matches(filetext.From(text, skipped), s.words) {
		offset := start + skipped + match.Start
		if s.found.Total++; len(s.found.Offsets) < maxOffsets {
			s.found.Offsets = append(s.found.Offsets, offset)
		}
		s.next = start + skipped + match.End
	}
}
