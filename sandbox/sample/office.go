package sample

import (
	"archive/zip"
	"bytes"
	"fmt"
	"html"
	"strconv"
	"strings"
	"time"
)

// Namespaces of Office Open XML (ECMA-376).
const (
	wordSpace      = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
	sheetSpace     = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
	relationSpace  = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
	relationsSpace = "http://schemas.openxmlformats.org/package/2006/relationships"
	typesSpace     = "http://schemas.openxmlformats.org/package/2006/content-types"
	officeType     = "application/vnd.openxmlformats-officedocument."
)

// part is a file of an Office document.
type part struct{ name, content string }

// wordDocument returns a .docx file with a paragraph for each line.
func wordDocument(lines []string) []byte {
	var body strings.Builder
	for _, line := range lines {
		fmt.Fprintf(&body, "<w:p><w:r><w:t>%s</w:t></w:r></w:p>", html.EscapeString(line))
	}
	return office("word/document.xml", "wordprocessingml.document.main+xml",
		part{"word/document.xml", `<w:document xmlns:w="` + wordSpace + `"><w:body>` + body.String() + `</w:body></w:document>`})
}

// workbook returns an .xlsx file with one sheet. Cells that are numbers are stored as such.
func workbook(rows [][]string) []byte {
	var cells strings.Builder
	for r, row := range rows {
		fmt.Fprintf(&cells, `<row r="%d">`, r+1)
		for c, cell := range row {
			place := string(rune('A'+c)) + strconv.Itoa(r+1)
			if _, err := strconv.ParseFloat(cell, 64); err == nil {
				fmt.Fprintf(&cells, `<c r="%s"><v>%s</v></c>`, place, cell)
			} else {
				fmt.Fprintf(&cells, `<c r="%s" t="inlineStr"><is><t>%s</t></is></c>`, place, html.EscapeString(cell))
			}
		}
		cells.WriteString("</row>")
	}
	return office("xl/workbook.xml", "spreadsheetml.sheet.main+xml",
		part{"xl/workbook.xml", `<workbook xmlns="` + sheetSpace + `" xmlns:r="` + relationSpace + `"><sheets><sheet name="Sheet1" sheetId="1" r:id="rId1"/></sheets></workbook>`},
		part{"xl/_rels/workbook.xml.rels", relation("worksheet", "worksheets/sheet1.xml")},
		part{"xl/worksheets/sheet1.xml", `<worksheet xmlns="` + sheetSpace + `"><sheetData>` + cells.String() + `</sheetData></worksheet>`})
}

// office returns a document of some parts. The first is the main one. The parts are not compressed, so that SQL reads
// them.
func office(main, mainType string, parts ...part) []byte {
	types := `<Types xmlns="` + typesSpace + `"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>` +
		`<Default Extension="xml" ContentType="application/xml"/><Override PartName="/` + main + `" ContentType="` + officeType + mainType + `"/>`
	if strings.HasPrefix(main, "xl/") {
		types += `<Override PartName="/xl/worksheets/sheet1.xml" ContentType="` + officeType + `spreadsheetml.worksheet+xml"/>`
	}
	var b bytes.Buffer
	archive := zip.NewWriter(&b)
	for _, p := range append([]part{{"[Content_Types].xml", types + "</Types>"}, {"_rels/.rels", relation("officeDocument", main)}}, parts...) {
		file := must(archive.CreateHeader(&zip.FileHeader{Name: p.name, Method: zip.Store, Modified: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}))
		must(file.Write([]byte(`<?xml version="1.0" encoding="UTF-8" standalone="yes"?>` + "\n" + p.content)))
	}
	must(0, archive.Close())
	return b.Bytes()
}

// relation returns a list of one relation of a kind.
func relation(kind, target string) string {
	return `<Relationships xmlns="` + relationsSpace + `"><Relationship Id="rId1" Type="` + relationSpace + "/" + kind + `" Target="` + target + `"/></Relationships>`
}
