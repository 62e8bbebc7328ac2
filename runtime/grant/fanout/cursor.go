package fanout

import (
	"fmt"
	"slices"

	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// maxCursor limits a cursor, in characters. A text result shows it twice within 8,000 characters (R-BUD-2).
const maxCursor = 3_000

// cursor is the position of a search in every source that may have more hits, in the order of their hits. The server
// keeps no other state between pages. A search therefore continues after its token is renewed.
type cursor struct {
	Count     *int64  `json:"n,omitempty"` // of all hits, if the first page knew it
	Positions []place `json:"s"`
}

// place is the position of the next hit of a source.
type place struct {
	sourceKey
	position
}

// isIn reports whether the place is in a source.
func (p place) isIn(source *Source) bool {
	return p.sourceKey == source.key() || p.sourceKey == source.cursorKey()
}

// position is the position of a hit in a source: a cursor of the source, and the number of hits to skip on its page.
type position struct {
	Cursor string `json:"c,omitempty"` // empty for the first page
	Skip   int    `json:"k,omitempty"`
}

// resume sets the children and their positions to those of a cursor, which may only name sources of the caller.
func (p *page) resume(text string) error {
	if len(text) > maxCursor {
		return tool.CursorRefused(fmt.Sprintf("is longer than %d characters", maxCursor), nil)
	}
	sent, _, err := tool.DecodeCursor[cursor]("", p.request, text)
	if err != nil {
		return err
	}
	isMalformed := len(sent.Positions) == 0 || sent.Count != nil && *sent.Count < 0
	all := p.children
	p.count, p.children = sent.Count, nil
	for _, place := range sent.Positions {
		i := slices.IndexFunc(all, func(c *child) bool { return place.isIn(c.source) })
		switch {
		case i >= 0:
			isMalformed = isMalformed || place.Skip < 0 || slices.Contains(p.children, all[i])
			all[i].next = stop{place.position, place.position}
			p.children = append(p.children, all[i])
		case !slices.ContainsFunc(p.ended, func(a absence) bool { return place.isIn(a.source) }):
			return tool.CursorRefused("names a source that you cannot read", nil)
		}
	}
	if isMalformed {
		return tool.CursorRefused("is malformed", nil)
	}
	return nil
}

// cursor returns the cursor of the next page in the first version that is not too large. It returns nothing if all are,
// and for no places.
func (p *page) cursor(versions ...[]place) string {
	for _, places := range versions {
		if encoded := tool.EncodeCursor("", p.request, cursor{p.count, places}); len(places) > 0 && len(encoded) <= maxCursor {
			return encoded
		}
	}
	return ""
}
