package display

import (
	"slices"

	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/invocation"
)

// layout distributes the width of a screen over the columns of a table.
type layout struct {
	columns []column
	natural []int // width of the widest cell
	widths  []int // 0: hidden
	left    int
}

// layout returns the width of each column, 0 for a hidden one, and the index of the id column that goes below each row, or -1. The columns
// that people read get a fair width first, then the others their minimum, and then all share the rest.
func (t *table) layout(screenWidth int) (widths []int, below int) {
	l := &layout{t.columns, t.naturalWidths(), make([]int, len(t.columns)), screenWidth + columnGap}
	var read, others []int
	for _, kind := range readKinds {
		read = append(read, l.ofKind(kind)...)
	}
	others = append(l.ofKind(otherKind), l.ofKind(idKind)...)
	l.place(read)
	below = -1
	if handle := l.ofKind(handleKind); handle != nil {
		if l.natural[handle[0]]+columnGap <= l.left || len(t.columns) == 1 {
			l.place(handle)
		} else {
			below = handle[0]
		}
	}
	for _, i := range read {
		l.widen(i, t.columns[i].kind.fairWidth())
	}
	l.place(others)
	for _, i := range append(read, others...) {
		l.widen(i, unlimited)
	}
	return l.widths, below
}

func (l *layout) ofKind(kind kind) (indexes []int) {
	for i := range l.columns {
		if l.columns[i].kind == kind {
			indexes = append(indexes, i)
		}
	}
	return indexes
}

func (t *table) naturalWidths() []int {
	widths := make([]int, len(t.columns))
	for i, column := range t.columns {
		widths[i] = invocation.Width(column.name)
		for _, row := range t.rows {
			widths[i] = max(widths[i], invocation.Width(row[i]))
		}
	}
	return widths
}

// place gives columns their minimum width if it fits. The first column of the table is always shown.
func (l *layout) place(indexes []int) {
	for _, i := range indexes {
		width := min(l.natural[i], l.columns[i].kind.minWidth())
		if !slices.ContainsFunc(l.widths, func(width int) bool { return width > 0 }) {
			width = min(width, l.left-columnGap)
		}
		if width+columnGap <= l.left {
			l.widths[i] = width
			l.left -= width + columnGap
		}
	}
}

// widen widens a shown column up to a limit.
func (l *layout) widen(i, limit int) {
	if l.widths[i] > 0 {
		more := max(min(min(l.natural[i], limit)-l.widths[i], l.left), 0)
		l.widths[i] += more
		l.left -= more
	}
}
