package office_test

import (
	"fmt"
	"html"
	"strings"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/runtime/file/document"
)

// R-DOC-2: values are those that the sheet displays, and dates are in the form of ISO 8601.
func TestNumberFormats(t *testing.T) {
	for _, test := range []struct{ code, value, want string }{
		{"General", "0.30000000000000004", "0.3"},
		{"General", "46310.400000000001", "46310.4"},
		{"General", "1234567890123", "1234567890123"},
		{"General", "1E+20", "1E+20"},
		{"General", "-5", "-5"},
		{"0", "2.5", "3"},
		{"0.00", "2.675", "2.68"},
		{"0.00", "-1204", "-1204.00"},
		{"#,##0.00", "1234567.891", `"1,234,567.89"`},
		{"#,##0.00 [$€-407]", "1689.6", `"1,689.60 €"`},
		{`[$$-409]#,##0;[Red]\-[$$-409]#,##0`, "-1500", `"-$1,500"`},
		{`_-* #,##0.00\ "€"_-;\-* #,##0.00\ "€"_-`, "-12.4", "-12.40 €"},
		{"0%", "0.256", "26%"},
		{"+0.0%;-0.0%", "-0.05", "-5.0%"},
		{"0.0#", "1.5", "1.5"},
		{"0.0#%", "0.256", "25.6%"},
		{"0.##", "2", "2"},
		{"00000", "42", "00042"},
		{"0.00E+00", "12345", "12345"},
		{"# ?/?", "0.5", "1/2"},
		{"# ?/?", "2.25", "2 1/4"},
		{"# ?/?", "0.3", "2/7"},
		{"# ??/??", "-3.14159265", "-3 14/99"},
		{"# ???/???", "0.333", "332/997"},
		{"?/?", "1.25", "5/4"},
		{"# ?/8", "0.5", "4/8"},
		{"# ?/?", "3", "3"},
		{"# ?/?", "2.99", "3"},
		{"#,##0,", "1234567", `"1,235"`},
		{`0;-0;"none"`, "0", "none"},
		{`0;-0;;@`, "0", ""},
		{`0;-0;;@`, "-2", "-2"},
		{`;;;`, "1450", "1450"},
		{`_-* #,##0.00_-;\-* #,##0.00_-;_-* "-"??_-;_-@_-`, "0", "-"},
		{`_-* #,##0.00_-;\-* #,##0.00_-;_-* "-"??_-;_-@_-`, "-7.5", "-7.50"},
		{"0.00;[Red]0.00", "-1450", "-1450.00"},
		{"0.00;[Red]0.00", "1450", "1450.00"},
		{`0.00;[Red]0.00" EUR"`, "-1450", "-1450.00 EUR"},
		{"#,##0_);[Color10]#,##0_)", "-1450", `"-1,450"`},
		{"#,##0_);(#,##0)", "-1450", `"(1,450)"`},
		{"0;(0)", "-5", "(5)"},
		{"(0)", "5", "5"},
		{"-0;0", "5", "5"},
		{"-0;0", "-5", "-5"},
		{"0.00-", "-5", "-5"},
		{`0.00" CR";0.00" DR"`, "-5", "5.00 DR"},
		{`[>1000]0" big";0" small"`, "-5", "-5 small"},
		{`▲0;▼0`, "-5", "▼5"},
		{`[<1000]0;[<1000000]0.0,"k";0.0,,"M"`, "999", "999"},
		{`[<1000]0;[<1000000]0.0,"k";0.0,,"M"`, "1450", "1.5k"},
		{`[<1000]0;[<1000000]0.0,"k";0.0,,"M"`, "2500000", "2.5M"},
		{`[<1000]0;[<1000000]0.0,"k";0.0,,"M"`, "-2500000", "-2500000"},
		{`[>=1000000]0.0,,"M";[>=1000]0.0,"k";0`, "-1450", "-1450"},
		{`[=0]"free";0.00`, "0", "free"},
		{`[=0]"free";0.00`, "12.5", "12.50"},
		{`[=1]"yes";[=0]"no";0`, "1", "yes"},
		{"[<100]0", "150", "150"},
		{"[<100]0;0.0;0.00", "150", "150"},
		{"0;[<-5]0;0", "-6", "-6"},
		{"[Red][<0]0.0;[Blue]0.0", "-6", "-6.0"},
		{"0.0,", "1234567", "1234.6"},
		{"0,.0", "1234567", "1234567"},
		{"0.00,,%", "1234567", "123.46%"},
		{".00", "0.5", "0.5"},
		{"#.##0,00", "1234.5", "1234.5"},
		{"TT.MM.JJJJ", "45942", "45942"},
		{"0 h", "7", "7"},
		{`0" 100 km"`, "7", "7 100 km"},
		{`0.00"[x]"`, "7", "7.00[x]"},
		{`General" kg"`, "7.25", "7.25 kg"},
		{"General;[Red]General", "-7.25", "-7.25"},
		{"[DBNum1][$-804]General", "7", "7"},
		{"[Klingon]0.0", "7", "7"},
		{`0"a";0"b";0"c";"d";"e"`, "7", "7"},
		{"0.00", "1.005", "1.01"},
		{"0%", "0.285", "29%"},
		{"0.0", "-0.04", "-0.0"},
		{"#,##0", "1E+21", `"1,000,000,000,000,000,000,000"`},
		{`0" km"`, "31", "31 km"},
		{"dd.mm.yyyy", "45942", "2025-10-12"},
		{"m/d/yy h:mm", "45966.403472222222", "2025-11-05T09:41:00"},
		{"d. mmmm yyyy", "1", "1900-01-01"},
		{"dd/mm/yyyy", "0", "0"},
		{"[$-F800]dddd\\,\\ mmmm\\ dd\\,\\ yyyy", "45942", "2025-10-12"},
		{`[$-411]ggge"年"m"月"d"日"`, "45942", "2025-10-12"},
		{"[$-804]aaaa", "45942", "2025-10-12"},
		{"[mm]:ss", "0.05", "01:12:00"},
		{"[h]:mm", "-0.25", "-06:00:00"},
		{"h:mm", "-0.25", "-0.25"},
		{"mm:ss.0", "0.001", "00:01:26.4"},
		{"yyyy-mm-dd", "61", "1900-03-01"},
		{"hh:mm", "0.5", "12:00:00"},
		{"[h]:mm", "1.25", "30:00:00"},
		{"mm:ss", "0.001", "00:01:26"},
		{"h:mm AM/PM", "0.75", "18:00:00"},
		{"yyyy-mm-dd", "99999999", "99999999"},
		{"@", "17", "17"},
	} {
		styles := `<styleSheet><numFmts><numFmt numFmtId="200" formatCode="` + html.EscapeString(test.code) +
			`"/></numFmts><cellXfs><xf numFmtId="0"/><xf numFmtId="200"/></cellXfs></styleSheet>`
		got := cellOf(t, `<c s="1"><v>`+test.value+`</v></c>`, styles, "")
		if got != test.want {
			t.Errorf("%s as %s is %s, want %s", test.value, test.code, got, test.want)
		}
	}
}

