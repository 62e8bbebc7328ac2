package render

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// windowsAhead is how many windows of the largest length are searched for the next match: some 130,000 characters.
const windowsAhead = 8

type laterMatch struct {
	offset   int64 // in code points; -1: the text that was searched has no match
	searched int64 // where the search stopped before the end of the field; otherwise 0
}

// findLater finds the next match after a window around a match (R-WIN-4). A server finds only the first match (932e), so later text is
// read and compared without regard to case. It returns nil if the result is unknown.
func (w *window) findLater(ctx context.Context, env tool.Env, request rs.Request) *laterMatch {
	needle := strings.Map(unicode.ToLower, rawjson.TextOf(w.input.Call.Arguments.Get(tool.FieldQ)))
	matched, isMatch := w.members.Int("match_end_chars")
	end, more := w.members.Int("next_offset_chars")
	if needle == "" || !isMatch || !more {
		return nil
	}
	overlap := int64(utf8.RuneCountInString(needle)) - 1 // a match may begin in one window and end in the next
	from := max(matched, end-overlap)
	var found *laterMatch
	for range windowsAhead {
		ahead := w.windowFrom(ctx, env, request, from)
		if ahead == nil {
			break
		}
		if start, known := ahead.members.Int("start_chars"); !known || start != from {
			break
		}
		before, _, isFound := strings.Cut(strings.Map(unicode.ToLower, ahead.text), needle)
		if isFound {
			return &laterMatch{offset: from + int64(utf8.RuneCountInString(before))}
		}
		next, hasMore := ahead.members.Int("next_offset_chars")
		if found = (&laterMatch{-1, next}); !hasMore || next <= from {
			break
		}
		from = next - overlap
	}
	return found
}

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

func (m *laterMatch) note() string {
	switch {
	case m.offset >= 0:
		return fmt.Sprintf("q occurs again at offset_chars %d.", m.offset)
	case m.searched == 0:
		return "q does not occur again after this window."
	}
	return fmt.Sprintf("q does not occur again up to offset_chars %d, where the search ended.", m.searched)
}

// nextMatch returns the continuation to the next match after the window, with as much text around it as the caller requested.
func (w *window) nextMatch() []direction {
	if w.later == nil || w.later.offset < 0 {
		return nil
	}
	given := rawjson.Object{}
	for _, parameter := range []string{"before_chars", "after_chars", tool.FieldLimitChars} {
		given = append(given, rawjson.Raw(parameter, w.input.Call.Arguments.Get(parameter)))
	}
	before, _ := given.Int("before_chars")
	place := []rawjson.Member{rawjson.Int(tool.FieldOffsetChars, max(0, w.later.offset-before))}
	after, isGiven := given.Int("after_chars")
	if _, isLimited := given.Int(tool.FieldLimitChars); isGiven && !isLimited {
		matched, _ := w.members.Int("match_end_chars")
		start, _ := w.members.Int("match_start_chars")
		place = append(place, rawjson.Int(tool.FieldLimitChars, min(maxWindow, before+matched-start+after)))
	}
	return w.windowCall(nextMatchWord, place...)
}
