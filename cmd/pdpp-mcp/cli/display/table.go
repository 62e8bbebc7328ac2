package display

import (
	"fmt"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/invocation"
)

// table is rows for people. It fits the width of a screen: columns that people read keep their place, and those that do not
// fit are counted and named below it.
type table struct {
	Columns []column
	Rows    [][]string
	Advice  string // where the columns that do not fit can be seen; may be empty

	zone string // of the times, such as CET; empty without times
}

// newTable makes a table. Where not all columns fit, the first are shown.
func newTable(names ...string) *table {
	table := &table{}
	for _, name := range names {
		table.Columns = append(table.Columns, column{Name: invocation.OneLine(name)})
	}
	return table
}

// Add adds a row with one cell for each column. Control characters are escaped.
func (t *table) Add(cells ...string) {
	row := make([]string, len(t.Columns))
	for i := range min(len(row), len(cells)) {
		row[i] = invocation.OneLine(cells[i])
	}
	t.Rows = append(t.Rows, row)
}

// empty reports whether a column has no value.
func (t *table) empty(at int) bool {
	return !slices.ContainsFunc(t.Rows, func(row []string) bool { return row[at] != "" })
}

// columnsApart is the space between two columns. Two spaces let other programs take a table apart.
const columnsApart = 2

// belowMost is the most lines that an id takes below its row. A longer one is counted only.
const belowMost = 2

// Render returns the lines of the table, without a line break at the end.
func (t *table) Render(screen screen) string {
	widths, below := t.layout(screen.Columns)
	lines := []string{t.line(screen, widths, nil)}
	tooLong := 0
	for _, row := range t.Rows {
		lines = append(lines, t.line(screen, widths, row))
		switch {
		case below < 0:
		case columnsApart+text.StringWidthWithoutEscSequences(row[below]) > belowMost*screen.Columns:
			tooLong++
		case row[below] != "":
			lines = append(lines, "  "+screen.look(t.Columns[below].Kind.look(), row[below]))
		}
	}
	if tooLong > 0 {
		lines = append(lines, screen.Notice(fmt.Sprintf("too long to show: %d of the %ss (--format json)", tooLong, t.Columns[below].Name)))
	}
	var hidden []string
	for i, column := range t.Columns {
		if widths[i] == 0 && i != below {
			hidden = append(hidden, column.Name)
		}
	}
	if len(hidden) > 0 {
		lines = append(lines, screen.Notice(t.counted(hidden, screen.Columns)))
	}
	return strings.Join(lines, "\n")
}

// counted is a line that says how many columns are hidden, where to see them, and as many of their names as fit.
func (t *table) counted(hidden []string, columns int) string {
	line := fmt.Sprintf("%d of %d columns hidden", len(hidden), len(t.Columns))
	empty := 0
	for _, column := range t.Columns {
		if column.Kind == emptyKind {
			empty++
		}
	}
	if empty > 0 {
		line += fmt.Sprintf(", %d empty", empty)
	}
	if t.Advice != "" {
		line += " (" + t.Advice + ")"
	}
	return text.Snip(line+": "+strings.Join(hidden, ", "), columns, "…")
}

// line renders a row, or the headings if row is nil.
func (t *table) line(screen screen, widths []int, row []string) string {
	var shown strings.Builder
	padding := 0
	for i, width := range widths {
		if width == 0 {
			continue
		}
		whole, look := t.Columns[i].Name, bold
		if row != nil {
			whole, look = row[i], t.Columns[i].Kind.look()
		}
		cut := text.Snip(whole, width, "…")
		space := width - text.StringWidthWithoutEscSequences(cut)
		before := padding
		if t.Columns[i].right {
			before, space = before+space, 0
		}
		padding = space + columnsApart
		if cut == "" {
			padding += before
			continue
		}
		shown.WriteString(strings.Repeat(" ", before))
		shown.WriteString(screen.link(screen.look(look, cut), whole))
	}
	return shown.String()
}
