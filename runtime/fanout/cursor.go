package fanout

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"unicode/utf8"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

const (
	cursorVersion = 1

	// cursorCharacters bounds a cursor. A text result shows it twice within 8,000 characters (R-BUD-2).
	cursorCharacters = 3_000
)

// cursor is the place of a search in every source that may have more hits, in the order of their hits. It
// is all that is kept of a search between its pages, so that a newer token can go on as well.
type cursor struct {
	Version   int     `json:"v"`
	Question  string  `json:"q"`           // what the cursor is bound to
	Count     *int64  `json:"n,omitempty"` // all hits of all sources, when the first page knew
	Positions []place `json:"s"`
}

// place is where the next hit of a source is. A source that has no more hits has none.
type place struct {
	sourceKey
	position
}

func placeOf(source *Source, at position) place {
	of := place{source.key(), at}
	if !source.Shared {
		of.ConnectionID = ""
	}
	return of
}

// is reports whether the place is one in a source.
func (p place) is(source *Source) bool {
	return p.sourceKey == source.key() || p.sourceKey == sourceKey{GrantID: source.GrantID} && !source.Shared
}

// position is a hit of a source: the page that begins at a cursor of the source, and how many hits of it
// come before.
type position struct {
	Cursor sourceCursor `json:"c,omitempty"` // empty: the first page
	Skip   int          `json:"k,omitempty"`
}

// sourceCursor is a source's own cursor. Servers spell objects in base64, which would be spelled so a second time in a cursor of
// several sources, a third longer for each: it holds the object in place of such a text.
type sourceCursor string

// MarshalJSON gives the object that the cursor spells, where no byte of the text is lost by it, else the text.
func (c sourceCursor) MarshalJSON() ([]byte, error) {
	var compact bytes.Buffer
	object, err := base64.RawURLEncoding.Strict().DecodeString(string(c))
	if err == nil && len(object) > 0 && object[0] == '{' && json.Compact(&compact, object) == nil && bytes.Equal(compact.Bytes(), object) && utf8.Valid(object) {
		return object, nil
	}
	return rawjson.Quote(string(c)), nil
}

// UnmarshalJSON reads what MarshalJSON gives.
func (c *sourceCursor) UnmarshalJSON(data []byte) error {
	if data[0] == '{' {
		*c = sourceCursor(base64.RawURLEncoding.EncodeToString(data))
		return nil
	}
	return json.Unmarshal(data, (*string)(c))
}

// parseCursor reads a cursor that was made for the same question, and nothing else.
func parseCursor(text, question string) (cursor, error) {
	if len(text) > cursorCharacters {
		return cursor{}, tool.CursorRefused(fmt.Sprintf("is longer than %d characters", cursorCharacters), nil)
	}
	parsed, err := tool.DecodeCursor[cursor](text)
	switch {
	case err != nil:
		return cursor{}, err
	case parsed.Version != cursorVersion:
		return cursor{}, tool.CursorRefused(fmt.Sprintf("is of version %d, which is not known here", parsed.Version), nil)
	case parsed.Question != question:
		return cursor{}, tool.CursorRefused("belongs to another search: q, mode, streams and filter must stay the same", nil)
	}
	isMalformed := len(parsed.Positions) == 0 || parsed.Count != nil && *parsed.Count < 0
	seen := map[sourceKey]bool{}
	for _, place := range parsed.Positions {
		isMalformed = isMalformed || place.GrantID == "" || seen[place.sourceKey] || place.Skip < 0
		seen[place.sourceKey] = true
	}
	if isMalformed { // no page leads there
		return cursor{}, tool.CursorRefused("is malformed", nil)
	}
	return parsed, nil
}
