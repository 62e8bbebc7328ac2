package display

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/invocation"
)

// table shows rows to people. The columns that do not fit are named below it.
type table struct {
	columns []column
	advice  string // where the hidden columns are shown
	// isSample: the rows are a part of many, so that other rows must get the same columns.
	isSample bool
	zone     string // of the times, such as CET; empty without times
}

type column struct {
	name     string
	kind     kind
	isRight  bool // aligned to the right
	hasMarks bool // <mark> and </mark> in the cells highlight

	cells          []string
	natural, width int // of the widest cell, and on the screen; 0: hidden
}

var marks = strings.NewReplacer("<mark>", beginHighlight, "</mark>", endHighlight)

// addColumn adds a column at the right. Its cells become printable. Variation selectors are dropped, because terminals
// disagree about their width.
func (t *table) addColumn(added column, cells []string) {
	added.name = invocation.OneLine(added.name)
	for _, cell := range cells {
		if added.kind != barKind {
			cell = strings.ReplaceAll(invocation.OneLine(cell), "\ufe0f", "")
		}
		if added.hasMarks {
			cell = marks.Replace(cell)
		}
		added.cells = append(added.cells, cell)
	}
	added.measure()
	t.columns = append(t.columns, added)
}

// measure sets the natural width, after the cells have changed.
func (c *column) measure() {
	c.natural = invocation.Width(c.name)
	for _, cell := range c.cells {
		c.natural = max(c.natural, invocation.Width(cell))
	}
}

func (c *column) isEmpty() bool {
	return !slices.ContainsFunc(c.cells, func(cell string) bool { return cell != "" })
}

func (t *table) rowCount() int {
	if len(t.columns) == 0 {
		return 0
	}
	return len(t.columns[0].cells)
}

// caption returns the line below a table: how many rows it has, the zone of their times, and how to see the others.
func (t *table) caption(count, more string) string {
	if t.zone != "" && t.zone != "UTC" {
		count += ", times in " + t.zone
	}
	if more != "" {
		count += "; " + more
	}
	return count
}

// columnGap is the space between two columns. Programs can split a table at two spaces.
const columnGap = 2

// maxIDLines bounds the lines of an id below its row.
const maxIDLines = 2

// render returns the lines of the table, without a final line break.
func (t *table) render(screen screen) string {
	below := t.layout(screen.columns)
	var lines, hidden []string
	for i := range t.columns {
		if c := &t.columns[i]; c.width == 0 && c != below {
			hidden = append(hidden, c.name)
		}
	}
	if !screen.isBare {
		lines = append(lines, t.line(func(c *column) string { return screen.style(bold, invocation.Cut(c.name, c.width)) }))
	}
	tooLong := 0
	for row := range t.rowCount() {
		lines = append(lines, t.line(func(c *column) string { return screen.highlight(invocation.Cut(c.cells[row], c.width)) }))
		switch {
		case below == nil || below.cells[row] == "":
		case columnGap+invocation.Width(below.cells[row]) > maxIDLines*screen.columns:
			tooLong++
		default:
			lines = append(lines, "  "+below.cells[row])
		}
	}
	if tooLong > 0 {
		lines = append(lines, screen.style(faint, fmt.Sprintf("%s too long to show (--format json)", invocation.Count(tooLong, below.name))))
	}
	if len(hidden) > 0 && !screen.isBare {
		line := fmt.Sprintf("%d of %d columns hidden (%s): %s", len(hidden), len(t.columns), t.advice, strings.Join(hidden, ", "))
		lines = append(lines, screen.style(faint, invocation.Cut(line, screen.columns)))
	}
	return strings.Join(lines, "\n")
}

// line returns the cells of a row or the headings, which are already cut and styled.
func (t *table) line(cellOf func(*column) string) string {
	var cells []string
	for i := range t.columns {
		c := &t.columns[i]
		if c.width == 0 {
			continue
		}
		cell := cellOf(c)
		padding := strings.Repeat(" ", max(c.width-invocation.Width(sgr.ReplaceAllString(cell, "")), 0))
		if c.isRight {
			cells = append(cells, padding+cell)
		} else {
			cells = append(cells, cell+padding)
		}
	}
	return strings.TrimRight(strings.Join(cells, strings.Repeat(" ", columnGap)), " ")
}

type screen struct {
	columns    int
	isTerminal bool
	hasStyles  bool // bold and faint text
	isBare     bool // without headings and notes
}

func screenOf(terminal invocation.Terminal) screen {
	columns, isTerminal := terminal.Width()
	return screen{columns: columns, isTerminal: isTerminal, hasStyles: terminal.HasColours()}
}

// The styles of text, as parameters of the escape sequence SGR.
const (
	bold  = "1"
	faint = "2"
)

var sgr = regexp.MustCompile("\x1b\\[[0-9]+m")

// style styles a text that is Printable, if the screen has styles.
func (s screen) style(parameters, text string) string {
	if !s.hasStyles || text == "" {
		return text
	}
	return "\x1b[" + parameters + "m" + text + "\x1b[0m"
}

// The control characters that begin and end a highlight within a cell. Cells have no others.
const (
	beginHighlight = "\x01"
	endHighlight   = "\x02"
)

// highlight styles the highlights of a cell, or removes their marks.
func (s screen) highlight(cell string) string {
	begin, end := "", ""
	if s.hasStyles {
		begin, end = "\x1b["+bold+"m", "\x1b[0m"
	}
	if strings.Count(cell, beginHighlight) > strings.Count(cell, endHighlight) {
		cell += endHighlight // the cell was cut
	}
	return strings.NewReplacer(beginHighlight, begin, endHighlight, end).Replace(cell)
}

// footer returns the notes below a table, wrapped to the screen.
func (s screen) footer(lines ...string) string {
	if s.isBare {
		return ""
	}
	shown := "\n"
	for _, line := range lines {
		for part := range strings.SplitSeq(invocation.WrapLine(invocation.OneLine(line), s.columns, ""), "\n") {
			shown += "\n" + s.style(faint, part)
		}
	}
	return shown
}

// text wraps lines at words. Continuations of an indented line are indented further.
func (s screen) text(lines string) string {
	var shown []string
	for line := range strings.SplitSeq(invocation.Printable(lines), "\n") {
		hang := line[:len(line)-len(strings.TrimLeft(line, " "))]
		if hang != "" {
			hang += "  "
		}
		shown = append(shown, invocation.WrapLine(line, s.columns, hang))
	}
	return strings.Join(shown, "\n")
}
