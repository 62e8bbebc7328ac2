package office

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/document"
)

// mark is where a page, sheet, slide or chapter begins in the text.
type mark struct {
	unit  document.Unit
	start int
	name  string
}

func (f *file) mark(unit document.Unit, name string, isHidden bool) {
	if name = oneLine(name); isHidden {
		name = strings.TrimPrefix(name+", hidden", ", ")
	}
	if len(f.marks) >= f.limits.Entries {
		f.failure = tooLarge(fmt.Sprintf("it has more than %d sheets, slides or chapters", f.limits.Entries))
		return
	}
	f.marks = append(f.marks, mark{unit, len(f.text), name})
}

// marked returns the text with its marks.
func (f *file) marked() string {
	var text strings.Builder
	end := 0
	for i, m := range f.marks {
		text.Write(f.text[end:m.start])
		text.WriteString(document.Mark(m.unit, i+1, len(f.marks), m.name) + "\n")
		end = m.start
	}
	text.Write(f.text[end:])
	return strings.ToValidUTF8(text.String(), "")
}

// write adds to the text up to its limit.
func (f *file) write(text string) {
	if len(f.text)+len(text) > f.limits.Text {
		f.failure = tooLarge(fmt.Sprintf("its text has more than %d bytes", f.limits.Text))
		return
	}
	f.text = append(f.text, text...)
}

// maxMade bounds the text that is made for each byte of the text's limit: cells and notes are made before they are written.
const maxMade = 8

// makes reports whether so many more bytes of text may be made.
func (f *file) makes(bytes int) bool {
	if f.made += bytes; f.made > maxMade*f.limits.Text || bytes < 0 {
		f.failure = tooLarge(fmt.Sprintf("its text has more than %d bytes", f.limits.Text))
	}
	return f.failure == nil
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// flow makes lines of paragraphs and CSV rows of tables. What is open is in stacks: a text box is in a paragraph, a table in a cell.
type flow struct {
	*file
	noteCount  map[string]int
	paragraphs []*paragraph
	captures   [][]string // lines of cells and notes
	rows       []row
	notes      []string // lines that follow the paragraph or the row
}

// row is an open row: its fields, and the number of empty ones behind them.
type row struct {
	fields []string
	empty  int
}

// paragraph is an open paragraph.
type paragraph struct {
	prefix string
	text   []byte
	open   []change
	last   change // the last one that ended
	end    int    // where it ended
}

// change is a tracked change.
type change struct {
	kind, author, date string
	deleted            string // text that is not in the paragraph
	start, body        int    // in the paragraph: of the mark, and of the text behind it
}

func newFlow(f *file) flow { return flow{file: f, noteCount: map[string]int{}} }

func (f *flow) startParagraph() { f.paragraphs = append(f.paragraphs, &paragraph{}) }

// paragraph returns the innermost open paragraph, or nil.
func (f *flow) paragraph() *paragraph {
	if len(f.paragraphs) == 0 {
		return nil
	}
	return f.paragraphs[len(f.paragraphs)-1]
}

func (f *flow) endParagraph() {
	for len(f.paragraph().open) > 0 {
		f.endChange()
	}
	p := pop(&f.paragraphs)
	if text := strings.TrimRight(string(p.text), " \t\n"); strings.TrimSpace(text) != "" {
		f.line(p.prefix + text)
	}
}

// add adds text to the open paragraph. Text outside of paragraphs is not shown by programs either.
func (f *flow) add(text string) {
	if p := f.paragraph(); p != nil && f.makes(len(text)) {
		p.text = append(p.text, text...)
	}
}

// line writes a line to the cell or note that is open, or to the text.
func (f *flow) line(text string) {
	if last := len(f.captures) - 1; last >= 0 && f.makes(len(text)) {
		f.captures[last] = append(f.captures[last], text)
		return
	}
	f.write(text + "\n")
	f.flushNotes()
}

// flushNotes writes the notes, unless a cell or a row is open.
func (f *flow) flushNotes() {
	if len(f.captures) > 0 || len(f.rows) > 0 {
		return
	}
	for _, note := range f.notes {
		f.write(note + "\n")
	}
	f.notes = f.notes[:0]
}

// capture collects lines until captured returns them.
func (f *flow) capture() { f.captures = append(f.captures, nil) }

func (f *flow) captured(separator string) string {
	return strings.Join(pop(&f.captures), separator)
}

func pop[T any](stack *[]T) T {
	last := len(*stack) - 1
	popped := (*stack)[last]
	*stack = (*stack)[:last]
	return popped
}

func (f *flow) startRow() { f.rows = append(f.rows, row{}) }

// cell adds a value to the open row, several times if it is repeated.
func (f *flow) cell(value string, times int) {
	if len(f.rows) == 0 {
		return
	}
	times = min(max(times, 1), maxColumn)
	r := &f.rows[len(f.rows)-1]
	if value == "" {
		r.empty += times
		return
	}
	if !f.makes(times*(len(value)+1) + r.empty) {
		return
	}
	r.fields = append(r.fields, make([]string, r.empty)...)
	for range times {
		r.fields = append(r.fields, value)
	}
	r.empty = 0
}

// endRow writes the open row, several times if it is repeated. Empty fields at its end are left out, and so are empty rows in
// succession but one.
func (f *flow) endRow(times int) {
	switch line := csvLine(pop(&f.rows).fields); {
	case line == "" && len(f.captures) == 0 && len(f.text) > 0 && !bytes.HasSuffix(f.text, []byte("\n\n")):
		f.write("\n")
	case line == "":
	case times < 1 || times > f.limits.Text/len(line):
		f.failure = tooLarge("it repeats a row too often")
	default:
		for range times {
			f.line(line)
		}
	}
	f.flushNotes()
}

func csvLine(fields []string) string {
	if len(fields) == 0 {
		return ""
	}
	var line strings.Builder
	writer := csv.NewWriter(&line)
	_ = writer.Write(fields) // a builder does not fail
	writer.Flush()
	return strings.TrimSuffix(line.String(), "\n")
}

// note refers to a note in the open paragraph, and writes it after the paragraph or the table.
func (f *flow) note(kind, credit, text string) {
	f.noteCount[kind]++
	name := fmt.Sprintf("%s %d", kind, f.noteCount[kind])
	f.add("[" + name + "]")
	if f.makes(len(credit) + len(text)) {
		f.notes = append(f.notes, "["+name+credit+"] "+oneLine(text))
	}
}

// credit says who wrote something, and when.
func credit(author, date string) string {
	text := ""
	if author = oneLine(author); author != "" {
		text = " by " + author
	}
	if date = oneLine(date); date != "" {
		text += ", " + date
	}
	return text
}

// startChange begins text that a tracked change inserted or deleted. It continues the last change if that has the same author and
// time and nothing is between them.
func (f *flow) startChange(c change) {
	p := f.paragraph()
	if p == nil {
		return
	}
	if p.last.kind == c.kind && p.last.author == c.author && p.last.date == c.date && p.end == len(p.text) {
		p.text = p.text[:len(p.text)-1]
		p.open = append(p.open, p.last)
		return
	}
	c.start = len(p.text)
	f.add("[" + c.kind + credit(c.author, c.date) + ": ")
	c.body = len(p.text)
	p.open = append(p.open, c)
}

func (f *flow) endChange() {
	p := f.paragraph()
	if p == nil || len(p.open) == 0 {
		return
	}
	c := pop(&p.open)
	if len(p.text) == c.body {
		p.text = p.text[:c.start]
		return
	}
	p.text = append(p.text, ']')
	p.last, p.end = c, len(p.text)
}