// R-DOC-2: formats without a code, kinds of cells, and the system of dates that begins in 1904.
func TestCells(t *testing.T) {
	const styles = `<styleSheet><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="4"/><xf ` +
		`numFmtId="999"/></cellXfs></styleSheet>`
	for _, test := range []struct{ cell, properties, want string }{
		{`<c s="1"><v>44480</v></c>`, `<workbookPr date1904="1"/>`, "2025-10-12"},
		{`<c s="1"><v>45942</v></c>`, "", "2025-10-12"},
		{`<c s="2"><v>1204</v></c>`, "", `"1,204.00"`},
		{`<c s="3"><v>1.50</v></c>`, "", "1.5"},
		{`<c s="77"><v>7</v></c>`, "", "7"},
		{`<c t="b"><v>1</v></c>`, "", "TRUE"},
		{`<c t="e"><v>#DIV/0!</v></c>`, "", "#DIV/0!"},
		{`<c t="str"><f>A1&amp;"x"</f><v>ax</v></c>`, "", "ax"},
		{`<c><f>SUM(B1:B2)</f></c>`, "", "=SUM(B1:B2)"},
		{`<c><f>SUM(B1:B2)</f><v></v></c>`, "", "=SUM(B1:B2)"},
		{`<c t="str"><f>IF(B3="","",B3*C3)</f><v></v></c>`, "", ""},
		{`<c><f t="shared" si="0"/></c>`, "", "[formula without a value]"},
		{`<c t="s"><v>7</v></c>`, "", "[text not found]"},
		{`<c t="n"><v>NaN</v></c>`, "", "NaN"},
		{`<c s="2"><v>Infinity</v></c>`, "", "Infinity"},
		{`<c t="inlineStr"><is><r><t>10</t></r><r><rPr><vertAlign val="superscript"/></rPr><t>5</t></r><r><t ` +
			`xml:space="preserve"> CO</t></r><r><rPr><vertAlign val="subscript"/></rPr><t>2</t></r></is></c>`, "", "10^5 CO_2"},
		{`<c><f>SUM(B1:B2)</f><v>31</v></c>`, "", "31"},
		{`<c t="inlineStr"><is><r><t>rich </t></r><r><t>text</t></r><rPh><t>reading</t></rPh></is></c>`, "", "rich text"},
		{`<c t="s"><v>0</v></c>`, "", "shared"},
		{`<c t="d"><v>2025-10-12</v></c>`, "", "2025-10-12"},
		{`<c r="C1"><v>3</v></c>`, "", ",,3"},
		{`<c t="str"><v>two` + "\n" + `lines</v></c>`, "", "\"two\nlines\""},
	} {
		if got := cellOf(t, test.cell, styles, test.properties); got != test.want {
			t.Errorf("%s is %s, want %s", test.cell, got, test.want)
		}
	}
}

