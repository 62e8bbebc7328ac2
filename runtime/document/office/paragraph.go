package office

import "strings"

// paragraph is an open paragraph with its tracked changes.
type paragraph struct {
	prefix string // of a heading or of a list's item
	text   []byte
	open   []change
	last   change // the last one that ended
	end    int    // where it ended
}

// change is a tracked change: what precedes its text, such as "[inserted by Ann: ", and where that begins.
type change struct {
	header string
	start  int
}

// addParagraph writes the text that read adds. Paragraphs that read writes, such as those of a text box, precede it.
func (f *file) addParagraph(prefix string, read func()) {
	outer, p := f.paragraph, &paragraph{prefix: prefix}
	f.paragraph = p
	read()
	for len(p.open) > 0 {
		f.endChange()
	}
	f.paragraph = outer
	if text := strings.TrimRight(string(p.text), " \t\n"); strings.TrimSpace(text) != "" {
		f.line(p.prefix + text)
	}
}

// add adds text to the open paragraph. Text outside of paragraphs is not shown by programs either.
func (f *file) add(text string) {
	if f.paragraph != nil && f.makes(len(text)) {
		f.paragraph.text = append(f.paragraph.text, text...)
	}
}

func changeHeader(kind, credit string) string { return "[" + kind + credit + ": " }

// startChange begins text of a tracked change. It continues the last change if that has the same header and nothing is between them.
func (f *file) startChange(header string) {
	p := f.paragraph
	if p == nil {
		return
	}
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
	c := p.open[len(p.open)-1]
	p.open = p.open[:len(p.open)-1]
	if len(p.text) == c.start+len(c.header) {
		p.text = p.text[:c.start]
		return
	}
	p.text = append(p.text, ']')
	p.last, p.end = c, len(p.text)
}
