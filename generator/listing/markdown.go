package listing

import (
	"fmt"
	"strings"
)

// markdown is the buffer of a page.
type markdown struct {
	text strings.Builder
}

func (m *markdown) line(format string, values ...any) { fmt.Fprintf(&m.text, format+"\n", values...) }

// paragraph writes an empty line and then a paragraph or a heading.
func (m *markdown) paragraph(format string, values ...any) { m.line("\n"+format, values...) }

func (m *markdown) table(heads []string) {
	m.line("")
	m.row(heads...)
	m.line("|%s", strings.Repeat("---|", len(heads)))
}

func (m *markdown) row(cells ...string) {
	for i, cell := range cells {
		cells[i] = strings.ReplaceAll(cell, "|", `\|`)
	}
	m.line("| %s |", strings.Join(cells, " | "))
}

func (m *markdown) bytes() []byte { return []byte(m.text.String()) }
