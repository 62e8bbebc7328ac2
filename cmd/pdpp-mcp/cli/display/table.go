package display

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/invocation"
)

// table shows rows to people. Columns that do not fit the screen are named below it.
type table struct {
	columns []column
	rows    [][]string
	advice  string // where to see the hidden columns
	zone    string // of the times, such as CET; empty without times
}

type column struct {
	name     string
	kind     kind
	isRight  bool // aligned to the right
	hasMarks bool // <mark> and </mark> in the cells highlight
}

var marks = strings.NewReplacer("<mark>", beginHighlight, "</mark>", endHighlight)

// addColumn adds a column at the right. Control characters are escaped. A variation selector is dropped, because terminals disagree
// about its width.
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

func pick[E any](from []E, order []int) []E {
	picked := make([]E, len(order))
	for i, at := range order {
		picked[i] = from[at]
	}
	return picked
}

// columnGap is the space between two columns. Programs can split a table at two spaces.
const columnGap = 2

// maxIDLines is how many lines an id may take below its row.
const maxIDLines = 2

// render returns the lines of the table without a final line break.
func (t *table) render(screen screen) string {
	widths, below := t.layout(screen.columns)
	headings := make([]string, len(t.columns))
	var hidden []string
	for i, column := range t.columns {
		headings[i] = column.name
		if widths[i] == 0 && i != below {
			hidden = append(hidden, column.name)
		}
	}
	lines := []string{t.line(screen, widths, headings, func(kind) string { return bold })}
	tooLong := 0
	for _, row := range t.rows {
		lines = append(lines, t.line(screen, widths, row, kind.style))
		switch {
		case below < 0 || row[below] == "":
		case columnGap+invocation.Width(row[below]) > maxIDLines*screen.columns:
			tooLong++
		default:
			lines = append(lines, "  "+screen.style(handleKind.style(), row[below]))
		}
	}
	if tooLong > 0 {
		lines = append(lines, screen.style(faint, fmt.Sprintf("%s too long to show (--format json)", invocation.Count(tooLong, t.columns[below].name))))
	}
	if len(hidden) > 0 {
		line := fmt.Sprintf("%d of %d columns hidden", len(hidden), len(t.columns))
		if t.advice != "" {
			line += " (" + t.advice + ")"
		}
		line = invocation.Cut(line+": "+strings.Join(hidden, ", "), screen.columns)
		lines = append(lines, screen.style(faint, line))
	}
	return strings.Join(lines, "\n")
}

func (t *table) line(screen screen, widths []int, cells []string, styleOf func(kind) string) string {
	var line strings.Builder
	padding := 0
	for i, width := range widths {
		if width == 0 {
			continue
		}
		shown := invocation.Cut(cells[i], width)
		before, after := padding, width-invocation.Width(shown)
		if t.columns[i].isRight {
			before, after = before+after, 0
		}
		padding = after + columnGap
		if shown == "" {
			padding += before
			continue
		}
		line.WriteString(strings.Repeat(" ", before))
		line.WriteString(screen.link(screen.highlight(screen.style(styleOf(t.columns[i].kind), shown)), cells[i]))
	}
	return line.String()
}
