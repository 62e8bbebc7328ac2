package render

import (
	"encoding/json"
	"unicode/utf8"

	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// Bounds of a result (R-BUD-2), in characters as Length counts them.
const (
	TextCharacters    = 24_000 // text of records, aggregate and search
	ChannelCharacters = 40_000 // text or structured output of any result
)

// Length returns the length of a text in UTF-16 code units, as hosts written in JavaScript count. It is never less than the number
// of code points.
func Length(text string) int {
	units := 0
	for _, r := range text {
		if r > 0xFFFF {
			units++
		}
		units++
	}
	return units
}

// rawLength is Length for bytes in UTF-8.
func rawLength(value json.RawMessage) int {
	units := utf8.RuneCount(value)
	for _, b := range value {
		if b >= 0xF0 { // the first byte of a character beyond U+FFFF
			units++
		}
	}
	return units
}

// withinBounds returns a result that keeps its bounds. Renderers make their results fit; an answer whose cursor alone is longer than
// the text may be cannot be used.
func withinBounds(response *rs.Response, result *tool.Result, textBound int) (*tool.Result, error) {
	switch {
	case Length(result.Text) > textBound:
		return nil, response.Unusable("the answer holds handles that do not fit into the text", "narrow the call")
	case rawLength(result.Structured) > ChannelCharacters:
		return nil, response.Unusable("the answer holds members that do not fit into one result", "narrow the call")
	}
	return result, nil
}
