package office

import (
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/pdppmcp/pdpp-mcp/runtime/document"
)

// odfUnread are elements whose text does not belong to the document, or repeats other text.
var odfUnread = map[string]bool{
	"note-citation": true, "forms": true, "ruby-text": true, "scripts": true, "script": true, "binary-data": true, "table-of-content-source": true,
	"creator-initials": true, "sender-initials": true, "date-string": true, "content-validations": true, "dde-links": true,
}

// Bounds of what small elements say.
const (
	maxSpaces   = 100  // for one element
	maxField    = 1000 // bytes of an author or a date
	maxInserted = 8    // insertions in each other
)

func (o *odf) start(e element) bool {
	name := e.Name.Local
	if !o.inBody {
		o.inBody = name == "body"
		return o.startStyle(e) || o.inBody
	}
	switch e.Name.Space {
	case "svg": // the title and description of a drawing
		return false
	case "dc":
		return o.startField(name)
	}
	switch name {
	case "p", "h":
		o.startLine(e)
	case "s":
		o.add(strings.Repeat(" ", min(max(e.number("c", 1), 1), maxSpaces)))
	case "tab":
		o.add("\t")
	case "line-break":
		o.add("\n")
	case "list":
		o.startList(e)
	case "list-item":
		if last := len(o.lists) - 1; last >= 0 {
			o.item = o.numbers.next(o.lists[last], last)
		}
	case "note", "annotation":
		kind := e.attribute("note-class")
		if name == "annotation" {
			kind = "comment"
		}
		o.open = append(o.open, change{kind: kind})
		o.capture()
	case "page":
		o.mark(document.Slide, "", o.hidden[e.attribute("style-name")])
	case "notes":
		o.capture()
	case "frame":
		return e.attribute("class") != "page-number"
	case "tracked-changes":
		return e.Name.Space == "text" // those of cells are in no text
	case "changed-region", "insertion", "deletion", "change", "change-start", "change-end":
		o.startChange(e)
	case "table", "table-row", "table-cell", "covered-table-cell":
		o.startTable(e)
	}
	return !odfUnread[name]
}

func (o *odf) end(name string) {
	switch name {
	case "p", "h":
		o.endParagraph()
	case "list":
		pop(&o.lists)
	case "creator", "date":
		o.field = nil
	case "note", "annotation":
		noted := pop(&o.open)
		text := o.captured(" ")
		if o.paragraph() == nil && len(o.rows) > 0 {
			r := o.rows[len(o.rows)-1]
			o.notes = append(o.notes, "[comment on "+cellName(len(r.fields)+r.empty, o.row)+credit(noted.author, noted.date)+"] "+oneLine(text))
		} else {
			o.note(noted.kind, credit(noted.author, noted.date), text)
		}
	case "notes":
		if notes := o.captured("\n"); notes != "" {
			o.line(notesHeading + "\n" + notes)
		}
	case "deletion":
		if text := o.captured(" "); o.changes[o.changeID] != nil {
			o.changes[o.changeID].deleted = text
		}
	case "table-cell", "covered-table-cell":
		c := pop(&o.cells)
		text := o.captured("\n")
		if c.date != "" {
			text = c.date
		} else if text == "" {
			text = c.value
		}
		o.cell(text, c.times)
	case "table-row":
		times := pop(&o.repeats)
		if o.endRow(times); len(o.rows) == 0 {
			o.row += times
		}
	}
}

// data adds text to the open paragraph with its white space as single spaces.
func (o *odf) data(text []byte) {
	if o.field != nil {
		*o.field += string(text[:min(len(text), max(0, maxField-len(*o.field)))])
		return
	}
	p := o.paragraph()
	if p == nil || !o.makes(len(text)) {
		return
	}
	for _, r := range string(text) {
		if !unicode.IsSpace(r) || r == '\u00a0' || r == '\u202f' {
			p.text = append(p.text, string(r)...)
		} else if last := len(p.text) - 1; last >= 0 && p.text[last] != ' ' && p.text[last] != '\n' {
			p.text = append(p.text, ' ')
		}
	}
}

// startField reads the author or the date of a comment or a tracked change.
func (o *odf) startField(name string) bool {
	var about *change
	if len(o.open) > 0 {
		about = &o.open[len(o.open)-1]
	} else if about = o.changes[o.changeID]; about == nil {
		return false
	}
	switch name {
	case "creator":
		o.field = &about.author
	case "date":
		o.field = &about.date
	}
	return o.field != nil
}

func (o *odf) startLine(e element) {
	o.startParagraph()
	p := o.paragraph()
	p.prefix, o.item = o.item, ""
	if e.Name.Local == "h" {
		depth := e.number("outline-level", 1)
		if p.prefix == "" && o.numbers[outline] != nil {
			p.prefix = o.numbers.next(outline, depth-1)
		}
		p.prefix = headingPrefix(depth, p.prefix)
	}
	for _, c := range o.inserted {
		o.flow.startChange(*c)
	}
}

func (o *odf) startList(e element) {
	name := e.attribute("style-name")
	if len(o.lists) > 0 && name == "" {
		name = o.lists[len(o.lists)-1]
	}
	if len(o.lists) == 0 && e.attribute("continue-numbering") != "true" && e.attribute("continue-list") == "" {
		o.numbers.restart(name)
	}
	o.lists = append(o.lists, name)
}

// startChange reads a tracked change, or marks the text that one inserted or deleted.
func (o *odf) startChange(e element) {
	c := o.changes[e.attribute("change-id")]
	switch name := e.Name.Local; {
	case name == "changed-region":
		o.changeID = e.attribute("id")
		o.changes[o.changeID] = &change{}
	case name == "insertion" || name == "deletion":
		if open := o.changes[o.changeID]; open != nil {
			open.kind = map[string]string{"insertion": "inserted", "deletion": "deleted"}[name]
		}
		if name == "deletion" {
			o.capture()
		}
	case c == nil || c.kind == "":
	case name == "change":
		o.flow.startChange(*c)
		o.add(c.deleted)
		o.endChange()
	case name == "change-start" && len(o.inserted) < maxInserted:
		o.inserted = append(o.inserted, c)
		o.flow.startChange(*c)
	case name == "change-end" && slices.Contains(o.inserted, c):
		o.inserted = slices.DeleteFunc(o.inserted, func(open *change) bool { return open == c })
		o.endChange()
	}
}

func (o *odf) startTable(e element) {
	switch name := e.Name.Local; name {
	case "table":
		if o.format == document.ODS && len(o.rows) == 0 {
			o.mark(document.Sheet, e.attribute("name"), o.hidden[e.attribute("style-name")])
			o.row = 1
		}
	case "table-row":
		o.startRow()
		o.repeats = append(o.repeats, e.number("number-rows-repeated", 1))
	default:
		o.capture()
		o.cells = append(o.cells, odfCell{oneLine(e.attribute("date-value")), e.attribute("value"), e.number("number-columns-repeated", 1)})
	}
}

// cellName returns the name of a cell of a sheet, such as B3, by its column from 0 and its row from 1.
func cellName(column, row int) string {
	name := ""
	for column++; column > 0; column = (column - 1) / 26 {
		name = string(rune('A'+(column-1)%26)) + name
	}
	return name + strconv.Itoa(row)
}