func cellOf(t *testing.T, cell, styles, properties string) string {
	t.Helper()
	data := xlsx(t, "<worksheet><sheetData><row>"+cell+"</row></sheetData></worksheet>", "shared")
	parts := unzipped(t, data)
	for i := 0; i < len(parts); i += 2 {
		switch parts[i] {
		case "xl/styles.xml":
			parts[i+1] = styles
		case "xl/workbook.xml":
			parts[i+1] = strings.Replace(parts[i+1], "<sheets>", properties+"<sheets>", 1)
		}
	}
	text, err := textOf(document.XLSX, zipped(t, parts...), document.DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSuffix(strings.TrimPrefix(text, "[sheet 1 of 1: S]\n"), "\n")
}

// R-DOC-2: what Word writes and LibreOffice does not.
func TestWordParts(t *testing.T) {
	paragraph := func(text string) string { return "<w:p>" + text + "</w:p>" }
	run := func(text string) string { return "<w:r><w:t>" + text + "</w:t></w:r>" }
	change := func(kind, author, inner string) string {
		return fmt.Sprintf(`<w:%s w:author="%s" w:date="2026-01-02T03:04:05Z">%s</w:%s>`, kind, author, inner, kind)
	}
	for name, test := range map[string]struct{ xml, want string }{
		"runs of one change": {
			paragraph(change("ins", "Ann", run("one ")) + change("ins", "Ann", run("two"))),
			"[inserted by Ann, 2026-01-02T03:04:05Z: one two]\n",
		},
		"deleted by somebody else": {
			paragraph(run("a ") + change("ins", "Ann", change("del", "Bob", "<w:r><w:delText>b</w:delText></w:r>"))),
			"a [inserted by Ann, 2026-01-02T03:04:05Z: [deleted by Bob, 2026-01-02T03:04:05Z: b]]\n",
		},
		"moved": {
			paragraph(change("moveFrom", "Ann", run("x"))) + paragraph(change("moveTo", "Ann", run("x"))),
			"[deleted by Ann, 2026-01-02T03:04:05Z: x]\n[inserted by Ann, 2026-01-02T03:04:05Z: x]\n",
		},
		"a change without text": {paragraph(run("a") + change("ins", "Ann", "<w:bookmarkStart/>") + run("b")), "ab\n"},
		"the code of a field":   {paragraph(`<w:r><w:instrText>PAGE</w:instrText></w:r>` + run("7")), "7\n"},
		"merged cells": {
			"<w:tbl><w:tr><w:tc><w:tcPr><w:gridSpan w:val='2'/></w:tcPr>" + paragraph(run("wide")) + "</w:tc><w:tc>" +
				paragraph(run("c")) + "</w:tc></w:tr></w:tbl>",
			"wide,,c\n",
		},
		"a table in a cell": {
			"<w:tbl><w:tr><w:tc>" + paragraph(run("a")) + "<w:tbl><w:tr><w:tc>" + paragraph(run("b")) + "</w:tc><w:tc>" +
				paragraph(run("c")) + "</w:tc></w:tr></w:tbl></w:tc></w:tr></w:tbl>",
			"\"a\nb,c\"\n",
		},
		"a text box": {
			paragraph(run("around") + "<mc:AlternateContent><mc:Choice><w:txbxContent>" + paragraph(run("in the box")) +
				"</w:txbxContent></mc:Choice><mc:Fallback><w:txbxContent>" + paragraph(run("in the box")) +
				"</w:txbxContent></mc:Fallback></mc:AlternateContent>"),
			"in the box\naround\n",
		},
		"tabs": {
			paragraph("<w:pPr><w:tabs><w:tab/></w:tabs></w:pPr><w:r><w:t>a</w:t><w:tab/><w:t>b</w:t><w:br/><w:t>c</w:t></w:r>"),
			"a\tb\nc\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			text, err := textOf(document.DOCX, docx(t, "<w:document><w:body>"+test.xml+"</w:body></w:document>"),
				document.DefaultLimits())
			if err != nil || text != test.want {
				t.Errorf("got %q, %v, want %q", text, err, test.want)
			}
		})
	}
}

