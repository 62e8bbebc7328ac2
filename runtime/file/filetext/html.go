package filetext

import (
	"bytes"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// IsHTML reports whether a text is an HTML document or fragment: it begins with a tag of HTML, ends with a tag and
// closes an element.
func IsHTML(text string) bool {
	text = strings.TrimSpace(text)
	if !strings.HasPrefix(text, "<") || !strings.HasSuffix(text, ">") || !strings.Contains(text, "</") {
		return false
	}
	tokens := html.NewTokenizer(strings.NewReader(text))
	switch tokens.Next() {
	case html.DoctypeToken, html.CommentToken:
		return !strings.HasPrefix(text, "<?")
	case html.StartTagToken, html.SelfClosingTagToken:
		name, _ := tokens.TagName()
		return slices.Contains(fragments, atom.Lookup(name)) || slices.Contains(blocks, atom.Lookup(name))
	}
	return false
}

// fragments are the elements other than blocks that may begin a fragment.
var fragments = []atom.Atom{
	atom.Html, atom.Head, atom.Meta, atom.Style, atom.Span, atom.A, atom.B, atom.I, atom.U, atom.Strong, atom.Em,
	atom.Font, atom.Center, atom.Img,
}

// Readable returns the text of HTML as a person reads it: a block on each line, tabs between cells, and addresses of
// links. It leaves out scripts and hidden elements, and builds no tree, so deep nesting costs nothing.
func Readable(source []byte) []byte { return readPage(source, nil) }

// ReadPage returns the text of an HTML page like Read. The style sheets are those of the page, which are in other
// files.
func ReadPage(source []byte, sheets [][]byte) (string, bool) {
	text := decode(source, "", true)
	if !isText(text.Bytes) {
		return "", false
	}
	return string(readPage(text.Bytes, sheets)), true
}

func readPage(source []byte, sheets [][]byte) []byte {
	page := &page{classes: map[string]string{}}
	for _, sheet := range sheets {
		page.addStyles(sheet)
	}
	tokens := html.NewTokenizer(bytes.NewReader(source))
	for {
		switch kind := tokens.Next(); kind {
		case html.ErrorToken: // the end
			return page.text()
		case html.TextToken:
			if page.skipped == atom.Style {
				page.addStyles(tokens.Text())
			}
			page.write(tokens.Text())
		case html.StartTagToken, html.SelfClosingTagToken:
			page.open(tokens, kind == html.SelfClosingTagToken)
		case html.EndTagToken:
			name, _ := tokens.TagName()
			page.close(atom.Lookup(name))
		}
	}
}

type page struct {
	out     bytes.Buffer
	skipped atom.Atom         // the element whose content is left out; 0: none
	raw     int               // open elements that keep white space
	link    string            // address of the open link
	linked  int               // where the text of the open link begins
	scripts []script          // the open superscripts, subscripts, drawings and references to notes
	mark    string            // of the last superscript or subscript
	apart   int               // where it or an equation ended
	classes map[string]string // marks of superscripts and subscripts
}

// Elements by their effect.
var (
	blocks = []atom.Atom{
		atom.P, atom.Div, atom.Br, atom.Hr, atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Ul, atom.Ol, atom.Li,
		atom.Dl, atom.Dt, atom.Dd, atom.Table, atom.Tr, atom.Blockquote, atom.Pre, atom.Section, atom.Article,
		atom.Header, atom.Footer,
		atom.Main, atom.Nav, atom.Option, atom.Aside, atom.Figure, atom.Figcaption, atom.Form, atom.Fieldset, atom.Address,
		atom.Body, atom.Title, atom.Caption,
	}
	skippedElements = []atom.Atom{atom.Script, atom.Style, atom.Template, atom.Noscript, atom.Iframe}
)

func (p *page) open(tokens *html.Tokenizer, isEmpty bool) {
	name, hasAttributes := tokens.TagName()
	tag := atom.Lookup(name)
	if p.skipped != 0 {
		return
	}
	mark, isScript := scriptMarks[tag]
	switch {
	case slices.Contains(skippedElements, tag) && !isEmpty:
		p.skipped = tag
	case tag == atom.Math || strings.HasSuffix(string(name), ":math"):
		if !isEmpty {
			p.writeEquation(readMath(tokens))
		}
	case isScript && !isEmpty:
		p.openScript(tag, mark)
	case tag == atom.Span && hasAttributes || tag == atom.Span && len(p.scripts) > 0:
		p.openSpan(attributes(tokens, hasAttributes))
	case tag == atom.A:
		p.endLink()
		values := attributes(tokens, hasAttributes)
		p.link, p.linked = values["href"], p.out.Len()
		if values["role"] == "doc-noteref" || values["epub:type"] == "noteref" {
			p.openScript(tag, scriptMarks[atom.Sup])
		}
	case tag == atom.Img:
		if alt := attributes(tokens, hasAttributes)["alt"]; alt != "" {
			p.out.WriteString("[" + strings.Join(strings.Fields(alt), " ") + "]")
		}
	case tag == atom.Input:
		p.write([]byte(inputText(attributes(tokens, hasAttributes))))
	case tag == atom.Td || tag == atom.Th:
		if !p.atLineStart() {
			p.out.WriteByte('\t')
		}
	case slices.Contains(blocks, tag):
		p.breakLine()
		if tag == atom.Li {
			p.out.WriteString("- ")
		}
		if tag == atom.Pre {
			p.raw++
		}
	}
}

func (p *page) close(tag atom.Atom) {
	switch {
	case p.skipped != 0:
		if tag == p.skipped {
			p.skipped = 0
		}
	case tag == atom.A:
		p.endScript(tag)
		p.endLink()
	case tag == atom.Sup || tag == atom.Sub || tag == atom.Svg || tag == atom.Span:
		p.endScript(tag)
	case slices.Contains(blocks, tag):
		p.breakLine()
		if tag == atom.Pre {
			p.raw = max(0, p.raw-1)
		}
	}
}

// endLink writes the address of the open link, unless it is the text of the link.
func (p *page) endLink() {
	target := p.link
	if p.link = ""; target == "" {
		return
	}
	text := string(bytes.TrimSpace(p.out.Bytes()[min(p.linked, p.out.Len()):]))
	isWeb := strings.HasPrefix(target, "http://") || strings.HasPrefix(target, "https://") ||
		strings.HasPrefix(target, "mailto:")
	if isWeb && text != target && "mailto:"+text != target {
		p.out.WriteString(" (" + target + ")")
	}
}

func (p *page) write(text []byte) {
	if p.skipped != 0 {
		return
	}
	p.separate(string(text))
	if p.raw > 0 {
		p.out.Write(text)
		return
	}
	wasSpace := p.atLineStart() || p.endsInSpace()
	for _, r := range string(text) {
		isSpace := unicode.IsSpace(r)
		if isSpace && wasSpace {
			continue
		}
		if wasSpace = isSpace; isSpace {
			r = ' '
		}
		p.out.WriteRune(r)
	}
}

func (p *page) last() byte {
	if p.out.Len() == 0 {
		return '\n'
	}
	return p.out.Bytes()[p.out.Len()-1]
}

func (p *page) atLineStart() bool { return p.last() == '\n' }

func (p *page) endsInSpace() bool { return p.last() == ' ' || p.last() == '\t' }

func (p *page) breakLine() {
	for p.endsInSpace() {
		p.out.Truncate(p.out.Len() - 1)
	}
	if !p.atLineStart() {
		p.out.WriteByte('\n')
	}
}

func (p *page) text() []byte {
	p.endLink()
	p.breakLine()
	return p.out.Bytes()
}

// attributes returns the attributes of the element that begins. The first one of a name counts.
func attributes(tokens *html.Tokenizer, more bool) map[string]string {
	values := map[string]string{}
	for more {
		var name, value []byte
		name, value, more = tokens.TagAttr()
		if _, isKnown := values[string(name)]; !isKnown {
			values[string(name)] = strings.TrimSpace(string(value))
		}
	}
	return values
}
