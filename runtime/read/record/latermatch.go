package record

import (
	"unicode/utf8"

	"github.com/pdppmcp/pdpp-mcp/runtime/answer"
	"github.com/pdppmcp/pdpp-mcp/runtime/file/filetext"
)

// windowsAhead is how many windows of the largest length are searched for later matches: some 130,000 characters.
const windowsAhead = 8

// maxOffsets is how many later matches are listed (R-WIN-4).
const maxOffsets = 20

// laterMatches finds the matches after the first one (R-WIN-4). A server finds only the first match (932e), so later text is read. read returns the largest window from an offset, or nil. The result is nil if nothing is known.
func laterMatches(w *answer.Window, q string, read func(offset int64) *answer.Window) *answer.LaterMatches {
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
			ahead = read(from)
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
		at := start + skipped + match.Start
		if s.found.Total++; len(s.found.Offsets) < maxOffsets {
			s.found.Offsets = append(s.found.Offsets, at)
		}
		s.next = start + skipped + match.End
	}
}
