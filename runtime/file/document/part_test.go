package document_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pdppmcp/pdpp-mcp/runtime/file/document"
)

// R-DOC-2: each part is below its mark. Lines that look like marks do not begin parts.
func TestJoin(t *testing.T) {
	for _, test := range []struct {
		name  string
		parts []document.Part
		text  string
		want  []string // marks and places
	}{
		{"nothing", nil, "", nil},
		{"no parts", []document.Part{{Text: "[page 1 of 1]\nÄ\n"}}, "[page 1 of 1]\nÄ\n", []string{"0-16  of 0"}},
		{
			"pages",
			[]document.Part{
				{Unit: document.Page, Text: "ä\n[page 2 of 2]\n"},
				{Unit: document.Page, Text: "-\n", IsScan: true},
			},
			"[page 1 of 2]\nä\n[page 2 of 2]\n[page 2 of 2]\n-\n",
			[]string{"0-30 page 1 of 2 of 2", "30-46 page 2 of 2 of 2"},
		},
		{
			"a sheet after other text",
			[]document.Part{{Text: "x\n"}, {Unit: document.Sheet, Name: "A [b]: c"}},
			"x\n[sheet 1 of 1: A [b]: c]\n",
			[]string{"0-2  of 0", "2-27 sheet 1 of 1: A [b]: c of 1"},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			text := document.Join(test.parts)
			var got []string
			for _, p := range test.parts {
				got = append(got, fmt.Sprintf("%d-%d %s of %d", p.Start, p.End, p.Mark, p.Total))
			}
			if diff := cmp.Diff(test.want, got); diff != "" || text != test.text {
				t.Errorf("%q, places (-want +got):\n%s", text, diff)
			}
		})
	}
}
