package display

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/invocation"
)

// table shows rows to people. The columns that do not fit are named below it.
type table struct {
	columns []column
	rows    [][]string
	advice  string // where the hidden columns are shown
	zone    string // of the times, such as CET; empty without times
}

type column struct {
	name     string
	kind     kind
	isRight  bool // aligned to the right
	hasMarks bool // <mark> and </mark> in the cells highlight
}

var marks = strings.NewReplacer("<mark>", beginHighlight, "</mark>", endHighlight)

// addColumn adds a column at the right. Control characters are escaped. Variation selectors are dropped, because terminals disagree about
// their width.
func (t *table) addColumn(added column, cells []string) {
	if t.rows == nil {
		t.rows = make([][]string, len(cells))
	}
	added.name = invocation.OneLine(added.name)
	t.columns = append(t.columns, added)
	for i, cell := range cells {
		cell = strings.ReplaceAll(invocation.OneLine(cell), "\ufe0f", "")
		if added.hasMarks {
			cell = marks.Replace(cell)
		}
		t.rows[i] = append(t.rows[i], cell)
	}
}

// sortColumns puts the columns into the order of their kinds.
func (t *table) sortColumns() {
	order := make([]int, len(t.columns))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return int(t.columns[a].kind - t.columns[b].kind) })
	t.columns = pick(t.columns, order)
	for i, row := range t.rows {
		t.rows[i] = pick(row, order)
	}
}

func pick[E any](from []E, indexes []int) []E {
	picked := make([]E, len(indexes))
	for i, index := range indexes {
		picked[i] = from[index]
	}
	return picked
}

// columnGap is the space between two columns. Programs can split a table at two spaces.
const columnGap = 2

// maxIDLines bounds the lines of an id below its row.
const maxIDLines = 2

// render returns the lines of the table, without a final line break.
func (t *table) render(screen screen) string {
	widths, below := t.layout(screen.columns)
	headings := make([]string, len(t.columns))
	var hidden []string
	for i, column := range t.columns {
		headings[i] = screen.style(bold, invocation.Cut(column.name, widths[i]))
		if widths[i] == 0 && i != below {
			hidden = append(hidden, column.name)
		}
	}
	lines := []string{t.line(widths, headings)}
	if screen.isBare {
		lines = nil
	}
	tooLong := 0
	for _, row := range t.rows {
		cells := make([]string, len(row))
		for i, cell := range row {
			cells[i] = screen.highlight(invocation.Cut(cell, widths[i]))
		}
		lines = append(lines, t.line(widths, cells))
		switch {
		case below < 0 || row[below] == "":
		case columnGap+invocation.Width(row[below]) > maxIDLines*screen.columns:
			tooLong++
		default:
			lines = append(lines, "  "+row[below])
		}
	}
	if tooLong > 0 {
		lines = append(lines, screen.style(faint, fmt.Sprintf("%s too long to show (--format json)", invocation.Count(tooLong, t.columns[below].name))))
	}
	if len(hidden) > 0 && !screen.isBare {
		line := fmt.Sprintf("%d of %d columns hidden", len(hidden), len(t.columns))
		if t.advice != "" {
			line += " (" + t.advice + ")"
		}
		line = invocation.Cut(line+": "+strings.Join(hidden, ", "), screen.columns)
		lines = append(lines, screen.style(faint, line))
	}
	return strings.Join(lines, "\n")
}

// line joins cells, which are already cut and styled.
func (t *table) line(widths []int, cells []string) string {
	var line strings.Builder
	padding := 0
	for i, width := range widths {
		if width == 0 {
			continue
		}
		before, after := 0, max(width-invocation.Width(sgr.ReplaceAllString(cells[i], "")), 0)
		if t.columns[i].isRight {
			before, after = after, 0
		}
		if cells[i] == "" {
			padding += before + after + columnGap
			continue
		}
		line.WriteString(strings.Repeat(" ", padding+before) + cells[i])
		padding = after + columnGap
	}
	return line.String()
}
