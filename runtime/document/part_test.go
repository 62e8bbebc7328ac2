package document_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pdppmcp/pdpp-mcp/runtime/document"
)

// R-DOC-2: the marks of a text, and no other lines, divide it into parts.
func TestParts(t *testing.T) {
	for _, test := range []struct {
		name, text string
		want       []document.Part
	}{
		{"no marks", "Ä paragraph\n[page 1 of 1]\n", nil},
		{"empty", "", nil},
		{"pages", "[page 1 of 2]\nä [page 2 of 2]\n[page 7 of 9]\n[slide 2 of 2]\n[page 2 of 2]\n" + document.Scan + "\n", []document.Part{
			{document.Page, 2, "page 1 of 2", 0, 59, false},
			{document.Page, 2, "page 2 of 2", 59, 106, true},
		}},
		{"sheet", document.Mark(document.Sheet, 1, 1, "A [b]: c"), []document.Part{{document.Sheet, 1, "sheet 1 of 1: A [b]: c", 0, 24, false}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, document.Parts([]byte(test.text))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
