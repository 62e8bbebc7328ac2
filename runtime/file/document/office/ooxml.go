package office

import (
	"path"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/file/document"
)

func (w *words) readMarkedChange(n node) {
	kind := "inserted"
	if n.name == "del" || n.name == "moveFrom" {
		kind = "deleted"
	}
	w.startChange(changeHeader(kind, credit(n.attribute("author"), n.attribute("date"))))
	w.content(n)
	w.endChange()
}

func (w *words) readShape(n node) {
	w.isMargin = false
	w.content(n)
}

func (w *words) readShapeText(n node) {
	if !w.isMargin {
		w.content(n)
	}
}

// slideMargins are the shapes in the margins of slides and notes: number, date, header and footer.
var slideMargins = map[string]bool{"sldNum": true, "dt": true, "hdr": true, "ftr": true}

func (w *words) readRemark(n node) {
	if kind := n.attribute("type"); kind == "" || kind == "normal" { // otherwise the line between the text and its notes
		text := w.contentText(n)
		w.remarks[n.name+n.attribute("id")] = remark{credit(n.attribute("author"), n.attribute("date")), text}
	}
}

// showRemark writes a footnote, an endnote or a comment at its place.
func (w *words) showRemark(n node) {
	kind := strings.TrimSuffix(n.name, "Reference")
	if found, known := w.remarks[kind+n.attribute("id")]; known {
		w.add(bracketed(kind+found.header, found.text))
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
