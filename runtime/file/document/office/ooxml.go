package office

import (
	"fmt"
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
			w.readSlidePart(related.part(e, "id"), authors)
		}
	}
}

func (w *words) readSlidePart(part string, authors map[string]string) {
	related := w.relations(part)
	w.read(append([]string{part}, related.targets("diagramData", "notesSlide")...)...)
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

// relations are the parts of an Office Open XML file to which another part refers.
type relations struct {
	byID   map[string]string
	byKind map[string][]string
}

// relations reads the relations of a part, or of the package if the name is empty. It omits links, which do not lead to
// parts.
func (f *file) relations(name string) relations {
	related := relations{map[string]string{}, map[string][]string{}}
	folder, base := path.Split(name)
	for e := range f.optional(path.Join(folder, "_rels", base+".rels")) {
		kind, target := path.Base(e.attribute("Type")), e.attribute("Target")
		if e.name != "Relationship" || e.attribute("TargetMode") == "External" || kind == "hyperlink" {
			continue
		}
		if !path.IsAbs(target) {
			target = path.Join(folder, target)
		}
		related.byID[e.attribute("Id")] = target
		related.byKind[kind] = append(related.byKind[kind], target)
		if len(related.byID) > f.limits.Entries || len(related.byKind[kind]) > f.limits.Entries {
			f.fail(document.TooLarge, fmt.Sprintf("a part has more than %d relations to other parts", f.limits.Entries))
		}
	}
	return related
}

// targets returns the parts of some kinds, in the order of the kinds.
func (r relations) targets(kinds ...string) (parts []string) {
	for _, kind := range kinds {
		parts = append(parts, r.byKind[kind]...)
	}
	return parts
}

// part returns the part that an attribute of an element refers to, such as r:id, or nothing.
func (r relations) part(n node, attribute string) string {
	for _, each := range n.attributes { // the element can have another id
		if each.Name.Local == attribute && each.Name.Space != "" && r.byID[each.Value] != "" {
			return r.byID[each.Value]
		}
	}
	return ""
}

// main returns the main part of a package, and its relations.
func (f *file) main() (string, relations) {
	name := f.format.MainPart()
	if named := f.relations("").targets("officeDocument"); len(named) > 0 {
		name = named[0]
	}
	f.mainPart = partKey(name)
	return name, f.relations(name)
}
