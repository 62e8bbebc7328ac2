package office

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/pdppmcp/pdpp-mcp/runtime/file/document"
	"github.com/pdppmcp/pdpp-mcp/runtime/file/equation"
)

// mark is the beginning of a page, sheet, slide or chapter in the text.
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
		f.fail(document.TooLarge, fmt.Sprintf("it has more than %d sheets, slides or chapters", f.limits.Entries))
	}
	if f.captures == 0 {
		f.marks = append(f.marks, mark{unit, len(f.text), name})
	}
}

func (f *file) parts() []document.Part {
	var parts []document.Part
	end := len(f.text)
	for _, m := range slices.Backward(f.marks) {
		parts = append(parts, document.Part{
			Unit: m.unit, Name: m.name,
			Text: strings.ToValidUTF8(string(f.text[m.start:end]), ""),
		})
		end = m.start
	}
	parts = append(parts, document.Part{Text: strings.Join(f.losses, "") + strings.ToValidUTF8(string(f.text[:end]), "")})
	slices.Reverse(parts)
	return parts
}

// maxMade bounds the bytes of text that are made, as a multiple of the text's limit. Cells and notes are made before
// they are written.
const maxMade = 8

// mayMake reports whether more bytes of text may be made.
func (f *file) mayMake(bytes int) bool {
	f.made += bytes
	if f.failure == nil && (bytes < 0 || f.made > maxMade*f.limits.Text || len(f.text) > f.limits.Text) {
		f.failure = f.limits.TextError()
	}
	return f.failure == nil
}

func (f *file) write(text string) {
	if f.mayMake(len(text)) {
		f.text = append(f.text, text...)
	}
	f.mayMake(0)
}

func (f *file) line(text string) { f.write(text + "\n") }

// captured returns the lines that read writes.
func (f *file) captured(read func()) string {
	start, outer := len(f.text), f.paragraph
	f.paragraph = nil
	f.captures++
	read()
	f.captures--
	f.paragraph = outer
	text := strings.TrimSuffix(string(f.text[start:]), "\n")
	f.text = f.text[:start]
	return text
}

func (f *file) commentLine(label, text string) { f.line("[" + label + "] " + oneLine(text)) }

func bracketed(label, text string) string { return "[" + label + ": " + oneLine(text) + "]" }

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

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// paragraph is an open paragraph with its tracked changes.
type paragraph struct {
	prefix string // of a heading or of a list's item
	text   []byte
	open   []change
	last   change // the last one that ended
	end    int    // where it ended

	mark      string // of the open superscript or subscript
	markStart int    // of its text
	lastMark  string // of what ends at apart
	apart     int    // where a superscript, a subscript or an equation ended
}

// change is a tracked change: the header before its text, such as "[inserted by Ann: ", and where the header begins.
type change struct {
	header string
	start  int
}

// addParagraph writes the text that read adds. If read writes paragraphs, such as those of a text box, they precede it.
func (f *file) addParagraph(prefix string, read func()) {
	outer, p := f.paragraph, &paragraph{prefix: prefix}
	f.paragraph = p
	read()
	for len(p.open) > 0 {
		f.endChange()
	}
	p.setMark("")
	f.paragraph = outer
	if text := strings.TrimRight(string(p.text), " \t\n"); strings.TrimSpace(text) != "" {
		f.line(p.prefix + text)
	}
}

// add adds text to the open paragraph. It ignores text outside of paragraphs, as office programs do.
func (f *file) add(text string) { f.addMarked("", text) }

// addMarked adds text that is a superscript or subscript if it has a mark.
func (f *file) addMarked(mark, text string) {
	if f.paragraph != nil && text != "" && f.mayMake(len(text)) {
		p := f.paragraph
		p.setMark(mark)
		if mark == "" && p.apart == len(p.text) && p.apart > 0 {
			p.text = append(p.text, equation.Separator(p.lastMark, text)...)
		}
		p.text = append(p.text, text...)
	}
}

// addEquation adds an equation apart from the text around it.
func (f *file) addEquation(text string) {
	p := f.paragraph
	if p == nil || text == "" || !f.mayMake(len(text)) {
		return
	}
	p.setMark("")
	if last, _ := utf8.DecodeLastRune(p.text); unicode.IsLetter(last) || unicode.IsDigit(last) {
		p.text = append(p.text, ' ')
	}
	p.text = append(p.text, text...)
	p.lastMark, p.apart = "", len(p.text)
}

// setMark ends the open superscript or subscript unless it has the mark, and begins another one.
func (p *paragraph) setMark(mark string) {
	if mark == p.mark {
		return
	}
	if p.mark != "" {
		p.text = append(p.text[:p.markStart], equation.Script(p.mark, string(p.text[p.markStart:]))...)
		p.lastMark, p.apart = p.mark, len(p.text)
	}
	p.mark, p.markStart = mark, len(p.text)
}

func changeHeader(kind, credit string) string { return "[" + kind + credit + ": " }

// startChange begins text of a tracked change. It continues the last change if that has the same header and nothing is
// between them.
func (f *file) startChange(header string) {
	p := f.paragraph
	if p == nil {
		return
	}
	p.setMark("")
	if p.last.header == header && p.end == len(p.text) {
		p.text = p.text[:p.end-1]
		p.open = append(p.open, p.last)
		return
	}
	p.open = append(p.open, change{header, len(p.text)})
	f.add(header)
}

func (f *file) endChange() {
	p := f.paragraph
	if p == nil || len(p.open) == 0 {
		return
	}
	p.setMark("")
	c := p.open[len(p.open)-1]
	p.open = p.open[:len(p.open)-1]
	if len(p.text) == c.start+len(c.header) {
		p.text = p.text[:c.start]
		return
	}
	p.text = append(p.text, ']')
	p.last, p.end = c, len(p.text)
}

const maxColumn = 16_384

// row is an open row: its fields, and the number of empty fields after them.
type row struct {
	fields []string
	empty  int
}

func (f *file) cell(value string, times int) {
	r := f.row
	if times = min(times, maxColumn); r == nil || times < 1 {
		return
	}
	if value == "" {
		r.empty += times
		return
	}
	if !f.mayMake(times*(len(value)+1) + r.empty) {
		return
	}
	r.fields = append(r.fields, make([]string, r.empty)...)
	for range times {
		r.fields = append(r.fields, value)
	}
	r.empty = 0
}

// tableRow writes the row of the cells that read adds. It omits empty fields at the end. Of several empty rows in
// succession, it writes one.
func (f *file) tableRow(times int, read func()) {
	outer := f.row
	f.row = &row{}
	read()
	fields := f.row.fields
	f.row = outer
	if len(fields) == 0 {
		if f.captures == 0 && len(f.text) > 0 && !bytes.HasSuffix(f.text, []byte("\n\n")) {
			f.line("")
		}
		return
	}
	line := document.Row(fields)
	for i := 0; i < times && f.failure == nil; i++ {
		f.write(line)
	}
}
