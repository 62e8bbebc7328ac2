package office

import (
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/file/document"
)

// words reads the text of documents, OpenDocument sheets and slides. Elements have an action by their local names, which do not conflict
// between the two families of formats. If an element has no action, its content is read.
type words struct {
	*file
	actions  map[string]func(node)
	lists    map[string]*list  // by id or style
	item     string            // the prefix of the next paragraph
	remarks  map[string]remark // by element and id
	span     int               // columns of the open cell
	comments string            // on the open cell
	hidden   map[string]bool   // styles of hidden sheets and slides

	style    style            // of the paragraph, or the one that is read
	styles   map[string]style // by id
	isMargin bool             // the open shape is in the margin of a slide

	styleName    string   // of the style that is read
	openLists    []string // their styles
	inserted     []string // headers of the insertions that the text is in
	author, date string   // of the note or the change that is being read
}

// remark is a footnote, an endnote, a comment or a tracked change. The header precedes the text.
type remark struct{ header, text string }

func newWords(f *file) *words {
	w := &words{
		file: f, lists: map[string]*list{}, remarks: map[string]remark{}, hidden: map[string]bool{}, styles: map[string]style{},
	}
	text := func(text string) func(node) { return func(node) { w.add(text) } }
	allText := func(n node) { w.add(n.allText()) }
	w.actions = map[string]func(node){
		"p": w.readParagraph, "h": w.readParagraph, "t": allText, "delText": allText,
		"tab": text("\t"), "ptab": text("\t"), "br": text("\n"), "cr": text("\n"), "line-break": text("\n"), "noBreakHyphen": text("\u2011"),
		"s":  func(n node) { w.add(strings.Repeat(" ", min(max(n.number("c", 1), 1), maxSpaces))) },
		"tr": w.readRow, "table-row": w.readRow, "table": w.readTable,
		"tc": w.readCell, "table-cell": w.readCell, "covered-table-cell": w.readCell,
		"gridSpan": func(n node) { w.span = n.number("val", 1) },

		"sld": w.readSlide, "page": w.readSlide, "notes": w.readSpeakerNotes,
		"sp": w.readShape, "graphicFrame": w.readShape, "txBody": w.readShapeText,
		"ph": func(n node) { w.isMargin = slideMargins[n.attribute("type")] },

		"pPr": w.readProperties, "style": w.readStyle,
		"pStyle":     func(n node) { w.style.based = n.attribute("val") },
		"basedOn":    func(n node) { w.style.based = n.attribute("val") },
		"outlineLvl": func(n node) { w.style.heading = n.attribute("val") },
		"numId":      func(n node) { w.style.list = n.attribute("val") },
		"ilvl":       func(n node) { w.style.depth = n.attribute("val") },
		"list":       w.readList, "list-item": w.readItem,

		"footnote": w.readRemark, "endnote": w.readRemark, "comment": w.readRemark,
		"footnoteReference": w.showRemark, "endnoteReference": w.showRemark, "commentReference": w.showRemark,
		"note": w.readNote, "annotation": w.readNote, "creator": w.readCredit, "date": w.readCredit,
		"ins": w.readMarkedChange, "moveTo": w.readMarkedChange, "del": w.readMarkedChange, "moveFrom": w.readMarkedChange,
		"changed-region": w.readChange, "change": w.showChange, "change-start": w.showChange, "change-end": w.showChange,
	}
	for _, name := range strings.Fields(unread) {
		w.actions[name] = func(node) {}
	}
	return w
}

// unread are elements whose text does not belong to the document (properties, codes of fields) or repeats other text.
const unread = `rPr tblPr trPr sectPr sdtPr pPrChange numberingChange tabs tabLst instrText delInstrText Fallback rt rPh
	note-citation forms ruby-text scripts script binary-data table-of-content-source creator-initials sender-initials
	date-string content-validations dde-links`

const maxSpaces = 100

func (w *words) read(parts ...string) {
	for _, part := range parts {
		for root := range w.elements(part) {
			w.element(root)
		}
	}
}

func (w *words) element(n node) {
	action, known := w.actions[n.name]
	switch {
	case known:
		action(n)
	case n.prefix == "svg", n.attribute("class") == "page-number", n.prefix == "table" && n.name == "tracked-changes":
		// titles of drawings, numbers of slides and changes of cells are not shown
	default:
		w.content(n)
	}
}

func (w *words) content(n node) {
	for child := range n.content() {
		if child.name != "" {
			w.element(child)
		} else if w.isODF { // Office Open XML has white space there
			w.addCollapsed(child.text)
		}
	}
}

func (w *words) contentText(n node) string { return w.captured(func() { w.content(n) }) }

func (w *words) readParagraph(n node) {
	prefix := w.item
	w.item, w.style = "", style{}
	if n.name == "h" {
		depth := n.number("outline-level", 1)
		if numbers := w.lists[outline]; numbers != nil && prefix == "" {
			prefix = numbers.next(depth - 1)
		}
		prefix = headingPrefix(depth, prefix)
	}
	w.addParagraph(prefix, func() {
		for _, header := range w.inserted {
			w.startChange(header)
		}
		w.content(n)
	})
}

func (w *words) readRow(n node) {
	w.tableRow(n.number("number-rows-repeated", 1), func() { w.content(n) })
}

// readCell adds a cell. A date is shown in place of the text, and so is the value of a cell without text.
func (w *words) readCell(n node) {
	span, comments := w.span, w.comments
	w.span, w.comments = 1, ""
	text := w.contentText(n)
	if date := n.attribute("date-value"); date != "" {
		text = date
	} else if text == "" {
		text = n.attribute("value")
	}
	w.cell(text+w.comments, n.number("number-columns-repeated", 1))
	w.cell("", w.span-1)
	w.span, w.comments = span, comments
}

func (w *words) readSlide(n node) {
	show := n.attribute("show")
	w.mark(document.Slide, "", show == "0" || show == "false" || w.hidden[n.attribute("style-name")])
	w.content(n)
}

func (w *words) readSpeakerNotes(n node) {
	if notes := w.contentText(n); notes != "" {
		w.line("[speaker notes]\n" + notes)
	}
}
