package office

import (
	"maps"
	"math"
	"regexp"
	"strconv"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/file/document"
)

type workbook struct {
	*file
	shared  []string                // texts of cells
	styles  []string                // format codes of cells by style
	formats map[string]numberFormat // by code
	codes   int                     // bytes of them
	is1904  bool
}

// readXLSX reads the sheets in the order of the workbook. The comments on cells follow each sheet.
func readXLSX(f *file) {
	main, related := f.main()
	w := &workbook{file: f, formats: map[string]numberFormat{}}
	for _, part := range related.targets("styles") {
		w.readStyles(part)
	}
	for _, part := range related.targets("sharedStrings") {
		for e := range f.elements(part) {
			if e.name == "si" {
				w.shared = append(w.shared, cellText(e))
			}
		}
	}
	for e := range f.elements(main) {
		switch e.name {
		case "workbookPr":
			date1904 := e.attribute("date1904")
			w.is1904 = date1904 == "1" || date1904 == "true"
		case "sheet":
			f.mark(document.Sheet, e.attribute("name"), strings.HasSuffix(strings.ToLower(e.attribute("state")), "hidden"))
			w.readSheet(related.part(e, "id"))
		}
	}
}

func (w *workbook) readStyles(part string) {
	codes := maps.Clone(standardFormats)
	isCells := false
	for e := range w.elements(part) {
		switch id := e.attribute("numFmtId"); e.name {
		case "numFmt":
			codes[id] = e.attribute("formatCode")
		case "cellXfs", "cellStyleXfs", "dxfs":
			isCells = e.name == "cellXfs"
		case "xf":
			if isCells {
				w.styles = append(w.styles, codes[id])
			}
		}
	}
}

// maxCodes bounds the bytes of all format codes that are read. Numbers of further formats are raw.
const maxCodes = 256 << 10

// format returns the number format of a style.
func (w *workbook) format(style int) numberFormat {
	if style < 0 || style >= len(w.styles) {
		return nil
	}
	code := w.styles[style]
	format, isRead := w.formats[code]
	if !isRead && w.codes < maxCodes {
		w.codes += len(code)
		format = readNumberFormat(code)
		w.formats[code] = format
	}
	return format
}

// cellText returns the text of a cell, without the carriage returns that Excel escapes.
func cellText(n node) string { return strings.ReplaceAll(n.allText(), "_x000D_", "") }

func (w *workbook) readSheet(part string) {
	last := 0 // the row before
	var margins []string
	related, drawings := w.relations(part), newWords(w.file)
	for e := range w.elements(part) {
		if strings.HasSuffix(e.name, "Header") || strings.HasSuffix(e.name, "Footer") {
			margins = append(margins, marginText(e.allText()))
		}
		if e.name == "control" {
			drawings.controls[e.attribute("shapeId")] = w.controlState(related.part(e, "id"))
		}
		if e.name != "row" {
			continue
		}
		number := e.number("r", last+1)
		if number > last+1 && last > 0 {
			w.tableRow(1, func() {})
		}
		last = number
		w.tableRow(1, func() { w.readRow(e) })
	}
	drawings.read(related.targets("drawing")...)
	for _, comments := range related.targets("comments") {
		w.readComments(comments)
	}
	w.writeMargins(margins)
}

// controlState returns the state of a check box or an option of a sheet, or nothing.
func (w *workbook) controlState(part string) string {
	for e := range w.optional(part) {
		if kind := e.attribute("objectType"); kind == "CheckBox" || kind == "Radio" {
			return checkBox(e.attribute("checked") == "Checked")
		}
	}
	return ""
}

var (
	marginSection = regexp.MustCompile(`&[LCR]`)
	marginCode    = regexp.MustCompile(`&(?:"[^"]*"|[0-9]+|K[0-9A-Fa-f]{6}|[A-Za-z&])`)
)

// marginText returns the text of a header or footer of a sheet, without the sections that have the number of the page.
func marginText(code string) string {
	var texts []string
	for _, section := range marginSection.Split(code, -1) {
		if strings.Contains(section, "&P") {
			continue
		}
		section = marginCode.ReplaceAllStringFunc(section, func(code string) string {
			if code == "&&" {
				return "&"
			}
			return ""
		})
		if text := oneLine(section); text != "" {
			texts = append(texts, text)
		}
	}
	return strings.Join(texts, " ")
}

func (w *workbook) readRow(row node) {
	last := 0 // the column before
	for cell := range row.content() {
		if cell.name == "c" {
			column := max(columnOf(cell.attribute("r")), last+1)
			w.cell("", column-last-1)
			w.cell(w.display(cell), 1)
			last = column
		}
	}
}

// columnOf returns the column of a reference such as "BC12", from 1, or 0.
func columnOf(reference string) int {
	column := 0
	for _, letter := range reference {
		if letter < 'A' || letter > 'Z' || column > maxColumn {
			break
		}
		column = column*26 + int(letter-'A') + 1
	}
	return min(column, maxColumn)
}

// display returns a value as the file displays it. A formula without a calculated value is shown as it is.
func (w *workbook) display(cell node) string {
	value, formula, kind := "", "", cell.attribute("t")
	for child := range cell.content() {
		switch child.name {
		case "v", "is":
			value = cellText(child)
		case "f":
			if formula = "=" + child.allText(); formula == "=" { // it shares the formula of another cell
				formula = "[formula without a value]"
			}
		}
	}
	if value == "" && kind != "str" {
		return formula
	}
	switch kind {
	case "s":
		if i := number(strings.TrimSpace(value), -1); i >= 0 && i < len(w.shared) {
			return w.shared[i]
		}
		return "[text not found]"
	case "b":
		return strings.ToUpper(strconv.FormatBool(value == "1"))
	case "str", "inlineStr", "e", "d":
		return value
	}
	amount, err := strconv.ParseFloat(value, 64)
	if err != nil || math.IsNaN(amount) || math.IsInf(amount, 0) {
		return value
	}
	return w.format(cell.number("s", 0)).display(amount, w.is1904)
}

func (w *workbook) readComments(part string) {
	var authors []string
	label := ""
	for e := range w.elements(part) {
		switch e.name {
		case "author":
			authors = append(authors, e.allText())
		case "comment":
			label = "comment on " + e.attribute("ref")
			if i := e.number("authorId", -1); i >= 0 && i < len(authors) {
				label += credit(authors[i], "")
			}
		case "text":
			w.commentLine(label, e.allText())
		}
	}
}
