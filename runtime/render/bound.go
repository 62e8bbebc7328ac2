package render

import (
	"encoding/json"
	"unicode/utf8"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// Bounds of a result (R-BUD-2), in characters as Length counts them.
const (
	TextCharacters    = 24_000 // text of records, aggregate and search
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

// isWithin reports whether a value has at most so many characters. No character takes less than a byte, so that most
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

// within passes a result that keeps its bounds. Renderers make their results fit; what cannot be
// made to fit, such as a cursor longer than the whole text may be, is an answer that cannot be used.
func within(response *rs.Response, result *tool.Result, textBound int) (*tool.Result, error) {
	if len(result.Text) > textBound && Length(result.Text) > textBound { // no character takes less than a byte
		return nil, response.Unusable("the answer holds handles that do not fit into the text", "narrow the call")
	}
	if !isWithin(result.Structured, ChannelCharacters) {
		return nil, response.Unusable("the answer holds members that do not fit into one result", "narrow the call")
	}
	return result, nil
}
