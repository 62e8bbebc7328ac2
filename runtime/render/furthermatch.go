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

// Bounds of looking for further matches behind a window.
const (
	windowsAhead = 8  // that are read at most, of the greatest length: some 130,000 characters
	matchesMost  = 10 // that are named
)

// furtherMatches are the places behind a window where the words of its match stand again.
type furtherMatches struct {
	offsets  []int64 // in code points; matchesMost at most
	searched int64   // up to here, where that is not the end of the field; else 0
}

// nextMatchWord introduces the call that leads to the next match, in either channel.
const nextMatchWord = "next_match"

// lookAhead finds the further matches of a window around a match (R-WIN-4). A server knows the first one alone (932e), and no window
// is asked for by words and a place together (R-ARG-9), so that what stands behind is read and compared as the server does, without
// regard to case. It is nil where nothing can be said of it.
func (w *window) lookAhead(ctx context.Context, env tool.Env, request rs.Request) *furtherMatches {
	needle := lowered(w.input.Call.Arguments.Text(w.input.Call.argument(tool.FieldQ)))
	matched, isMatch := w.members.Int("match_end_chars")
	end, more := w.members.Int("next_offset_chars")
	if len(needle) == 0 || !isMatch || !more {
		return nil
	}
	from := max(matched, end-int64(len(needle))+1) // a match may stand on the edge
	var found *furtherMatches
	for range windowsAhead {
		ahead := w.another(ctx, env, request, from)
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
		from = found.searched - int64(len(needle)) + 1
	}
	return found
}

// matchesIn are the places of words in a window that begins at an offset.
func matchesIn(ahead *window, from int64, needle []rune) *furtherMatches {
	found, text := &furtherMatches{}, lowered(ahead.text)
	for at := 0; ; at += len(needle) {
		next := indexOf(text[at:], needle)
		if next < 0 {
			break
		}
		at += next
		if len(found.offsets) == matchesMost {
			found.searched = from + int64(at)
			return found
		}
		found.offsets = append(found.offsets, from+int64(at))
	}
	if behind, hasMore := ahead.members.Int("next_offset_chars"); hasMore {
		found.searched = behind
	}
	return found
}

// another is the longest window of the text from an offset; nil when it cannot be had.
func (w *window) another(ctx context.Context, env tool.Env, request rs.Request, from int64) *window {
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

// lowered is a text in lower case, a letter for each of its code points.
func lowered(text string) []rune {
	letters := make([]rune, 0, utf8.RuneCountInString(text))
	for _, each := range text {
		letters = append(letters, unicode.ToLower(each))
	}
	return letters
}

// indexOf is where letters stand first in others; -1: nowhere.
func indexOf(text, sought []rune) int {
	bytes := strings.Index(string(text), string(sought))
	if bytes < 0 {
		return -1
	}
	return utf8.RuneCountInString(string(text)[:bytes])
}

// note says where the words stand again.
func (f *furtherMatches) note() string {
	if len(f.offsets) == 0 && f.searched == 0 {
		return "q does not stand again behind this window."
	}
	if len(f.offsets) == 0 {
		return fmt.Sprintf("q does not stand again up to offset_chars %d, where the search ended.", f.searched)
	}
	places := make([]string, len(f.offsets))
	for i, offset := range f.offsets {
		places[i] = strconv.FormatInt(offset, 10)
	}
	said := "q stands again at offset_chars " + strings.Join(places, ", ")
	if f.searched == 0 {
		return said + ", and nowhere behind."
	}
	return fmt.Sprintf("%s; the search ended at %d.", said, f.searched)
}

// nextMatch leads to the next match behind the window, with as much around it as the caller wanted.
func (w *window) nextMatch() []direction {
	if w.further == nil || len(w.further.offsets) == 0 {
		return nil
	}
	given := w.input.Call
	number := func(parameter string) (int64, bool) { return given.Arguments.Int(given.argument(parameter)) }
	before, _ := number("before_chars")
	place := []rawjson.Member{rawjson.Int(tool.FieldOffsetChars, max(0, w.further.offsets[0]-before))}
	if after, isGiven := number("after_chars"); isGiven {
		if _, limited := number(tool.FieldLimitChars); !limited {
			matched, _ := w.members.Int("match_end_chars")
			start, _ := w.members.Int("match_start_chars")
			place = append(place, rawjson.Int(tool.FieldLimitChars, min(maxWindow, before+matched-start+after)))
		}
	}
	return w.toward(nextMatchWord, place...)
}
