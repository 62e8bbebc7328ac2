package display

import "cmp"

// layout sets the width of each column, 0 for a hidden one. It returns the id column that goes below each row, or nil. The columns that
// people read get a fair width first, then the others their minimum, and then all share the rest.
func (t *table) layout(screenWidth int) (below *column) {
	left, isFirst := screenWidth+columnGap, true
	place := func(columns []*column) {
		for _, c := range columns {
			width := min(c.natural, cmp.Or(minWidths[c.kind], unlimited))
			if isFirst { // one column is always shown
				width = min(width, left-columnGap)
			}
			if width+columnGap <= left {
				c.width, isFirst = width, false
				left -= width + columnGap
			}
		}
	}
	widen := func(columns []*column, limits map[kind]int) {
		for _, c := range columns {
			if c.width > 0 {
				more := max(0, min(min(c.natural, cmp.Or(limits[c.kind], unlimited))-c.width, left))
				c.width += more
				left -= more
			}
		}
	}
	read := t.ofKinds(readKinds...)
	others := t.ofKinds(otherKind, idKind)
	place(read)
	for _, handle := range t.ofKinds(handleKind) {
		if handle.natural+columnGap <= left || len(t.columns) == 1 {
			place([]*column{handle})
		} else {
			below = handle
		}
	}
	widen(read, fairWidths)
	place(others)
	widen(append(read, others...), nil)
	return below
}

// ofKinds returns the columns of some kinds, kind by kind.
func (t *table) ofKinds(kinds ...kind) (columns []*column) {
	for _, kind := range kinds {
		for i := range t.columns {
			if t.columns[i].kind == kind {
				columns = append(columns, &t.columns[i])
			}
		}
	}
	return columns
}
