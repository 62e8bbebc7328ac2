package pdf

import (
	"slices"
	"unicode/utf8"
)

// What distinguishes columns of prose from columns of a table.
const (
	minColumnLines = 3   // on both sides
	minProse       = 20  // characters of the median line
	minFilled      = 0.6 // width of the median line, relative to the left column
	maxLineGap     = 3   // between two lines of columns, relative to the height of a line
)

// Limits of the search for columns, since its time grows with the square of the lines.
const (
	maxColumnRows = 1000
	maxNested     = 4 // columns in columns
)

// inReadingOrder appends rows to lines. Where two columns of prose are next to each other, the left one precedes the
// right one.
func inReadingOrder(lines []row, rows []row, nested int) []row {
	c, found := columns{}, false
	if nested > 0 && len(rows) <= maxColumnRows {
		c, found = findColumns(rows)
	}
	if !found {
		return append(lines, rows...)
	}
	lines = append(lines, rows[:c.first]...)
	left, right := c.split(rows)
	lines = inReadingOrder(lines, left, nested-1)
	lines = inReadingOrder(lines, right, nested-1)
	return inReadingOrder(lines, rows[c.end:], nested)
}

// columns are rows with two columns. The right one begins at an edge that no cell crosses.
type columns struct {
	first, end int
	edge       float64
}

// findColumns returns the columns with the most rows.
func findColumns(rows []row) (best columns, found bool) {
	for _, edge := range edges(rows) {
		for first := 0; first < len(rows); first++ {
			c := columns{first: first, end: first, edge: edge}
			for c.end < len(rows) && !c.isCrossed(rows[c.end]) && (c.end == first || isNear(rows[c.end-1], rows[c.end])) {
				c.end++
			}
			if c.end-c.first > best.end-best.first && c.isProse(rows) {
				best, found = c, true
			}
			first = max(first, c.end-1)
		}
	}
	return best, found
}

// edges returns the places where cells of several rows begin.
func edges(rows []row) []float64 {
	count := map[float64]int{}
	for _, r := range rows {
		for _, c := range r {
			count[float64(int(c.box.Left))]++
		}
	}
	var found []float64
	for edge, n := range count {
		if n >= minColumnLines {
			found = append(found, edge)
		}
	}
	slices.Sort(found)
	return found
}

func (c columns) isLeft(of cell) bool { return of.box.Right < c.edge }

func (c columns) isCrossed(r row) bool {
	return slices.ContainsFunc(r, func(of cell) bool { return of.box.Left < c.edge && !c.isLeft(of) })
}

func isNear(above, below row) bool {
	a, b := above.box(), below.box()
	return a.Bottom-b.Top < maxLineGap*max(a.Top-a.Bottom, b.Top-b.Bottom)
}

// split returns the rows of both columns.
func (c columns) split(rows []row) (left, right []row) {
	for _, r := range rows[c.first:c.end] {
		at := slices.IndexFunc(r, func(of cell) bool { return !c.isLeft(of) })
		if at < 0 {
			at = len(r)
		}
		if at > 0 {
			left = append(left, r[:at:at])
		}
		if at < len(r) {
			right = append(right, r[at:])
		}
	}
	return left, right
}

// isProse reports whether both columns have long lines, and the left one is filled by them.
func (c columns) isProse(rows []row) bool {
	left, right := c.split(rows)
	if len(left) < minColumnLines || len(right) < minColumnLines {
		return false
	}
	start := left[0].box().Left
	for _, r := range left {
		start = min(start, r.box().Left)
	}
	widths := make([]float64, len(left))
	for i, r := range left {
		box := r.box()
		widths[i] = box.Right - box.Left
	}
	slices.Sort(widths)
	return medianLength(left) >= minProse && medianLength(right) >= minProse &&
		widths[len(widths)/2] >= minFilled*(c.edge-start)
}

func medianLength(rows []row) int {
	lengths := make([]int, len(rows))
	for i, r := range rows {
		for _, c := range r {
			lengths[i] += utf8.RuneCountInString(c.text)
		}
	}
	slices.Sort(lengths)
	return lengths[len(lengths)/2]
}
