package pdf

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/klippa-app/go-pdfium/responses"

	"github.com/pdppmcp/pdpp-mcp/runtime/file/document"
)

// columnGap is the distance between two columns, relative to the height of the characters. Words of justified text are closer together.
const columnGap = 1.5

// layout is the text of a page as lines of cells. A line of plain text is one cell.
type layout struct {
	lines [][]string
	line  []string
	cell  strings.Builder

	last    responses.CharPosition // of the line's last visible character
	height  float64                // of the line's highest character; 0 in an empty line
	isSpace bool                   // white space follows the last character
}

// PDFium writes hyphen for a hyphen that divides a word at the end of a line.
const hyphen = '\ufffe'

// newLayout divides the characters of a page into lines and cells, and joins divided words.
func newLayout(chars []*responses.GetPageTextStructuredChar) *layout {
	l := &layout{}
	isDivided := false
	for _, char := range chars {
		for _, r := range char.Text {
			switch {
			case r == hyphen:
				isDivided = true
			case r == '\n' && isDivided:
				isDivided, l.height = false, 0
			case r == '\n':
				l.endLine()
			case unicode.IsSpace(r):
				l.isSpace = true
			case !unicode.IsControl(r):
				l.add(r, char.PointPosition)
			}
		}
	}
	l.endLine()
	return l
}

func (l *layout) add(r rune, position responses.CharPosition) {
	if l.isSpace && l.height > 0 {
		if position.Left-l.last.Right > columnGap*l.height && !isItemLabel(l.cell.String()) {
			l.endCell()
		} else {
			l.cell.WriteByte(' ')
		}
	}
	l.cell.WriteRune(r)
	l.last, l.isSpace = position, false
	l.height = max(l.height, position.Top-position.Bottom)
}

// isItemLabel reports whether a cell is the bullet or number of a list item.
func isItemLabel(cell string) bool {
	last, _ := utf8.DecodeLastRuneInString(cell)
	return utf8.RuneCountInString(cell) <= 3 && !unicode.IsLetter(last) && !unicode.IsDigit(last)
}

func (l *layout) endCell() {
	l.line = append(l.line, l.cell.String())
	l.cell.Reset()
}

func (l *layout) endLine() {
	if l.cell.Len() > 0 {
		l.endCell()
		l.lines = append(l.lines, l.line)
	}
	l.line, l.height, l.isSpace = nil, 0, false
}

// text returns the lines. If at least two have columns, these are rows of a table in CSV.
func (l *layout) text() string {
	rows := 0
	for _, line := range l.lines {
		if len(line) > 1 {
			rows++
		}
	}
	var text strings.Builder
	for _, line := range l.lines {
		if len(line) > 1 && rows > 1 {
			text.WriteString(document.Row(line))
		} else {
			text.WriteString(strings.Join(line, " ") + "\n")
		}
	}
	return text.String()
}
