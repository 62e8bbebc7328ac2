package document

import (
	"encoding/csv"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// Part is a page, slide, sheet or chapter of a document, or the text outside of them.
type Part struct {
	Unit   Unit   // empty for text outside
	Name   string // of a sheet or slide; may be empty
	Text   string // lines
	IsScan bool   // it shows something but has no text

	// Set by Join. The child process cannot set them.
	Total      int    `json:"-"` // parts of the document
	Mark       string `json:"-"` // without brackets, such as page 3 of 12
	Start, End int64  `json:"-"` // in the text of the document, in characters
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

// maxMark is the length of a mark without a name: [chapter 10000 of 10000].
const maxMark = 25

// Join returns the text of a document, and sets the marks and the places of its parts. Each part begins with its mark
// (R-DOC-2): [page 3 of 12], or [sheet 2 of 3: Costs] if it has a name.
func Join(parts []Part) string {
	isOutside := func(p Part) bool { return !slices.Contains([]Unit{Page, Slide, Sheet, Chapter}, p.Unit) }
	total := len(slices.DeleteFunc(slices.Clone(parts), isOutside))
	var joined strings.Builder
	size := 0
	for _, p := range parts {
		size += maxMark + len(p.Name) + len(p.Text)
	}
	joined.Grow(size)
	var end int64
	number := 0
	for i := range parts {
		p, lines := &parts[i], parts[i].Text
		if !isOutside(*p) {
			number++
			p.Total, p.Mark = total, fmt.Sprintf("%s %d of %d", p.Unit, number, total)
			if p.Name != "" {
				p.Mark += ": " + p.Name
			}
			lines = "[" + p.Mark + "]\n" + lines
		}
		joined.WriteString(lines)
		p.Start = end
		end += int64(utf8.RuneCountInString(lines))
		p.End = end
	}
	return joined.String()
}

// Row returns a row of a table as a line of CSV.
func Row(cells []string) string {
	var line strings.Builder
	writer := csv.NewWriter(&line)
	_ = writer.Write(cells) // a Builder does not fail
	writer.Flush()
	return line.String()
}
