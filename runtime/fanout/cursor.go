package fanout

import (
	"fmt"
	"slices"

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

// isIn reports whether the place is in a source.
func (p place) isIn(source *Source) bool {
	return p.sourceKey == source.key() || p.sourceKey == source.cursorKey()
}

// position is the position of a hit in a source: a cursor of the source, and the number of hits to skip on its page.
type position struct {
	Cursor string `json:"c,omitempty"` // empty for the first page
	Skip   int    `json:"k,omitempty"`
}

// resume sets the positions of the children to those of a cursor, in its order. A source that was added after the first page is not read. It
// refuses a cursor with a grant of another caller.
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

// cursor returns the cursor of the next page, or nothing on the last page. If it would be too large with the latest cursors of the sources,
// it counts positions from their earlier cursors. It returns nothing if the cursor is still too large.
func (p *page) cursor(rest []waiting) string {
	if len(rest) == 0 {
		return ""
	}
	next := cursor{Count: p.count}
	for _, each := range rest {
		next.Positions = append(next.Positions, place{each.source.cursorKey(), each.at})
	}
	encoded := tool.EncodeCursor("", p.request, next)
	if len(encoded) > maxCursor {
		for i, each := range rest { // one page of the source must reach the counted position
			if counted := each.counted; counted.Skip < rs.MostRows && len(counted.Cursor) < len(each.at.Cursor) {
				next.Positions[i].position = counted
			}
		}
		encoded = tool.EncodeCursor("", p.request, next)
	}
	if len(encoded) > maxCursor {
		return ""
	}
	return encoded
}
