package render

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// Bounds of the search for later matches.
const (
	windowsAhead = 8  // that are read, of the largest length: some 130,000 characters
	maxMatches   = 10 // that are named
)

// laterMatches are the places after a window where the words of its match occur again.
type laterMatches struct {
	offsets  []int64 // in code points, up to maxMatches
	searched int64   // where the search stopped before the end of the field; otherwise 0
}

// findLater finds the later matches of a window around a match (R-WIN-4). A server knows only the first one (932e), so the text after it is
// read and compared as the server does, without regard to case. It returns nil if nothing can be said.
func (w *window) findLater(ctx context.Context, env tool.Env, request rs.Request) *laterMatches {
	needle := strings.Map(unicode.ToLower, rawjson.TextOf(w.input.Call.parameter(tool.FieldQ)))
	matched, isMatch := w.members.Int("match_end_chars")
	end, more := w.members.Int("next_offset_chars")
	if needle == "" || !isMatch || !more {
		return nil
	}
	overlap := int64(utf8.RuneCountInString(needle)) - 1 // a match may begin in one window and end in the next
	from := max(matched, end-overlap)
	var found *laterMatches
	for range windowsAhead {
		ahead := w.windowFrom(ctx, env, request, from)
		if ahead == nil {
			return found
		}
		if start, known := ahead.members.Int("start_chars"); !known || start != from {
			return found
		}
		found = matchesIn(ahead, from, needle)
		if len(found.offsets) > 0 || found.searched <= from {
			return found
		}
		from = found.searched - overlap
	}
	return found
}

// matchesIn returns the places of words in a window that begins at an offset.
func matchesIn(ahead *window, from int64, needle string) *laterMatches {
	found := &laterMatches{}
	parts := strings.Split(strings.Map(unicode.ToLower, ahead.text), needle)
	length := int64(utf8.RuneCountInString(needle))
	for _, part := range parts[:len(parts)-1] {
		from += int64(utf8.RuneCountInString(part))
		if len(found.offsets) == maxMatches {
			found.searched = from
			return found
		}
		found.offsets = append(found.offsets, from)
		from += length
	}
	if next, hasMore := ahead.members.Int("next_offset_chars"); hasMore {
		found.searched = next
	}
	return found
}

// windowFrom returns the longest window from an offset, or nil if it is unavailable.
func (w *window) windowFrom(ctx context.Context, env tool.Env, request rs.Request, from int64) *window {
	if w.input.Another != nil {
		members := w.input.Another(from, maxWindow)
		return &window{members: members, text: members.Text("text")}
	}
	request.Query = request.Query.Without(tool.FieldQ, "before_chars", "after_chars").
		With(tool.FieldLimitChars, strconv.Itoa(maxWindow)).With(tool.FieldOffsetChars, strconv.FormatInt(from, 10))
	response, err := env.Get(ctx, request)
	if err != nil {
		return nil
	}
	read, err := openWindow(response, FieldWindowInput{})
	if err != nil {
		return nil
	}
	return read
}

// note says where the words occur again.
func (m *laterMatches) note() string {
	switch {
	case len(m.offsets) == 0 && m.searched == 0:
		return "q does not occur again after this window."
	case len(m.offsets) == 0:
		return fmt.Sprintf("q does not occur again up to offset_chars %d, where the search ended.", m.searched)
	}
	said := "q occurs again at offset_chars " + strings.Trim(strings.ReplaceAll(fmt.Sprint(m.offsets), " ", ", "), "[]")
	if m.searched == 0 {
		return said + ", and nowhere after that."
	}
	return fmt.Sprintf("%s; the search ended at %d.", said, m.searched)
}

// nextMatch leads to the next match after the window, with as much text around it as the caller requested.
func (w *window) nextMatch() []direction {
	if w.later == nil || len(w.later.offsets) == 0 {
		return nil
	}
	given := rawjson.Object{}
	for _, parameter := range []string{"before_chars", "after_chars", tool.FieldLimitChars} {
		given = append(given, rawjson.Raw(parameter, w.input.Call.parameter(parameter)))
	}
	before, _ := given.Int("before_chars")
	place := []rawjson.Member{rawjson.Int(tool.FieldOffsetChars, max(0, w.later.offsets[0]-before))}
	after, isGiven := given.Int("after_chars")
	if _, isLimited := given.Int(tool.FieldLimitChars); isGiven && !isLimited {
		matched, _ := w.members.Int("match_end_chars")
		start, _ := w.members.Int("match_start_chars")
		place = append(place, rawjson.Int(tool.FieldLimitChars, min(maxWindow, before+matched-start+after)))
	}
	return w.windowCall(nextMatchWord, place...)
}
