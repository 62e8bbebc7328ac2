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

// layout returns the width of each column, 0 for a hidden one. It reports the column that goes on a line of its own below each row,
// or -1. The columns that people read get a fair width, then the others their least one, and then all share what is left.
func (t *table) layout(screenWidth int) (widths []int, below int) {
	l := &layout{t.columns, t.naturalWidths(), make([]int, len(t.columns)), screenWidth + columnGap}
	var read, others []int
	for i := range t.columns {
		if kind := t.columns[i].kind; kind < otherKind {
			read = append(read, i)
		} else if kind != emptyKind && kind != handleKind {
			others = append(others, i)
		}
	}
	byKind := func(a, b int) int { return int(t.columns[a].kind - t.columns[b].kind) }
	slices.SortStableFunc(read, byKind)
	slices.SortStableFunc(others, byKind)
	l.place(read)
	below = slices.IndexFunc(t.columns, func(column column) bool { return column.kind == handleKind })
	if below >= 0 && (l.natural[below]+columnGap <= l.left || len(t.columns) == 1) {
		l.place([]int{below})
		below = -1
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

func (t *table) naturalWidths() []int {
	widest := make([]int, len(t.columns))
	for i, column := range t.columns {
		widest[i] = invocation.Width(column.name)
		for _, row := range t.rows {
			widest[i] = max(widest[i], invocation.Width(row[i]))
		}
	}
	return widest
}

// place gives columns their least width as far as they fit. The first column of all is shown in any case.
func (l *layout) place(order []int) {
	for _, i := range order {
		least := min(l.natural[i], l.columns[i].kind.minWidth())
		if !slices.ContainsFunc(l.widths, func(width int) bool { return width > 0 }) {
			least = min(least, l.left-columnGap)
		}
		if least+columnGap <= l.left {
			l.widths[i] = least
			l.left -= least + columnGap
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