// R-DOC-2: elements of OpenDocument that have the local name of another one, and comments on cells.
func TestOpenDocumentParts(t *testing.T) {
	cell := func(attributes, inner string) string {
		return "<table:table-cell " + attributes + ">" + inner + "</table:table-cell>"
	}
	comment := "<office:annotation><dc:creator>Ann</dc:creator><dc:date>2026-01-02</dc:date><text:p>why?</text:p></office:annotation>"
	for name, test := range map[string]struct {
		format    document.Format
		xml, want string
	}{
		"fields and credits": {document.ODT, "<text:p>on <text:date>2 May</text:date>" + comment +
			" by <text:creator>Bob</text:creator></text:p>", "on 2 May[comment by Ann, 2026-01-02: why?] by Bob\n"},
		"the title of a drawing": {
			document.ODT, "<text:p>a<draw:frame><svg:title>icon</svg:title></draw:frame></text:p>",
			"a[drawing: icon]\n",
		},
		"the number of a slide": {
			document.ODP,
			"<draw:page><draw:frame " +
				"presentation:class='page-number'><text:p>9</text:p></draw:frame><text:p>a</text:p></draw:page>",
			"[slide 1 of 1]\na\n",
		},
		"changes of cells": {
			document.ODS,
			"<table:tracked-changes><text:p>old</text:p></table:tracked-changes><table:table table:name='S'><table:table-row>" +
				cell("", "<text:p>a</text:p>") + "</table:table-row></table:table>", "[sheet 1 of 1: S]\na\n",
		},
		"a comment on a date": {
			document.ODS, "<table:table table:name='S'><table:table-row>" +
				cell("office:date-value='2026-05-02'", comment+"<text:p>2 May</text:p>") + "</table:table-row></table:table>",
			"[sheet 1 of 1: S]\n\"2026-05-02[comment by Ann, 2026-01-02: why?]\"\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			text, err := textOf(test.format, odf(t, test.xml), document.DefaultLimits())
			if err != nil || text != test.want {
				t.Errorf("got %q, %v, want %q", text, err, test.want)
			}
		})
	}
}

// R-DOC-2: numbers of lists by style, across lists of one definition, and with another start.
func TestNumberedLists(t *testing.T) {
	const numbering = `<w:numbering><w:abstractNum w:abstractNumId="0">
		<w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="§ %1"/></w:lvl>
		<w:lvl w:ilvl="1"><w:start w:val="1"/><w:numFmt w:val="lowerRoman"/><w:lvlText w:val="%1.%2)"/></w:lvl></w:abstractNum>
		<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num><w:num w:numId="2"><w:abstractNumId w:val="0"/></w:num>
		<w:num w:numId="3"><w:abstractNumId w:val="0"/><w:lvlOverride w:ilvl="0"><w:startOverride w:val="7"/></w:lvlOverride></w:num></w:numbering>`
	const styles = `<w:styles><w:style w:styleId="Clause"><w:pPr><w:numPr><w:numId w:val="1"/></w:numPr><w:outlineLvl w:val="1"/></w:pPr></w:style>
		<w:style w:styleId="Own"><w:basedOn w:val="Clause"/></w:style></w:styles>`
	item := func(properties, text string) string {
		return "<w:p><w:pPr>" + properties + "</w:pPr><w:r><w:t>" + text + "</w:t></w:r></w:p>"
	}
	list := func(id, level string) string {
		return `<w:numPr><w:ilvl w:val="` + level + `"/><w:numId w:val="` + id + `"/></w:numPr>`
	}
	text, err := textOf(document.DOCX, docx(
		t, "<w:body>"+item(`<w:pStyle w:val="Own"/>`, "rent")+item(list("1", "1"), "due")+item(list("1", "1"), "late")+
			item(list("2", "0"), "deposit")+
			item(list("2", "1"), "interest")+item(list("3", "0"), "tree")+item(list("9", "0"), "bullet")+"</w:body>",
		"word/_rels/document.xml.rels",
		`<Relationships><Relationship Id="1" Type="x/numbering" Target="n.xml"/><Relationship Id="2" Type="x/styles" `+
			`Target="/word/s.xml"/></Relationships>`,
		"word/n.xml", numbering, "word/s.xml", styles,
	), document.DefaultLimits())
	const want = "## § 1 rent\n  1.i) due\n  1.ii) late\n§ 2 deposit\n  2.i) interest\n§ 7 tree\n- bullet\n"
	if err != nil || text != want {
		t.Errorf("got %q, %v, want %q", text, err, want)
	}
}

