package office

import (
	"cmp"
	"regexp"
)

// readDOCX reads the text of a document after the parts that it refers to. Headers precede the text and footers follow
// it.
func readDOCX(f *file) {
	main, related := f.main()
	w := newWords(f)
	for _, part := range related.targets("numbering") {
		w.readNumbering(part)
	}
	w.read(related.targets("styles", "footnotes", "endnotes", "comments")...)
	w.readMargins(related.targets("header"))
	w.read(main)
	w.readMargins(related.targets("footer"))
}

// readMargins writes the texts of headers or footers.
func (w *words) readMargins(parts []string) {
	var texts []string
	for _, part := range parts {
		texts = append(texts, w.captured(func() { w.read(part) }))
	}
	w.writeMargins(texts)
}

// pageNumber is a text of a margin that has nothing more.
var pageNumber = regexp.MustCompile(`^[0-9]{0,3}$`)

// writeMargins writes each text once, since many sections repeat them.
func (f *file) writeMargins(texts []string) {
	isWritten := map[string]bool{}
	for _, text := range texts {
		if !isWritten[text] && !pageNumber.MatchString(text) {
			isWritten[text] = true
			f.line(text)
		}
	}
}

// style has the properties of a paragraph or a paragraph style that change its line.
type style struct{ based, heading, list, depth, mark string }

func (w *words) readStyle(n node) {
	w.style = style{}
	w.content(n)
	w.styles[n.attribute("styleId")] = w.style
}

// maxBased bounds the chain of styles that a style is based on.
const maxBased = 20

// readProperties reads the prefix of a paragraph: the marks of a heading, and the number of a list item.
func (w *words) readProperties(n node) {
	w.content(n)
	if w.paragraph == nil { // of a style
		return
	}
	s := w.style
	for range maxBased {
		based := w.styles[s.based]
		s = style{
			based: based.based, heading: cmp.Or(s.heading, based.heading), list: cmp.Or(s.list, based.list),
			depth: cmp.Or(s.depth, based.depth),
		}
	}
	prefix := ""
	if s.list != "" && s.list != "0" {
		prefix = w.lists[s.list].next(number(s.depth, 0))
	}
	if depth := number(s.heading, maxLevel); depth < maxLevel-1 { // the last level means body text
		prefix = headingPrefix(depth+1, prefix)
	}
	w.paragraph.prefix = prefix
}

// readNumbering reads how lists are numbered. Lists of the same definition share their numbers, except a list that
// overrides the first number.
func (w *words) readNumbering(part string) {
	definitions := map[string]*list{}
	definition, id, depth := &list{}, "", 0
	for e := range w.elements(part) {
		value := e.attribute("val")
		switch e.name {
		case "abstractNum":
			definition = &list{}
			definitions[e.attribute("abstractNumId")] = definition
		case "lvl", "lvlOverride":
			depth = e.number("ilvl", 0)
		case "start":
			definition.level(depth).start = number(value, 0)
		case "numFmt":
			definition.level(depth).format = value
		case "lvlText":
			definition.level(depth).text = value
		case "num":
			id, definition = e.attribute("numId"), &list{}
		case "abstractNumId":
			w.lists[id] = definitions[value]
		case "startOverride":
			if shared := w.lists[id]; shared != nil {
				own := *shared
				own.level(depth).start = number(value, 1)
				w.lists[id] = &own
			}
		}
	}
}
