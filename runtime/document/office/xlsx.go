package office

import (
	"strconv"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/document"
)

// workbook is what the sheets of an XLSX file share.
type workbook struct {
	*file
	shared  []string       // texts of cells
	formats []numberFormat // of cells by style
	is1904  bool
}

// maxColumn is the number of columns that a sheet can have.
const maxColumn = 16_384

// readXLSX reads the sheets in the order of the workbook. The comments on cells follow each sheet.
func readXLSX(f *file) error {
	main, related, err := f.main()
	if err != nil {
		return err
	}
	w := &workbook{file: f}
	sheets := []step{{related.of("styles"), w.readStyles}, {related.of("sharedStrings"), w.readShared}}
	if err := f.walk(main, visitor{start: func(e element) bool {
		switch e.Name.Local {
		case "workbookPr":
			date1904 := e.attribute("date1904")
			w.is1904 = date1904 == "1" || date1904 == "true"
		case "sheet":
			sheets = append(sheets, step{[]string{related.part(e.relationship())}, func(part string) error {
				f.mark(document.Sheet, e.attribute("name"), strings.HasSuffix(strings.ToLower(e.attribute("state")), "hidden"))
				return w.readSheet(part)
			}})
		}
		return true
	}}); err != nil {
		return err
	}
	return inOrder(sheets...)
}

// readStyles reads the number format of each style of cells.
func (w *workbook) readStyles(name string) error {
	var part struct {
		Codes []struct {
			ID   int    `xml:"numFmtId,attr"`
			Code string `xml:"formatCode,attr"`
		} `xml:"numFmts>numFmt"`
		Cells []struct {
			ID int `xml:"numFmtId,attr"`
		} `xml:"cellXfs>xf"`
	}
	err := w.decode(name, &part)
	formats := map[int]numberFormat{}
	for id, code := range standardFormats {
		formats[id] = readNumberFormat(code)
	}
	for _, f := range part.Codes {
		formats[f.ID] = readNumberFormat(f.Code)
	}
	for _, cell := range part.Cells {
		w.formats = append(w.formats, formats[cell.ID])
	}
	return err
}

// readShared reads the texts that cells refer to by their place.
func (w *workbook) readShared(name string) error {
	var text []byte
	isText := false
	return w.walk(name, visitor{
		start: func(e element) bool {
			isText = e.Name.Local == "t"
			return !unread[e.Name.Local]
		},
		end: func(name string) {
			if isText = false; name == "si" {
				w.shared = append(w.shared, cellText(text))
				text = text[:0]
			}
		},
		text: func(data []byte) {
			if isText {
				text = append(text, data...)
			}
		},
	})
}

// cellText is the text of a cell, without the carriage returns that Excel escapes.
func cellText(text []byte) string { return strings.ReplaceAll(string(text), "_x000D_", "") }

// cell is a cell while it is read.
type cell struct {
	kind           string
	style          int
	value, formula []byte
}

func (w *workbook) readSheet(name string) error {
	rows := newFlow(w.file)
	var (
		open   cell
		into   *[]byte // what the open element's text belongs to
		column int     // of the last cell
		row    int
	)
	err := w.walk(name, visitor{
		start: func(e element) bool {
			switch into = nil; e.Name.Local {
			case "row":
				next := e.number("r", row+1)
				if next > row+1 && row > 0 {
					rows.startRow()
					rows.endRow(1)
				}
				row, column = next, 0
				rows.startRow()
			case "c":
				at := columnOf(e.attribute("r"), column+1)
				if at > column+1 {
					rows.cell("", at-column-1)
				}
				column = max(at, column+1)
				open = cell{kind: e.attribute("t"), style: e.number("s", 0), value: open.value[:0], formula: open.formula[:0]}
			case "v", "t":
				into = &open.value
			case "f":
				into = &open.formula
			}
			return !unread[e.Name.Local]
		},
		end: func(name string) {
			switch into = nil; name {
			case "c":
				rows.cell(w.display(open), 1)
			case "row":
				rows.endRow(1)
			}
		},
		text: func(data []byte) {
			if into != nil {
				*into = append(*into, data...)
			}
		},
	})
	if err != nil {
		return err
	}
	related, err := w.relations(name)
	if err != nil {
		return err
	}
	return inOrder(step{related.of("comments"), w.readCellComments})
}

// columnOf returns the column of a reference such as "BC12", from 1.
func columnOf(reference string, fallback int) int {
	column := 0
	for _, letter := range reference {
		if letter < 'A' || letter > 'Z' {
			break
		}
		if column = column*26 + int(letter-'A') + 1; column > maxColumn {
			return maxColumn
		}
	}
	if column == 0 {
		return fallback
	}
	return column
}

// display returns a value as the file displays it. A formula that no program has calculated is shown itself.
func (w *workbook) display(c cell) string {
	if len(c.value) == 0 && len(c.formula) > 0 {
		return "=" + string(c.formula)
	}
	switch c.kind {
	case "s":
		if i, err := strconv.Atoi(strings.TrimSpace(string(c.value))); err == nil && i >= 0 && i < len(w.shared) {
			return w.shared[i]
		}
		return ""
	case "b":
		if string(c.value) == "1" {
			return "TRUE"
		}
		return "FALSE"
	case "str", "inlineStr", "e", "d":
		return cellText(c.value)
	}
	number, err := strconv.ParseFloat(string(c.value), 64)
	if err != nil {
		return string(c.value)
	}
	if c.style < 0 || c.style >= len(w.formats) || len(w.formats[c.style]) == 0 {
		return general(number)
	}
	return w.formats[c.style].display(number, w.is1904)
}

func (w *workbook) readCellComments(name string) error {
	var part struct {
		Authors  []string `xml:"authors>author"`
		Comments []struct {
			Cell   string   `xml:"ref,attr"`
			Author int      `xml:"authorId,attr"`
			Text   string   `xml:"text>t"`
			Runs   []string `xml:"text>r>t"`
		} `xml:"commentList>comment"`
	}
	err := w.decode(name, &part)
	for _, c := range part.Comments {
		author := ""
		if c.Author >= 0 && c.Author < len(part.Authors) {
			author = part.Authors[c.Author]
		}
		w.write("[comment on " + c.Cell + credit(author, "") + "] " + oneLine(c.Text+strings.Join(c.Runs, "")) + "\n")
	}
	return err
}
