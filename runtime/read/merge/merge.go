// Package merge puts the rows of several sources into one order. Package fanout merges hits with it by rank, and
// package scan the records of streams by time.
package merge

// Order returns the source of each of the first rows, up to a limit. Sources and their rows are numbered from 0.
// It calls has for the next row of each source, and before for two existing rows. Of two equal rows, the one of the
// lower source is first.
func Order(sources, limit int, has func(source, row int) bool, before func(a, b Row) bool) []int {
	order := make([]int, 0, limit)
	next := make([]int, sources)
	for len(order) < limit {
		first := Row{Source: -1}
		for source := range sources {
			row := Row{source, next[source]}
			if has(source, row.Number) && (first.Source < 0 || before(row, first)) {
				first = row
			}
		}
		if first.Source < 0 {
			break
		}
		next[first.Source]++
		order = append(order, first.Source)
	}
	return order
}

// Row is one row of a source.
type Row struct{ Source, Number int }
