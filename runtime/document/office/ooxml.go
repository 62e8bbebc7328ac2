package office

import "strings"

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
