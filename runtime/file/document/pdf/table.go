package pdf

import (
	"cmp"
	"slices"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/file/document"
)

// innerGap is the width of a space in a cell where a narrow column can end, relative to the height of the characters.
const innerGap = 0.75

// gap is a wide space in a cell.
type gap struct {
	offset      int // of the space in the text
	left, right float64
}

// pieces returns the texts between the wide spaces of a cell.
func (c cell) pieces() []cell {
	var pieces []cell
	start, box := 0, c.box
	for _, g := range c.gaps {
		piece := box
		piece.Right, box.Left = g.left, g.right
		pieces = append(pieces, cell{text: c.text[start:g.offset], box: piece})
		start = g.offset + 1
	}
	last := cell{text: c.text[start:], box: box}
	if c.isDivided {
		last.text += "-"
	}
	return append(pieces, last)
}

// writeLines writes lines of text. If at least two have cells, these are rows of tables in CSV.
func writeLines(text *strings.Builder, lines []row) {
	isTable := func(r row) bool { return len(r) > 1 }
	hasTable := slices.IndexFunc(lines, isTable) != lastIndex(lines, isTable)
	for len(lines) > 0 {
		if end := tableEnd(lines); hasTable && end > 0 {
			writeTable(text, lines[:end])
			lines = lines[end:]
			continue
		}
		writeLine(text, lines[0])
		lines = lines[1:]
	}
}

func lastIndex(lines []row, is func(row) bool) int {
	for i := len(lines) - 1; i >= 0; i-- {
		if is(lines[i]) {
			return i
		}
	}
	return -1
}

func writeLine(text *strings.Builder, line row) {
	for i, c := range line {
		if i > 0 {
			text.WriteByte(' ')
		}
		text.WriteString(c.text)
	}
	if !line[len(line)-1].isDivided { // the next line has the rest of the word
		text.WriteByte('\n')
	}
}

// tableEnd returns the number of lines of the table with which the lines begin. The first and the last row have several
// cells.
func tableEnd(lines []row) int {
	end := 0
	for i, line := range lines {
		if i > 0 && (line.box().Top > lines[i-1].box().Top || !isNear(lines[i-1], line)) || i == 0 && len(line) == 1 {
			break
		}
		if len(line) > 1 || end > 0 && isSameRow(lines[i-1], line) {
			end = i + 1
		}
	}
	return end
}

// isSameRow reports whether a line overlaps the one above it. In a table, a cell of one line is in the middle of a cell
// of two lines.
func isSameRow(above, below row) bool {
	a, b := above.box(), below.box()
	return b.Top-a.Bottom > minOverlap*min(a.Top-a.Bottom, b.Top-b.Bottom)
}

// minOverlap is the overlap of two lines of a row, relative to the height of the lower one.
const minOverlap = 0.2

// rowsOfTable divides the lines of a table into rows.
func rowsOfTable(lines []row) [][]row {
	rows := [][]row{lines[:1]}
	start := 0
	for i := 1; i < len(lines); i++ {
		if !isSameRow(lines[i-1], lines[i]) {
			start = i
			rows = append(rows, nil)
		}
		rows[len(rows)-1] = lines[start : i+1]
	}
	return rows
}

// writeTable writes a table with an empty cell where a row has none in a column. A line across several columns stays a
// line.
func writeTable(text *strings.Builder, lines []row) {
	rows := rowsOfTable(lines)
	columns := columnsOf(rows)
	for _, r := range rows {
		if texts, fits := inColumns(r, columns); fits {
			text.WriteString(document.Row(texts))
			continue
		}
		for _, line := range r {
			if len(line) > 1 {
				text.WriteString(document.Row(wholeTexts(line)))
			} else {
				writeLine(text, line)
			}
		}
	}
}

func wholeTexts(line row) []string {
	texts := make([]string, len(line))
	for i, c := range line {
		texts[i] = c.text
		if c.isDivided {
			texts[i] += "-"
		}
	}
	return texts
}

// span is the place of a column.
type span struct{ left, right float64 }

// columnsOf returns the columns of a table from left to right. It returns nil if cells of one line share a column.
func columnsOf(rows [][]row) []span {
	var spans []span
	for _, line := range slices.Concat(rows...) {
		for _, c := range line {
			if len(line) == 1 {
				continue
			}
			for _, p := range c.pieces() {
				spans = append(spans, span{p.box.Left, p.box.Right})
			}
		}
	}
	slices.SortFunc(spans, func(a, b span) int { return cmp.Compare(a.left, b.left) })
	columns := joinSpans(spans, func(last, s span) bool { return s.left <= last.right })
	for _, line := range slices.Concat(rows...) {
		for i, c := range line[1:] {
			if columnAt(columns, c.box.Left) == columnAt(columns, line[i].box.Right) {
				return nil
			}
		}
	}
	// A heading and its numbers can be apart. They are one column if no row has cells in both.
	filled := make([]map[int]bool, len(rows))
	for i, r := range rows {
		filled[i] = map[int]bool{}
		for _, c := range slices.Concat(r...) {
			filled[i][columnAt(columns, c.box.Left)], filled[i][columnAt(columns, c.box.Right)] = true, true
		}
	}
	at := 0
	return joinSpans(columns, func(span, span) bool {
		at++
		return !slices.ContainsFunc(filled, func(in map[int]bool) bool { return in[at-1] && in[at] })
	})
}

// joinSpans joins each span with the last one if both are the same column.
func joinSpans(spans []span, isSame func(last, s span) bool) []span {
	var joined []span
	for _, s := range spans {
		if last := len(joined) - 1; last >= 0 && isSame(joined[last], s) {
			joined[last].right = max(joined[last].right, s.right)
		} else {
			joined = append(joined, s)
		}
	}
	return joined
}

// columnAt returns the index of the column at a place, or -1.
func columnAt(columns []span, place float64) int {
	i, _ := slices.BinarySearchFunc(columns, place,
		func(s span, place float64) int { return cmp.Compare(s.right, place) })
	if i == len(columns) || columns[i].left > place {
		return -1
	}
	return i
}

// inColumns returns the texts of a row by column. It is false if a part of the row is in no column or in several.
func inColumns(lines []row, columns []span) (texts []string, fits bool) {
	texts = make([]string, len(columns))
	for _, c := range slices.Concat(lines...) {
		for _, p := range c.pieces() {
			i := columnAt(columns, p.box.Left)
			if i < 0 || i != columnAt(columns, p.box.Right) {
				return nil, false
			}
			texts[i] = strings.TrimPrefix(texts[i]+" "+p.text, " ")
		}
	}
	return texts, true
}
