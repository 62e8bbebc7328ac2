package fanout

import (
	"fmt"

	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

const (
	cursorVersion = 1

	// maxCursor limits a cursor, in characters. A text result shows it twice within 8,000 characters (R-BUD-2).
	maxCursor = 3_000
)

// cursor is the position of a search in every source that may have more hits, in the order of their hits. The server keeps nothing else
// between pages, so a search continues with a renewed token.
type cursor struct {
	Version   int     `json:"v"`
	Question  string  `json:"q"`           // of the search
	Count     *int64  `json:"n,omitempty"` // of all hits, if the first page knew it
	Positions []place `json:"s"`
}

// place is the position of the next hit of a source.
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

// belongsTo reports whether the place is in a source.
func (p place) belongsTo(source *Source) bool {
	return p.sourceKey == source.key() || p.sourceKey == sourceKey{GrantID: source.GrantID} && !source.Shared
}

// position is a hit of a source: a number of hits after the beginning of the page at a cursor of the source.
type position struct {
	Cursor string `json:"c,omitempty"` // empty for the first page
	Skip   int    `json:"k,omitempty"`
}

// parseCursor reads a cursor of the same question.
func parseCursor(text, question string) (cursor, error) {
	if len(text) > maxCursor {
		return cursor{}, tool.CursorRefused(fmt.Sprintf("is longer than %d characters", maxCursor), nil)
	}
	parsed, err := tool.DecodeCursor[cursor](text)
	switch {
	case err != nil:
		return cursor{}, err
	case parsed.Version != cursorVersion:
		return cursor{}, tool.CursorRefused(fmt.Sprintf("has the unknown version %d", parsed.Version), nil)
	case parsed.Question != question:
		return cursor{}, tool.CursorRefused("belongs to another search: q, mode, streams and filter must stay the same", nil)
	}
	isMalformed := len(parsed.Positions) == 0 || parsed.Count != nil && *parsed.Count < 0
	seen := map[sourceKey]bool{}
	for _, place := range parsed.Positions {
		isMalformed = isMalformed || place.GrantID == "" || seen[place.sourceKey] || place.Skip < 0
		seen[place.sourceKey] = true
	}
	if isMalformed {
		return cursor{}, tool.CursorRefused("is malformed", nil)
	}
	return parsed, nil
}
