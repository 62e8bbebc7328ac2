package render

import (
	"encoding/json"
	"sort"
	"unicode/utf8"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// Bounds of a result (R-BUD-2), in characters as Length counts them.
const (
	TextCharacters    = 8_000  // text of records, aggregate and search
	ChannelCharacters = 40_000 // text or structured output of any result
)

// Length is the length of a text in UTF-16 code units. Hosts written in JavaScript count so; it is
// never less than the number of code points.
func Length(text string) int {
	units := rawjson.ASCIIPrefix(text)
	for _, r := range text[units:] {
		if r > 0xFFFF {
			units++
		}
		units++
	}
	return units
}

// isWithin tells whether a value has at most so many characters. No character takes less than a byte, so that most
// values need no counting.
func isWithin(value json.RawMessage, characters int) bool {
	return len(value) <= characters || rawLength(value) <= characters
}

func rawLength(value json.RawMessage) int {
	ascii := rawjson.ASCIIPrefix(value)
	value = value[ascii:]
	runes := ascii + utf8.RuneCount(value)
	for _, b := range value {
		if b >= 0xF0 { // the first byte of four: a pair of units
			runes++
		}
	}
	return runes
}

// Clip is the beginning of a text, at most so many characters as Length counts them. It never cuts a code point in two.
func Clip(text string, characters int) string {
	if len(text) <= characters { // a character takes at least a byte
		return text
	}
	start := rawjson.ASCIIPrefix(text[:max(characters, 0)])
	units := start
	for at, r := range text[start:] {
		width := 1
		if r > 0xFFFF {
			width = 2
		}
		if units+width > characters {
			return text[:start+at]
		}
		units += width
	}
	return text
}

// Ceiling is the greatest length to which pieces may be cut so that all of them together stay
// within a budget: short pieces stay whole, and the long ones share what is left. Without a cut
// it is the length of the longest piece.
func Ceiling(lengths []int, budget int) int {
	low, high := 0, 0
	for _, length := range lengths {
		high = max(high, length)
	}
	for low < high {
		middle := (low + high + 1) / 2
		total := 0
		for _, length := range lengths {
			total += min(length, middle)
		}
		if total <= budget {
			low = middle
		} else {
			high = middle - 1
		}
	}
	return low
}

// within passes a result that keeps its bounds. Renderers make their results fit; what cannot be
// made to fit, such as a cursor longer than the whole text may be, is an answer that cannot be used.
func within(response *rs.Response, result *tool.Result, textBound int) (*tool.Result, error) {
	if length := Length(result.Text); length > textBound {
		return nil, response.Unusable("the answer holds handles that do not fit into the text", "narrow the call")
	}
	if !isWithin(result.Structured, ChannelCharacters) {
		return nil, response.Unusable("the answer holds members that do not fit into one result", "narrow the call")
	}
	return result, nil
}

// pieces is a page of which a number of leading pieces can be shown.
type pieces interface {
	show(count int)
	leftOut() int
	handlesLength() int          // of the least text that shows them
	structured() json.RawMessage // that shows them
}

// fitPage lets a page show as many pieces as fit into both channels, and gives the structured output of it.
// Lengths are those of the pieces in structured output, and most of them are shown at most.
func fitPage(page pieces, lengths []int, most int) json.RawMessage {
	var encoded json.RawMessage
	encodedPieces := -1
	shown := fitting(lengths[:most], func(count int) bool {
		page.show(count)
		reserve := 0
		if page.leftOut() > 0 {
			reserve = cursorCharacters
		}
		if page.handlesLength()+reserve > TextCharacters {
			return false
		}
		encoded, encodedPieces = page.structured(), count
		return isWithin(encoded, ChannelCharacters-reserve)
	})
	page.show(shown)
	if encodedPieces != shown {
		return page.structured()
	}
	return encoded
}

// fitting is the greatest number of leading pieces that fit, at most total. Fewer pieces than a
// fitting number fit as well. Lengths spare it the numbers that cannot fit into a channel.
func fitting(lengths []int, fits func(count int) bool) int {
	if total := sum(lengths); total <= ChannelCharacters && fits(len(lengths)) {
		return len(lengths)
	}
	most, length := 0, 0
	for most < len(lengths) && length <= ChannelCharacters {
		length += lengths[most]
		most++
	}
	return sort.Search(most, func(count int) bool { return !fits(count + 1) })
}

func sum(numbers []int) int {
	total := 0
	for _, number := range numbers {
		total += number
	}
	return total
}
