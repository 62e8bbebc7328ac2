package office

import (
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/pdppmcp/pdpp-mcp/runtime/file/document"
	"github.com/pdppmcp/pdpp-mcp/runtime/file/equation"
)

func readODF(f *file) {
	f.isODF, f.mainPart = true, "content.xml"
	w := newWords(f)
	for e := range f.optional("META-INF/manifest.xml") {
		if e.name == "encryption-data" {
			f.fail(document.Encrypted, "it is protected with a password")
		}
	}
	var headers, footers []string
	for e := range f.optional("styles.xml") {
		switch isHeader, isFooter := strings.HasPrefix(e.name, "header"), strings.HasPrefix(e.name, "footer"); {
		case f.format != document.ODT || e.prefix != "style" || strings.Contains(e.name, "style") ||
			strings.Contains(e.name, "properties"):
			w.readODFStyle(e)
		case isHeader:
			headers = append(headers, w.contentText(e))
		case isFooter:
			footers = append(footers, w.contentText(e))
		default:
			w.readODFStyle(e)
		}
	}
	w.writeMargins(headers)
	for e := range f.elements(f.mainPart) {
		if e.name == "body" {
			w.content(e)
		} else {
			w.readODFStyle(e)
		}
	}
	w.writeMargins(footers)
}

const outline = "outline" // the list that numbers headings

// readODFStyle reads from an element of a style the properties of lists, headings and hidden parts.
func (w *words) readODFStyle(n node) {
	switch n.name {
	case "style":
		w.styleName = n.attribute("name")
		w.marks[w.styleName] = w.marks[n.attribute("parent-style-name")]
	case "text-properties":
		if shift := n.attribute("text-position"); shift != "" {
			w.marks[w.styleName] = baselineMark(shift)
		}
	case "list-style", "outline-style":
		w.styleName = n.attribute("name")
		if n.name == "outline-style" {
			w.styleName = outline
		}
		w.lists[w.styleName] = &list{}
	case "list-level-style-number", "outline-level-style", "list-level-style-bullet", "list-level-style-image":
		if known := w.lists[w.styleName]; known != nil {
			*known.level(n.number("level", 1) - 1) = odfLevel(n)
		}
	case "table-properties", "drawing-page-properties":
		if n.attribute("display") == "false" || n.attribute("visibility") == "hidden" {
			w.hidden[w.styleName] = true
		}
	}
}

func odfLevel(n node) level {
	l := level{format: n.attribute("num-format"), start: n.number("start-value", 1)}
	switch {
	case n.name == "list-level-style-bullet" || n.name == "list-level-style-image":
		l.format = bullet
	case l.format != "":
		var numbers []string
		depth := min(n.number("level", 1), maxLevel)
		for i := max(1, depth+1-n.number("display-levels", 1)); i <= depth; i++ {
			numbers = append(numbers, "%"+strconv.Itoa(i))
		}
		l.text = n.attribute("num-prefix") + strings.Join(numbers, ".") + n.attribute("num-suffix")
	}
	return l
}

// addCollapsed adds text to the open paragraph with its white space as single spaces.
func (w *words) addCollapsed(text []byte) {
	p := w.paragraph
	if p == nil || !w.mayMake(len(text)) {
		return
	}
	p.setMark(w.runMark)
	if w.runMark == "" && p.apart == len(p.text) && p.apart > 0 {
		p.text = append(p.text, equation.Separator(p.lastMark, string(text))...)
	}
	for _, r := range string(text) {
		if !unicode.IsSpace(r) || r == '\u00a0' || r == '\u202f' {
			p.text = append(p.text, string(r)...)
		} else if last := len(p.text) - 1; last >= 0 && p.text[last] != ' ' && p.text[last] != '\n' {
			p.text = append(p.text, ' ')
		}
	}
}

func (w *words) readItem(n node) {
	if last := len(w.openLists) - 1; last >= 0 {
		w.item = w.lists[w.openLists[last]].next(last)
	}
	w.content(n)
}

func (w *words) readNote(n node) {
	kind := n.attribute("note-class")
	if n.name == "annotation" {
		kind = "comment"
	}
	by, text := w.readCredited(n)
	switch note := bracketed(kind+by, text); {
	case w.paragraph != nil:
		w.add(note)
	case w.row == nil:
		w.line(note)
	case w.mayMake(len(note)):
		w.comments += note
	}
}

func (w *words) readTable(n node) {
	if w.format == document.ODS && w.row == nil {
		w.mark(document.Sheet, n.attribute("name"), w.hidden[n.attribute("style-name")])
	}
	w.content(n)
}

func (w *words) readList(n node) {
	name, last := n.attribute("style-name"), len(w.openLists)-1
	if name == "" && last >= 0 {
		name = w.openLists[last]
	}
	isContinued := last >= 0 || n.attribute("continue-numbering") == "true" || n.attribute("continue-list") != ""
	if known := w.lists[name]; known != nil && !isContinued {
		clear(known.counts[:])
	}
	w.openLists = append(w.openLists, name)
	w.content(n)
	w.openLists = w.openLists[:last+1]
}

// readCredited returns who wrote a note or a change, and its text.
func (w *words) readCredited(n node) (by, text string) {
	author, date := w.author, w.date
	w.author, w.date = "", ""
	text = w.contentText(n)
	by = credit(w.author, w.date)
	w.author, w.date = author, date
	return by, text
}

func (w *words) readCredit(n node) {
	switch {
	case n.prefix != "dc": // a field of the text
		w.content(n)
	case n.name == "creator":
		w.author = n.allText()
	default:
		w.date = n.allText()
	}
}

// readChange reads a tracked change, which precedes the text.
func (w *words) readChange(region node) {
	kinds := map[string]string{"insertion": "inserted", "deletion": "deleted"}
	for n := range region.content() {
		if kind := kinds[n.name]; kind != "" {
			by, text := w.readCredited(n)
			w.remarks[region.attribute("id")] = remark{changeHeader(kind, by), strings.ReplaceAll(text, "\n", " ")}
		}
	}
}

// showChange marks the text that a tracked change inserted or deleted.
func (w *words) showChange(n node) {
	c, known := w.remarks[n.attribute("change-id")]
	switch {
	case !known:
	case n.name == "change":
		w.startChange(c.header)
		w.add(c.text)
		w.endChange()
	case n.name == "change-start":
		w.inserted = append(w.inserted, c.header)
		w.startChange(c.header)
	default:
		if i := slices.Index(w.inserted, c.header); i >= 0 {
			w.inserted = slices.Delete(w.inserted, i, i+1)
			w.endChange()
		}
	}
}
