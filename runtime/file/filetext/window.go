package filetext

import (
	"unicode/utf8"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/wire"
)

// Lengths of a window in code points, as in the resource server's windows of fields (docs/provider-contract.md).
const (
	defaultWindow = 4_096
	maxWindow     = 16_384
)

// Selector places a window: from an offset, or around the first match of words. A nil member was not given.
type Selector struct {
	Offset, Limit, Before, After *int64
	End                          *int64 // the window ends here or earlier
	Match                        string // empty: by offset
}

// Window is a part of a text. Its places are in code points.
type Window struct {
	Text                 string
	Start, End, Total    int64
	Limit                int64
	Matched              bool
	MatchStart, MatchEnd int64
}

// Select returns a window like the resource server's windows of a field. It is false if the match does not occur: see
// Matches. Without Before, the window of a match starts with the line or sentence that leads to it.
func (s Selector) Select(text []byte) (Window, bool) {
	window := Window{Total: int64(utf8.RuneCount(text)), Limit: s.limit()}
	start := min(given(s.Offset, 0), window.Total)
	if s.Match != "" {
		match, isFound := firstMatch(text, s.Match)
		if !isFound {
			return Window{}, false
		}
		window.Matched, window.MatchStart, window.MatchEnd = true, match.Start, match.End
		start, window.Limit = s.Around(match)
		if s.Before == nil {
			start = leadStart(text, match.Start, min(longestLead, s.limit()/4))
		}
		if s.Before == nil && s.After != nil {
			window.Limit = min(maxWindow, window.Limit+match.Start-start)
		}
	}
	window.Start = start
	window.End = min(start+window.Limit, window.Total, max(start, given(s.End, window.Total)))
	from := skipRunes(text, start)
	window.Text = string(text[from : from+skipRunes(text[from:], window.End-start)])
	return window, true
}

// Around returns the start and the limit of the window of a match.
func (s Selector) Around(match Match) (start, limit int64) {
	before := given(s.Before, 0)
	limit = s.limit()
	if s.Before != nil || s.After != nil {
		limit = min(maxWindow, before+match.End-match.Start+given(s.After, 0))
	}
	return max(0, match.Start-before), limit
}

func (s Selector) limit() int64 { return min(given(s.Limit, defaultWindow), maxWindow) }

// Members returns the members of a window in the form of the resource server.
func (w Window) Members() rawjson.Object {
	null := rawjson.Value("null")
	next, previous := rawjson.Raw("next_offset_chars", null), rawjson.Raw("previous_offset_chars", null)
	if w.End < w.Total {
		next = rawjson.Int("next_offset_chars", w.End)
	}
	if w.Start > 0 {
		previous = rawjson.Int("previous_offset_chars", max(0, w.Start-w.Limit))
	}
	members := rawjson.Object{
		rawjson.String("text", w.Text), rawjson.Int("start_chars", w.Start), rawjson.Int("end_chars", w.End),
		rawjson.Int("total_chars", w.Total), rawjson.Int(wire.LimitChars, w.Limit),
		rawjson.Bool("complete", w.Start == 0 && w.End == w.Total), rawjson.Bool("has_more", w.End < w.Total), next, previous,
	}
	if w.Matched {
		members = append(members, rawjson.Int("match_start_chars", w.MatchStart), rawjson.Int("match_end_chars", w.MatchEnd))
	}
	return members
}

func given(value *int64, fallback int64) int64 {
	if value == nil {
		return fallback
	}
	return *value
}

func firstMatch(text []byte, words string) (match Match, isFound bool) {
	for match := range Matches(text, words) {
		return match, true
	}
	return Match{}, false
}

// From returns the text from an offset in code points.
func From(text []byte, offset int64) []byte { return text[skipRunes(text, offset):] }

func skipRunes(text []byte, count int64) int {
	offset := 0
	for ; count > 0 && offset < len(text); count-- {
		_, size := utf8.DecodeRune(text[offset:])
		offset += size
	}
	return offset
}
