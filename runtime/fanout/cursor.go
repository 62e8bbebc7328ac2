package fanout

import (
	"fmt"

	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// maxCursor limits a cursor, in characters. A text result shows it twice within 8,000 characters (R-BUD-2).
const maxCursor = 3_000

// cursor is the position of a search in every source that may have more hits, in the order of their hits. The server keeps no other state
// between pages. A search therefore continues after its token is renewed.
type cursor struct {
	Count     *int64  `json:"n,omitempty"` // of all hits, if the first page knew it
	Positions []place `json:"s"`
}

// place is the position of the next hit of a source.
type place struct {
	sourceKey
	position
}

func placeOf(source *Source, at position) place {
	next := place{source.key(), at}
	if !source.Shared {
		next.ConnectionID = ""
	}
	return next
}

// belongsTo reports whether the place is in a source.
func (p place) belongsTo(source *Source) bool {
	return p.sourceKey == source.key() || p.sourceKey == sourceKey{GrantID: source.GrantID} && !source.Shared
}

// position is the position of a hit in a source: a cursor of the source, and the number of hits to skip on its page.
type position struct {
	Cursor string `json:"c,omitempty"` // empty for the first page
	Skip   int    `json:"k,omitempty"`
}

// parseCursor reads the cursor of a request.
func parseCursor(text string, request rs.Request) (cursor, error) {
	if len(text) > maxCursor {
		return cursor{}, tool.CursorRefused(fmt.Sprintf("is longer than %d characters", maxCursor), nil)
	}
	parsed, _, err := tool.DecodeCursor[cursor]("", request, text)
	isMalformed := len(parsed.Positions) == 0 || parsed.Count != nil && *parsed.Count < 0
	seen := map[sourceKey]bool{}
	for _, place := range parsed.Positions {
		isMalformed = isMalformed || place.GrantID == "" || seen[place.sourceKey] || place.Skip < 0
		seen[place.sourceKey] = true
	}
	if err == nil && isMalformed {
		err = tool.CursorRefused("is malformed", nil)
	}
	return parsed, err
}
