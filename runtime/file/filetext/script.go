package filetext

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/net/html/atom"

	"github.com/pdppmcp/pdpp-mcp/runtime/file/equation"
)

// script is an open element whose text is changed when it ends.
type script struct {
	tag   atom.Atom
	start int    // of its text
	mark  string // empty for a drawing, and for text on the line
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
	start, mark := min(p.scripts[last].start, p.out.Len()), p.scripts[last].mark
	p.scripts = p.scripts[:last]
	text := string(p.out.Bytes()[start:])
	switch {
	case tag == atom.Svg && strings.TrimSpace(text) == "":
		p.out.WriteString("[drawing not shown]")
	case mark == "", strings.Contains(text, "\n"), strings.HasPrefix(text, mark):
	default:
		p.out.Truncate(start)
		p.out.WriteString(equation.Script(mark, text))
		p.mark, p.apart = mark, p.out.Len()
	}
}

// openScript begins a superscript, subscript or drawing.
func (p *page) openScript(tag atom.Atom, mark string) {
	if len(p.scripts) == maxScripts { // elements without an end
		p.scripts = slices.Delete(p.scripts, 0, 1)
	}
	p.scripts = append(p.scripts, script{tag, p.out.Len(), mark})
}

// scriptMarks has the marks by element.
var scriptMarks = map[atom.Atom]string{atom.Sup: equation.Superscript, atom.Sub: equation.Subscript, atom.Svg: ""}

// openSpan begins text with a style. Inside of a superscript or subscript, every span is counted, to find its end.
func (p *page) openSpan(values map[string]string) {
	mark := styleMark(values["style"])
	for _, class := range strings.Fields(values["class"]) {
		mark = cmp.Or(mark, p.classes[class])
	}
	if mark != "" || slices.ContainsFunc(p.scripts, func(s script) bool { return s.tag == atom.Span }) {
		p.openScript(atom.Span, mark)
	}
}

var (
	styleRule = regexp.MustCompile(`\.([\w-]+)\s*\{([^{}]*)\}`)
	aligned   = regexp.MustCompile(`vertical-align\s*:\s*(super|sub)\b`)
	shifted   = regexp.MustCompile(`(?:^|[;\s])top\s*:\s*(-?)[0-9.]*[1-9]`)
)

// styleMark returns the mark of text with a style of CSS, or nothing.
func styleMark(style string) string {
	switch found, shift := aligned.FindStringSubmatch(style), shifted.FindStringSubmatch(style); {
	case found != nil && found[1] == "sub":
		return equation.Subscript
	case found != nil:
		return equation.Superscript
	case shift == nil, !strings.Contains(style, "relative"), !strings.Contains(style, "font-size"):
		return ""
	case shift[1] == "":
		return equation.Subscript
	}
	return equation.Superscript
}

// addStyles keeps the classes of a style sheet whose text is a superscript or subscript.
func (p *page) addStyles(sheet []byte) {
	for _, rule := range styleRule.FindAllSubmatch(sheet, -1) {
		if mark := styleMark(string(rule[2])); mark != "" && len(p.classes) < maxClasses {
			p.classes[string(rule[1])] = mark
		}
	}
}

// maxClasses bounds the classes of superscripts and subscripts.
const maxClasses = 1000

// writeEquation writes an equation apart from the text before it.
func (p *page) writeEquation(text string) {
	if p.skipped == 0 && text != "" {
		p.separate(text)
		if before := p.out.Bytes(); len(before) > 0 {
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

// inputText returns the visible text of a form's input.
func inputText(values map[string]string) string {
	_, isChecked := values["checked"]
	switch kind := strings.ToLower(values["type"]); {
	case kind != "checkbox" && kind != "radio":
		if kind == "hidden" || kind == "password" || kind == "file" || kind == "image" || kind == "submit" ||
			kind == "reset" || kind == "button" {
			return ""
		}
		return values["value"]
	case isChecked:
		return "☑ "
	}
	return "☐ "
}
