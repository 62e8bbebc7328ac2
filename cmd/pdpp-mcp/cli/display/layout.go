package display

import (
	"slices"

	"github.com/jedib0t/go-pretty/v6/text"
)

// layout places the columns of a table on a screen.
type layout struct {
	columns []column
	natural []int // width of the widest cell
	widths  []int // 0: hidden
	left    int   // width that no column takes yet
}

// layout returns the width of each column, 0 for one that is hidden, and the column that each row shows on a line of its own,
// or -1. The columns that people read come first and get a fair width, then the others, and then all that is left is shared.
func (t *table) layout(columns int) (widths []int, below int) {
	l := &layout{columns: t.Columns, natural: t.natural(), widths: make([]int, len(t.Columns)), left: columns + columnsApart}
	below = -1
	var read, others []int
	for i, column := range t.Columns {
		switch {
		case column.Kind == emptyKind: // never shown
		case column.Kind == handleKind && l.natural[i] > columns*9/20 && len(t.Columns) > 1:
			below = i
		case column.Kind.read():
			read = append(read, i)
		default:
			others = append(others, i)
		}
	}
	slices.SortStableFunc(read, func(a, b int) int { return int(t.Columns[a].Kind - t.Columns[b].Kind) })
	slices.SortStableFunc(others, func(a, b int) int { return int(t.Columns[a].Kind - t.Columns[b].Kind) })
	l.place(read, columns, true)
	l.widen(read, kind.most)
	l.place(others, columns, false)
	all := append(read, others...)
	slices.SortStableFunc(all, func(a, b int) int { return (l.natural[a] - l.widths[a]) - (l.natural[b] - l.widths[b]) })
	l.widen(all, func(kind) int { return columns }) // those first that lack little
	return l.widths, below
}

// natural returns the width of the widest cell of each column.
func (t *table) natural() []int {
	widest := make([]int, len(t.Columns))
	for i, column := range t.Columns {
		widest[i] = text.StringWidthWithoutEscSequences(column.Name)
		for _, row := range t.Rows {
			widest[i] = max(widest[i], text.StringWidthWithoutEscSequences(row[i]))
		}
	}
	return widest
}

// place gives columns their least width, in this order, as far as they fit. A narrower column may take the place of one that
// does not, if skip is set. One column is shown in any case.
func (l *layout) place(order []int, columns int, skip bool) {
	for _, i := range order {
		least := min(l.natural[i], l.columns[i].Kind.least())
		if l.left > columns { // the first
			least = min(least, columns)
		}
		if least+columnsApart > l.left {
			if skip {
				continue
			}
			return
		}
		l.widths[i] = least
		l.left -= least + columnsApart
	}
}

// widen gives columns that are cut what is left, in this order, up to their most.
func (l *layout) widen(order []int, most func(kind) int) {
	for _, i := range order {
		if l.widths[i] == 0 || l.left <= 0 {
			continue
		}
		more := min(max(min(l.natural[i], most(l.columns[i].Kind))-l.widths[i], 0), l.left)
		l.widths[i] += more
		l.left -= more
	}
}
