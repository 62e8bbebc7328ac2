package office

import (
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
		f.fail(document.TooLarge, fmt.Sprintf("it has more than %d sheets, slides or chapters", f.limits.Entries))
	}
	if f.captures == 0 {
		f.marks = append(f.marks, mark{unit, len(f.text), name})
	}
}

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

// maxMade bounds the text that is made for each byte of the text's limit: cells and notes are made before they are written.
const maxMade = 8

// makes reports whether more bytes of text may be made.
func (f *file) makes(bytes int) bool {
	f.made += bytes
	if f.failure == nil && (bytes < 0 || f.made > maxMade*f.limits.Text || len(f.text) > f.limits.Text) {
		f.failure = f.limits.TextError()
	}
	return f.failure == nil
}

func (f *file) write(text string) {
	if f.makes(len(text)) {
		f.text = append(f.text, text...)
	}
	f.makes(0)
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
