package document

import "fmt"

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
