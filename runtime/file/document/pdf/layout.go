package pdf

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/klippa-app/go-pdfium/responses"
)

// columnGap is the distance between two cells, relative to the height of the characters. Words of justified text are
// closer together.
const columnGap = 1.5

// cell is a run of characters of one line, without a wide gap.
type cell struct {
	text      string
	box       responses.CharPosition // of all characters
	direction int                    // of the text, in quarter turns
	gaps      []gap
	isDivided bool // it ends in the first part of a word, whose hyphen is removed
}

func (c cell) height() float64 { return c.box.Top - c.box.Bottom }

// row is the cells of a line, from left to right.
type row []cell

func (r row) box() responses.CharPosition { return boxOf(r) }

func boxOf(cells []cell) responses.CharPosition {
	box := cells[0].box
	for _, c := range cells[1:] {
		box = union(box, c.box)
	}
	return box
}

func union(a, b responses.CharPosition) responses.CharPosition {
	return responses.CharPosition{
		Left: min(a.Left, b.Left), Right: max(a.Right, b.Right), Bottom: min(a.Bottom, b.Bottom),
		Top: max(a.Top, b.Top),
	}
}

// PDFium writes hyphen for a hyphen that divides a word at the end of a line.
const hyphen = '\ufffe'

// cellReader divides the characters of a page into cells, in the order of the page's content.
type cellReader struct {
	cells []cell
	text  strings.Builder
	cell  cell
	last  responses.CharPosition // of the cell's last visible character
	space bool                   // white space follows the last character
}

func cellsOf(chars []*responses.GetPageTextStructuredChar) []cell {
	reader := &cellReader{}
	for _, char := range chars {
		direction := quarterTurns(char.Angle)
		for _, r := range char.Text {
			switch {
			case r == hyphen:
				reader.cell.isDivided = true
			case r == '\n':
				reader.end()
			case unicode.IsSpace(r):
				reader.space = true
			case !unicode.IsControl(r):
				reader.add(r, direction, upright(char.PointPosition, direction))
			}
		}
	}
	reader.end()
	return reader.cells
}

func (r *cellReader) add(char rune, direction int, box responses.CharPosition) {
	distance := max(box.Left-r.last.Right, r.last.Left-box.Right) // text can run from right to left
	isFar := r.space && (distance > columnGap*r.cell.height() && !isItemLabel(r.text.String()) || !r.isBeside(box))
	if r.text.Len() > 0 && (direction != r.cell.direction || isFar) {
		r.end()
	}
	if r.text.Len() == 0 {
		r.cell = cell{box: box, direction: direction}
	} else if r.space {
		if space := (gap{r.text.Len(), r.last.Right, box.Left}); space.right-space.left > innerGap*r.cell.height() {
			r.cell.gaps = append(r.cell.gaps, space)
		}
		r.text.WriteByte(' ')
	}
	r.text.WriteRune(char)
	r.last, r.space, r.cell.isDivided = box, false, false
	r.cell.box = union(r.cell.box, box)
}

// isBeside reports whether a character is at the height of the cell, or as near as a superscript.
func (r *cellReader) isBeside(box responses.CharPosition) bool {
	tolerance := max(r.cell.height(), box.Top-box.Bottom) / 2
	return box.Bottom < r.cell.box.Top+tolerance && box.Top > r.cell.box.Bottom-tolerance
}

// end ends the cell, if it has characters.
func (r *cellReader) end() {
	if r.text.Len() > 0 {
		r.cell.text = r.text.String()
		r.cells = append(r.cells, r.cell)
		r.text.Reset()
	}
	r.cell, r.space = cell{}, false
}

// isItemLabel reports whether a cell is the bullet or number of a list item.
func isItemLabel(cell string) bool {
	last, _ := utf8.DecodeLastRuneInString(cell)
	return utf8.RuneCountInString(cell) <= 3 && !unicode.IsLetter(last) && !unicode.IsDigit(last)
}

// quarterTurns returns how often text with an angle is turned by about 90 degrees: 0, 1, 2 or 3.
func quarterTurns(angle float64) int {
	return (int(math.Round(angle/(math.Pi/2)))%4 + 4) % 4
}

// upright returns the box of a character after its text was turned back.
func upright(box responses.CharPosition, direction int) responses.CharPosition {
	switch direction {
	case 1:
		return responses.CharPosition{Left: -box.Top, Right: -box.Bottom, Bottom: box.Left, Top: box.Right}
	case 2:
		return responses.CharPosition{Left: -box.Right, Right: -box.Left, Bottom: -box.Top, Top: -box.Bottom}
	case 3:
		return responses.CharPosition{Left: box.Bottom, Right: box.Top, Bottom: -box.Right, Top: -box.Left}
	}
	return box
}

// rowsOf joins the cells of each line, from top to bottom. Text in the other directions follows that in the most
// frequent one.
func rowsOf(cells []cell) [][]row {
	byDirection := make([][]cell, 4)
	for _, c := range cells {
		byDirection[c.direction] = append(byDirection[c.direction], c)
	}
	slices.SortStableFunc(byDirection, func(a, b []cell) int { return cmp.Compare(len(b), len(a)) })
	var pages [][]row
	for _, cells := range byDirection {
		if len(cells) > 0 {
			pages = append(pages, rowsOfOneDirection(cells))
		}
	}
	return pages
}

func rowsOfOneDirection(cells []cell) []row {
	middle := func(c cell) float64 { return c.box.Top + c.box.Bottom }
	slices.SortStableFunc(cells, func(a, b cell) int { return cmp.Compare(middle(b), middle(a)) })
	var rows []row
	for _, c := range cells {
		if last := len(rows) - 1; last >= 0 && isSameLine(rows[last][0], c) {
			rows[last] = append(rows[last], c)
		} else {
			rows = append(rows, row{c})
		}
	}
	for _, r := range rows {
		if !slices.ContainsFunc(r, isRightToLeft) {
			slices.SortStableFunc(r, func(a, b cell) int { return cmp.Compare(a.box.Left, b.box.Left) })
		}
	}
	return rows
}

// isSameLine reports whether half of the height of the lower cell overlaps the other one.
func isSameLine(a, b cell) bool {
	overlap := min(a.box.Top, b.box.Top) - max(a.box.Bottom, b.box.Bottom)
	return overlap > min(a.height(), b.height())/2
}

func isRightToLeft(c cell) bool {
	return strings.ContainsFunc(c.text, func(r rune) bool { return unicode.In(r, unicode.Hebrew, unicode.Arabic) })
}

// layout returns the text of a page, each line with a line break. Columns of prose follow each other. Rows of tables
// are CSV.
func layout(chars []*responses.GetPageTextStructuredChar) string {
	var lines []row
	for _, rows := range rowsOf(cellsOf(chars)) {
		lines = inReadingOrder(lines, rows, maxNested)
	}
	var text strings.Builder
	writeLines(&text, lines)
	return text.String()
}