// R-DOC-2: comments of slides in both forms, and hidden slides.
func TestSlideComments(t *testing.T) {
	rel := func(kinds ...string) string {
		list := ""
		for i := 0; i < len(kinds); i += 2 {
			list += fmt.Sprintf(`<Relationship Id="r%d" Type="x/%s" Target="%s"/>`, i, kinds[i], kinds[i+1])
		}
		return "<Relationships>" + list + "</Relationships>"
	}
	data := zipped(
		t, "_rels/.rels", mainRel("ppt/presentation.xml"), "ppt/presentation.xml",
		`<p:presentation><p:sldIdLst><p:sldId id="256" r:id="r0"/></p:sldIdLst></p:presentation>`,
		"ppt/_rels/presentation.xml.rels", rel("slide", "s.xml", "commentAuthors", "old.xml", "authors", "new.xml"),
		"ppt/old.xml", `<p:cmAuthorLst><p:cmAuthor id="0" name="Ann"/></p:cmAuthorLst>`, "ppt/new.xml",
		`<p188:authorLst><p188:author id="{B}" name="Bob"/></p188:authorLst>`,
		"ppt/s.xml", `<p:sld show="0"><p:sp><p:ph `+
			`type="sldNum"/><p:txBody><a:p><a:t>9</a:t></a:p></p:txBody></p:sp><p:sp><p:ph `+
			`type="title"/><p:txBody><a:p><a:t>Title</a:t></a:p></p:txBody></p:sp></p:sld>`,
		"ppt/_rels/s.xml.rels", rel("comments", "c1.xml", "comments", "c2.xml"),
		"ppt/c1.xml", `<p:cmLst><p:cm authorId="0" dt="2026-01-02"><p:text>old</p:text></p:cm></p:cmLst>`,
		"ppt/c2.xml", `<p188:cmLst><p188:cm authorId="{B}" created="2026-01-03"><p188:replyLst><p188:reply `+
			`authorId="{B}"><p188:txBody><a:p><a:r><a:t>reply</a:t></a:r></a:p></p188:txBody></p188:reply></p188:replyLst><p188:txBody><a:p><a:r><a:t>new</a:t></a:r></a:p></p188:txBody></p188:cm></p188:cmLst>`,
	)
	text, err := textOf(document.PPTX, data, document.DefaultLimits())
	const want = "[slide 1 of 1: hidden]\nTitle\n[comment by Ann, 2026-01-02] old\n[comment by Bob] reply\n[comment by " +
		"Bob, 2026-01-03] new\n"
	if err != nil || text != want {
		t.Errorf("got %q, %v, want %q", text, err, want)
	}
}

// R-DOC-1: an empty element of XHTML does not swallow the chapter.
func TestChapterOfXHTML(t *testing.T) {
	data := epub(t, `<?xml version="1.0"?><!DOCTYPE html><html><head><title/><script `+
		`src="a.js"/></head><body><h1>One</h1><p>Käse &amp; Brot</p></body></html>`)
	text, err := textOf(document.EPUB, data, document.DefaultLimits())
	const want = "[chapter 1 of 1]\nOne\nKäse & Brot\n"
	if err != nil || text != want {
		t.Errorf("got %q, %v, want %q", text, err, want)
	}
}
