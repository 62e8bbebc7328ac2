package filetext

import (
	"slices"
	"strings"

	"golang.org/x/net/html/atom"

	"github.com/pdppmcp/pdpp-mcp/runtime/file/equation"
)

// script is an open element whose text is changed when it ends.
type script struct {
	tag   atom.Atom
	start int // of its text
}

// maxScripts bounds nested superscripts, subscripts and drawings.
const maxScripts = 8

// endScript marks the text of a superscript or subscript, such as 10^5, and names a drawing without text.
func (p *page) endScript(tag atom.Atom) {
	last := len(p.scripts) - 1
	for last >= 0 && p.scripts[last].tag != tag {
		last-- // it has no end
	}
	if last < 0 {
		return
	}
	start := min(p.scripts[last].start, p.out.Len())
	p.scripts = p.scripts[:last]
	text := string(p.out.Bytes()[start:])
	switch {
	case tag == atom.Svg && strings.TrimSpace(text) == "":
		p.out.WriteString("[drawing not shown]")
		return
	case tag == atom.Svg, strings.Contains(text, "\n"), tag == atom.A && strings.HasPrefix(text, equation.Superscript):
		return
	}
	p.mark = equation.Superscript
	if tag == atom.Sub {
		p.mark = equation.Subscript
	}
	p.out.Truncate(start)
	p.out.WriteString(equation.Script(p.mark, text))
	p.apart = p.out.Len()
}

// openScript begins an element whose text is changed when it ends.
func (p *page) openScript(tag atom.Atom) {
	if len(p.scripts) == maxScripts { // elements without an end
		p.scripts = slices.Delete(p.scripts, 0, 1)
	}
	p.scripts = append(p.scripts, script{tag, p.out.Len()})
}

// writeEquation writes an equation apart from the text before it.
func (p *page) writeEquation(text string) {
	if p.skipped == 0 && text != "" {
		p.separate(text)
		if before := p.out.Bytes(); len(before) > 0 && text != "" {
			p.out.WriteString(equation.Separator("", string(before[len(before)-1:])))
		}
		p.out.WriteString(text)
		p.mark, p.apart = "", p.out.Len()
	}
}

// separate keeps text apart from a superscript, a subscript or an equation before it.
func (p *page) separate(text string) {
	if p.apart > 0 && p.apart == p.out.Len() {
		p.out.WriteString(equation.Separator(p.mark, text))
	}
}

// inputText returns what a field of a form shows.
func inputText(values map[string]string) string {
	_, isChecked := values["checked"]
	switch kind := strings.ToLower(values["type"]); {
	case kind != "checkbox" && kind != "radio":
		if kind == "hidden" || kind == "password" || kind == "file" || kind == "image" || kind == "submit" || kind == "reset" || kind == "button" {
			return ""
		}
		return values["value"]
	case isChecked:
		return "☑ "
	}
	return "☐ "
}
