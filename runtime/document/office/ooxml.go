package office

import (
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/document"
)

// ooxml reads the text of Office Open XML: of documents, their notes, and slides. The elements of text have the same names in both.
type ooxml struct {
	flow
	styles   map[string]style
	numbers  numbering
	margins  map[string]bool   // texts of headers and footers
	remarks  map[string]remark // by element and id
	open     string            // the key of the open remark
	style    style             // of the open paragraph
	spans    []int             // columns of the open cells
	inText   bool
	isUnread bool // the open shape is not read
}

// remark is a footnote, an endnote or a comment.
type remark struct{ credit, text string }

func newOOXML(f *file) *ooxml {
	return &ooxml{
		flow: newFlow(f), styles: map[string]style{}, numbers: numbering{}, margins: map[string]bool{}, remarks: map[string]remark{},
	}
}

// changes are the kinds of tracked changes by element.
var changes = map[string]string{
	"ins": "inserted", "moveTo": "inserted", "del": "deleted", "moveFrom": "deleted",
}

// unread are elements whose text does not belong to the document (properties, codes of fields) or repeats other text.
var unread = map[string]bool{
	"rPr": true, "tblPr": true, "trPr": true, "sectPr": true, "sdtPr": true, "pPrChange": true, "numberingChange": true, "tabs": true, "tabLst": true,
	"instrText": true, "delInstrText": true, "Fallback": true, "rt": true, "rPh": true,
}

// slideMargins are the shapes in the margins of slides and notes: number, date, header and footer.
var slideMargins = map[string]bool{"sldNum": true, "dt": true, "hdr": true, "ftr": true}

func (o *ooxml) read(name string) error { return o.walk(name, visitor{o.start, o.end, o.data}) }

func (o *ooxml) data(text []byte) {
	if o.inText {
		o.add(string(text))
	}
}

func (o *ooxml) start(e element) bool {
	switch name := e.Name.Local; name {
	case "p":
		o.startParagraph()
		o.style = style{}
	case "pStyle":
		o.style.Based.Val = e.attribute("val")
	case "outlineLvl":
		o.style.Heading.Val = e.attribute("val")
	case "ilvl":
		o.style.Depth.Val = e.attribute("val")
	case "numId":
		o.style.List.Val = e.attribute("val")
	case "t", "delText":
		o.inText = true
	case "tab", "ptab":
		o.add("\t")
	case "br", "cr":
		o.add("\n")
	case "noBreakHyphen":
		o.add("\u2011")
	case "tr":
		o.startRow()
	case "tc":
		o.capture()
		o.spans = append(o.spans, 1)
	case "gridSpan":
		if last := len(o.spans) - 1; last >= 0 {
			o.spans[last] = max(1, e.number("val", 1))
		}
	case "ins", "del", "moveTo", "moveFrom":
		o.startChange(change{kind: changes[name], author: e.attribute("author"), date: e.attribute("date")})
	case "footnote", "endnote", "comment":
		if kind := e.attribute("type"); kind != "" && kind != "normal" { // the line between the text and its notes
			return false
		}
		o.open = name + e.attribute("id")
		o.remarks[o.open] = remark{credit: credit(e.attribute("author"), e.attribute("date"))}
		o.capture()
	case "footnoteReference", "endnoteReference", "commentReference":
		kind := strings.TrimSuffix(name, "Reference")
		if found, known := o.remarks[kind+e.attribute("id")]; known {
			o.note(kind, found.credit, found.text)
		}
	case "sld":
		o.mark(document.Slide, "", e.attribute("show") == "0" || e.attribute("show") == "false")
	case "sp", "graphicFrame":
		o.isUnread = false
	case "ph":
		o.isUnread = slideMargins[e.attribute("type")]
	case "txBody":
		return !o.isUnread
	}
	return !unread[e.Name.Local]
}

func (o *ooxml) end(name string) {
	switch name {
	case "p":
		o.endParagraph()
	case "pPr":
		if p := o.paragraph(); p != nil {
			p.prefix = o.prefix(o.style)
		}
	case "t", "delText":
		o.inText = false
	case "tr":
		o.endRow(1)
	case "tc":
		o.cell(o.captured("\n"), 1)
		if span := pop(&o.spans); span > 1 {
			o.cell("", span-1)
		}
	case "ins", "del", "moveTo", "moveFrom":
		o.endChange()
	case "footnote", "endnote", "comment":
		found := o.remarks[o.open]
		found.text = o.captured(" ")
		o.remarks[o.open] = found
	}
}
