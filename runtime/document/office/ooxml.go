package office

import (
	"path"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/document"
)

// ooxmlUnread are elements whose text does not belong to the document (properties, codes of fields) or repeats other text.
const ooxmlUnread = "rPr tblPr trPr sectPr sdtPr pPrChange numberingChange tabs tabLst instrText delInstrText Fallback rt rPh"

func (w *words) ooxmlActions() map[string]func(node) {
	change := func(kind string) func(node) {
		return func(n node) {
			w.startChange(changeHeader(kind, credit(n.attribute("author"), n.attribute("date"))))
			w.content(n)
			w.endChange()
		}
	}
	reference := func(n node) {
		kind := strings.TrimSuffix(n.name, "Reference")
		if found, known := w.remarks[kind+n.attribute("id")]; known {
			w.add(bracketed(kind+found.header, found.text))
		}
	}
	shape := func(n node) {
		w.isMargin = false
		w.content(n)
	}
	actions := map[string]func(node){
		"t": func(n node) { w.add(n.allText()) }, "delText": func(n node) { w.add(n.allText()) },
		"pPr": w.readProperties, "style": w.readStyle,
		"pStyle":     func(n node) { w.style.based = n.attribute("val") },
		"basedOn":    func(n node) { w.style.based = n.attribute("val") },
		"outlineLvl": func(n node) { w.style.heading = n.attribute("val") },
		"numId":      func(n node) { w.style.list = n.attribute("val") },
		"ilvl":       func(n node) { w.style.depth = n.attribute("val") },
		"gridSpan":   func(n node) { w.span = n.number("val", 1) },
		"ins":        change("inserted"), "moveTo": change("inserted"), "del": change("deleted"), "moveFrom": change("deleted"),
		"footnote": w.readRemark, "endnote": w.readRemark, "comment": w.readRemark,
		"footnoteReference": reference, "endnoteReference": reference, "commentReference": reference,
		"sp": shape, "graphicFrame": shape,
		"ph": func(n node) { w.isMargin = slideMargins[n.attribute("type")] },
		"txBody": func(n node) {
			if !w.isMargin {
				w.content(n)
			}
		},
	}
	for _, name := range strings.Fields(ooxmlUnread) {
		actions[name] = func(node) {}
	}
	return actions
}

// slideMargins are the shapes in the margins of slides and notes: number, date, header and footer.
var slideMargins = map[string]bool{"sldNum": true, "dt": true, "hdr": true, "ftr": true}

func (w *words) readRemark(n node) {
	if kind := n.attribute("type"); kind == "" || kind == "normal" { // otherwise the line between the text and its notes
		text := w.contentText(n)
		w.remarks[n.name+n.attribute("id")] = remark{credit(n.attribute("author"), n.attribute("date")), text}
	}
}

// readPPTX reads the slides in the order of the presentation. Diagrams, speaker notes and comments follow each slide.
func readPPTX(f *file) {
	w := newWords(f)
	main, related := f.main()
	authors := map[string]string{}
	for _, part := range related.targets("commentAuthors", "authors") {
		for e := range f.elements(part) {
			authors[e.attribute("id")] = e.attribute("name")
		}
	}
	for e := range f.elements(main) {
		if e.name == "sldId" {
			w.readSlidePart(related.part(e), authors)
		}
	}
}

func (w *words) readSlidePart(part string, authors map[string]string) {
	related := w.relations(part)
	w.read(part)
	w.read(related.targets("diagramData", "notesSlide")...)
	for _, part := range related.targets("comments") {
		for e := range w.elements(part) {
			if e.name == "cm" {
				w.readSlideComment(e, authors)
			}
		}
	}
}

// readSlideComment writes a comment after the replies to it, which come first in the file.
func (f *file) readSlideComment(n node, authors map[string]string) {
	for child := range n.content() {
		switch child.name {
		case "text", "txBody":
			date := n.attribute("dt") + n.attribute("created") // before 2021, and since
			f.commentLine("comment"+credit(authors[n.attribute("authorId")], date), child.allText())
		case "replyLst", "reply":
			f.readSlideComment(child, authors)
		}
	}
}

// relation is a relationship of a part of an Office Open XML file to another part.
type relation struct{ id, kind, target string }

type relations []relation

// relations reads the relations of a part, or of the package if the name is empty. It omits links out of the file.
func (f *file) relations(name string) (related relations) {
	folder, base := path.Split(name)
	for e := range f.optional(path.Join(folder, "_rels", base+".rels")) {
		if e.name != "Relationship" || e.attribute("TargetMode") == "External" {
			continue
		}
		target := e.attribute("Target")
		if !path.IsAbs(target) {
			target = path.Join(folder, target)
		}
		related = append(related, relation{e.attribute("Id"), path.Base(e.attribute("Type")), target})
	}
	return related
}

// targets returns the parts of some kinds, in the order of the kinds.
func (r relations) targets(kinds ...string) (parts []string) {
	for _, kind := range kinds {
		for _, each := range r {
			if each.kind == kind {
				parts = append(parts, each.target)
			}
		}
	}
	return parts
}

// part returns the part that the attribute r:id of an element refers to, or nothing.
func (r relations) part(n node) string {
	for _, attribute := range n.attributes { // the element can have another id
		for _, each := range r {
			if attribute.Name.Local == "id" && attribute.Name.Space != "" && each.id == attribute.Value {
				return each.target
			}
		}
	}
	return ""
}

// main returns the main part of a package, and its relations.
func (f *file) main() (string, relations) {
	for _, part := range f.relations("").targets("officeDocument") {
		return part, f.relations(part)
	}
	f.fail(document.Damaged, "it does not say which part is the document")
	return "", nil
}
