package document

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"
)

// Part is a page, slide, sheet or chapter in a text. Its places are in characters.
type Part struct {
	Unit       Unit
	Total      int
	Mark       string // without brackets, such as page 3 of 12
	Start, End int64
	IsScan     bool
}

var markLine = regexp.MustCompile(`^\[((page|slide|sheet|chapter) (\d+) of (\d+)(?:: .*)?)\]$`)

// Parts returns the parts of a text that starts with a mark. Marks must be numbered 1, 2, 3 and so on, so that a similar line of the
// document rarely counts.
func Parts(text []byte) []Part {
	var parts []Part
	var place int64
	isMarked := false // the line before is a mark
	for line := range bytes.Lines(text) {
		content := bytes.TrimSuffix(line, []byte("\n"))
		if isMarked {
			parts[len(parts)-1].IsScan = string(content) == Scan
		}
		mark := markLine.FindSubmatch(content)
		isMarked = mark != nil && string(mark[3]) == fmt.Sprint(len(parts)+1) && (len(parts) == 0 || string(mark[2]) == string(parts[0].Unit))
		if isMarked {
			part := Part{Unit: Unit(mark[2]), Mark: string(mark[1]), Start: place}
			_, _ = fmt.Sscan(string(mark[4]), &part.Total) // digits; a number too large is 0
			parts = append(parts, part)
		}
		if len(parts) == 0 {
			return nil
		}
		place += int64(utf8.RuneCount(line))
		parts[len(parts)-1].End = place
	}
	return parts
}

// Unit is a part of a document that the text marks.
type Unit string

// The units.
const (
	Page    Unit = "page"
	Slide   Unit = "slide"
	Sheet   Unit = "sheet"
	Chapter Unit = "chapter"
)

// Mark returns the line that begins a unit: [page 3 of 12], or [sheet 2 of 3: Costs] if it has a name.
func Mark(unit Unit, number, total int, name string) string {
	if name != "" {
		name = ": " + name
	}
	return fmt.Sprintf("[%s %d of %d%s]", unit, number, total, name)
}

// Scan is the only line of a page that shows something but has no text.
const Scan = "(no text: this page is an image)"

// Row returns a row of a table as a line of CSV.
func Row(cells []string) string {
	var line strings.Builder
	writer := csv.NewWriter(&line)
	_ = writer.Write(cells) // a Builder does not fail
	writer.Flush()
	return line.String()
}
