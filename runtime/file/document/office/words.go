package office

import (
	"bytes"
	"cmp"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/file/document"
)

// words reads the text of documents, OpenDocument sheets and slides. Elements have an action by their local names,
// which do not conflict between the two families of formats. If an element has no action, its content is read.
type words struct {
	*file
	actions  map[string]func(node)
	lists    map[string]*list  // by id or style
	item     string            // the prefix of the next paragraph
	remarks  map[string]remark // by element and id
	span     int               // columns of the open cell
	comments string            // on the open cell
	hidden   map[string]bool   // styles of hidden sheets and slides
	related  relations         // of the part that is read

	runMark     string // of a superscript or subscript
	fields      []field
	alternative string // text of the drawing that is read

	style    style            // of the paragraph, or the one that is read
	styles   map[string]style // by id
	isMargin bool             // the open shape is in the margin of a slide

	styleName    string            // of the style that is read
	openLists    []string          // their styles
	marks        map[string]string // of superscripts and subscripts by style
	controls     map[string]string // texts of form controls by id; in XLSX, their states by the id of their shape
	inserted     []string          // headers of the insertions that the text is in
	author, date string            // of the note or the change that is being read
}

// remark is a footnote, an endnote, a comment or a tracked change. The header precedes the text.
type remark struct{ header, text string }

func newWords(f *file) *words {
	w := &words{
		file: f, lists: map[string]*list{}, remarks: map[string]remark{}, hidden: map[string]bool{},
		styles: map[string]style{},
		marks:  map[string]string{}, controls: map[string]string{},
	}
	text := func(text string) func(node) { return func(node) { w.add(text) } }
	allText := func(n node) { w.addMarked(w.runMark, n.allText()) }
	w.actions = map[string]func(node){
		"p": w.readParagraph, "h": w.readParagraph, "t": allText, "delText": allText,
		"tab": text("\t"), "ptab": text("\t"), "br": text("\n"), "cr": text("\n"), "line-break": text("\n"),
		"noBreakHyphen": text("\u2011"),
		"s":             func(n node) { w.add(strings.Repeat(" ", min(max(n.number("c", 1), 1), maxSpaces))) },
		"tr":            w.readRow, "table-row": w.readRow, "table": w.readTable,
		"tc": w.readCell, "table-cell": w.readCell, "covered-table-cell": w.readCell,
		"gridSpan": func(n node) { w.span = n.number("val", 1) },

		"r": w.readRun, "span": w.readSpan, "oMath": w.readEquation, "math": w.readEquation, "sym": w.readSymbol,
		"fldChar": w.readFieldChar, "instrText": w.readFieldCode, "ffData": w.readFormField, "forms": w.readControls,
		"altChunk": w.readChunk,

		"drawing": w.drawn("drawing"), "pict": w.drawn("drawing"), "pic": w.drawn("picture"), "imagedata": w.readImage,
		"graphicFrame": w.drawn("drawing"), "frame": w.readFrame, "relIds": w.readDiagram,
		"docPr": w.readAlternative, "cNvPr": w.readShapeProperties,
		"chart": w.readChart, "contentPart": w.named("drawing"), "oleObj": w.named("object"),
		"subDoc":    w.named("document"),
		"videoFile": w.named("video"), "audioFile": w.named("recording"), "wavAudioFile": w.named("recording"),
		"quickTimeFile": w.named("video"),
		"textpath":      func(n node) { w.add(n.attribute("string")) },

		"sld": w.readSlide, "page": w.readSlide, "notes": w.readSpeakerNotes,
		"sp": w.readShape, "txBody": w.readShapeText,
		"ph": func(n node) { w.isMargin = slideMargins[n.attribute("type")] },

		"pPr": w.readProperties, "style": w.readStyle, "rPr": func(n node) { w.style.mark, _ = n.runProperties() },
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
	for _, name := range strings.Fields(vectorShapes) {
		w.actions[name] = w.readShape
	}
	w.actions["object"], w.actions["control"] = w.readObject, w.named("form control")
	if f.isODF {
		w.actions["control"] = w.readControl
		delete(w.actions, "object") // it is in a frame
	}
	for _, name := range strings.Fields(unread) {
		w.actions[name] = func(node) {}
	}
	return w
}

// vectorShapes are the shapes of VML and OpenDocument.
const vectorShapes = "shape roundrect oval rect polyline custom-shape ellipse circle polygon path connector measure caption"

// unread are elements whose text does not belong to the document (properties, codes of fields) or repeats other text.
const unread = `tblPr trPr sectPr sdtPr pPrChange rPrChange numberingChange tabs tabLst delInstrText fldData Fallback rt rPh
	posOffset align pctWidth pctHeight pctPosHOffset pctPosVOffset extLst note-citation number ruby-text scripts script binary-data
	table-of-content-source creator-initials sender-initials date-string content-validations dde-links`

const maxSpaces = 100

func (w *words) read(parts ...string) {
	outer := w.related
	for _, part := range parts {
		if w.related = (relations{}); !w.isODF {
			w.related = w.relations(part)
		}
		for root := range w.elements(part) {
			w.element(root)
		}
	}
	w.related = outer
}

func (w *words) element(n node) {
	action, known := w.actions[n.name]
	switch {
	case known:
		action(n)
	case n.prefix == "svg":
		if text := n.allText(); n.name == "title" || n.name == "desc" {
			w.alternative = cmp.Or(w.alternative, text)
		}
	case n.attribute("class") == "page-number", n.prefix == "table" && n.name == "tracked-changes":
		// numbers of slides and changes of cells are not shown
	default:
		w.content(n)
	}
}

func (w *words) content(n node) {
	for child := range n.content() {
		switch {
		case child.name != "":
			w.element(child)
		case w.isODF:
			w.addCollapsed(child.text)
		case len(bytes.TrimSpace(child.text)) > 0: // of an element that is not known
			w.add(string(child.text))
		}
	}
}

// readRun reads text with its properties, which come first.
func (w *words) readRun(n node) {
	outer := w.runMark
	w.runMark = ""
	for child := range n.content() {
		switch child.name {
		case "rPr":
			mark, style := child.runProperties()
			for range maxBased {
				mark, style = cmp.Or(mark, w.styles[style].mark), w.styles[style].based
			}
			w.runMark = mark
		case "":
		default:
			w.element(child)
		}
	}
	w.runMark = outer
}

// readSpan reads text of OpenDocument with its style.
func (w *words) readSpan(n node) {
	outer := w.runMark
	w.runMark = cmp.Or(w.marks[n.attribute("style-name")], outer)
	w.content(n)
	w.runMark = outer
}

func (w *words) contentText(n node) string { return w.captured(func() { w.content(n) }) }

func (w *words) readParagraph(n node) {
	prefix, mark := w.item, w.runMark
	w.item, w.style, w.runMark = "", style{}, ""
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
	w.runMark = mark
}

func (w *words) readRow(n node) {
	w.tableRow(n.number("number-rows-repeated", 1), func() { w.content(n) })
}

// readCell adds a cell. A date is shown in place of the text, and so is the value of a cell without text.
func (w *words) readCell(n node) {
	span, comments := w.span, w.comments
	w.span, w.comments = 1, ""
	text := w.contentText(n)
	value := n.attribute("value")
	if date := n.attribute("date-value"); date != "" {
		text = date
	} else if text == "" {
		text = value
	} else if strings.HasPrefix(value, "-") && strings.ContainsAny(text, "0123456789") &&
		!strings.ContainsAny(text, "-(\u2212") {
		text = "-" + text // only the colour shows the sign
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
