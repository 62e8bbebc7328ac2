package office_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/golden"
	"github.com/pdppmcp/pdpp-mcp/runtime/file/document"
)

// R-DOC-2, R-DOC-5: files of kinds that other readers read wrongly, each with the right text.
func TestCases(t *testing.T) {
	for name, want := range map[string]string{
		"xlsx-red-negative.xlsx": "[sheet 1 of 1: Statement]\nbooking,amount\nrent,-1450.00\nrefund,1450.00\n",
		"xlsx-missing-comments.xlsx": "[part not read: xl/drawings/drawing1.xml is missing]\n[part not read: " +
			"xl/comments1.xml is missing]\n[sheet 1 of 1: S]\nRent,1450\n",
		"xlsx-missing-sharedstrings.xlsx": "[part not read: xl/sharedStrings.xml is missing]\n[sheet 1 of 1: S]\nRent,1450\n",
		"docx-missing-header.docx":        "[part not read: word/header1.xml is missing]\nDeposit 1450\n",
		"docx-altchunk-only.docx":         "Lease\nThe deposit is 1,450 EUR, due on 3 May.\n",
		"docx-altchunk-mixed.docx":        "Cover page\nThe deposit is 1,450 EUR.\nEnd\n",
		"docx-superscript-equation.docx": "Dose 10^5 units per m^2, CO_2. Rent is 1/2 of x^2+√16.[footnote: A " +
			"note.]\na,b\n1,2^3\n",
		"odt-equation.odt": "Dose 10^5 units per m^2, CO_2. Rent is 1/2 of x^2+√16.[footnote: A " +
			"note.]\na,b\n1,2^3\n",
		"xlsx-formula-empty-and-red.xlsx": "[sheet 1 of 1: Statement]\nItem,Qty,Amount,Total\nChairs,4,-120.50,-482\nRefund,,120.50\n",
	} {
		t.Run(name, func(t *testing.T) {
			data, err := os.ReadFile(filepath.Join("testdata", "cases", name))
			if err != nil {
				t.Fatal(err)
			}
			text, err := textOf(document.Sniff(data), data, document.DefaultLimits())
			if err != nil || text != want {
				t.Errorf("got %q, %v, want %q", text, err, want)
			}
		})
	}
}

// R-DOC-2: files of pandoc and LibreOffice with superscripts, equations, check boxes, pictures, embedded chunks, and 70
// number formats.
func TestFilesOfPrograms(t *testing.T) {
	names, err := filepath.Glob("testdata/programs/*")
	names = slices.DeleteFunc(names, func(name string) bool { return strings.HasSuffix(name, ".txt") })
	if err != nil || len(names) < 15 {
		t.Fatal(names, err)
	}
	for _, name := range names {
		t.Run(filepath.Base(name), func(t *testing.T) {
			data, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			text, err := textOf(document.Sniff(data), data, document.DefaultLimits())
			if err != nil {
				t.Fatal(err)
			}
			golden.File(t, name+".txt", text)
		})
	}
}

// R-DOC-5: a part that is missing or invalid costs that part only, and the text names it.
func TestLostParts(t *testing.T) {
	rels := func(kind, target string) string {
		return `<Relationships><Relationship Id="1" Type="x/` + kind + `" Target="` + target + `"/></Relationships>`
	}
	body := "<w:document><w:body><w:p><w:r><w:t>text</w:t></w:r></w:p></w:body></w:document>"
	sheet := "<worksheet><sheetData><row><c><v>7</v></c><c t='s'><v>0</v></c></row></sheetData></worksheet>"
	with := func(data []byte, name, content string) []byte {
		parts := unzipped(t, data)
		for i := 0; i < len(parts); i += 2 {
			if parts[i] == name && content == "" {
				return zipped(t, append(parts[:i:i], parts[i+2:]...)...)
			} else if parts[i] == name {
				parts[i+1] = content
			}
		}
		return zipped(t, parts...)
	}
	for name, test := range map[string]struct {
		format document.Format
		data   []byte
		want   string
	}{
		"no style sheet": {
			document.XLSX, with(xlsx(t, sheet, "a"), "xl/styles.xml", ""),
			"[part not read: xl/styles.xml is missing]\n[sheet 1 of 1: S]\n7,a\n",
		},
		"an invalid style sheet": {
			document.XLSX, with(xlsx(t, sheet, "a"), "xl/styles.xml", "<styleSheet>"),
			"[part not read: xl/styles.xml is not valid XML]\n[sheet 1 of 1: S]\n7,a\n",
		},
		"no texts": {
			document.XLSX, with(xlsx(t, sheet, "a"), "xl/t.xml", ""),
			"[part not read: xl/t.xml is missing]\n[sheet 1 of 1: S]\n7,[text not found]\n",
		},
		"an unknown main part": {document.DOCX, zipped(t, "word/document.xml", body), "text\n"},
		"an invalid comment": {
			document.DOCX, docx(t, body, "word/_rels/document.xml.rels", rels("comments", "c.xml"),
				"word/c.xml", "<w:comments><w:comment></w:p>"),
			"[part not read: word/c.xml has elements that do not match]\ntext\n",
		},
		"invalid relations": {
			document.DOCX, docx(t, body, "word/_rels/document.xml.rels", "<Rel"),
			"[part not read: word/_rels/document.xml.rels is not valid XML]\ntext\n",
		},
		"entities": {
			document.DOCX, docx(t, body, "word/_rels/document.xml.rels", rels("footnotes", "n.xml"),
				"word/n.xml", `<!DOCTYPE a [<!ENTITY x "y">]><w:footnotes/>`),
			"[part not read: word/n.xml declares XML entities]\ntext\n",
		},
		"a sheet of several": {
			document.XLSX, with(xlsx(t, sheet, "a"), "xl/workbook.xml",
				`<workbook><sheets><sheet name="R" r:id="9"/><sheet name="S" r:id="1"/></sheets></workbook>`),
			"[part not read: a part without a name is missing]\n[sheet 1 of 2: R]\n[sheet 2 of 2: S]\n7,a\n",
		},
		"a sheet that breaks off": {
			document.XLSX, xlsx(t, "<worksheet><sheetData><row><c><v>7</v></c></row><row>", "a"),
			"[part not read: xl/s.xml is not valid XML]\n[sheet 1 of 1: S]\n7\n\n",
		},
		"a chapter of two": {
			document.EPUB, with(epub(t, "<p>one</p>"), "OEBPS/list.opf",
				`<package><manifest><item id="b" href="b.xhtml" media-type="application/xhtml+xml"/>`+
					`<item id="a" href="a%20b.xhtml" media-type="application/xhtml+xml"/></manifest><spine><itemref `+
					`idref="b"/><itemref idref="a"/></spine></package>`),
			"[part not read: OEBPS/b.xhtml is missing]\n[chapter 1 of 2]\n[chapter 2 of 2]\none\n",
		},
	} {
		text, err := textOf(test.format, test.data, document.DefaultLimits())
		if err != nil || text != test.want {
			t.Errorf("%s: got %q, %v, want %q", name, text, err, test.want)
		}
	}
}

// R-DOC-4: a part with more relations than a file can have parts is refused before they are all read.
func TestRelations(t *testing.T) {
	list := strings.Repeat(`<Relationship Id="r" Type="x/header" Target="h.xml"/>`, 10_001)
	data := docx(t, "<w:p><w:t>a</w:t></w:p>", "word/_rels/document.xml.rels", "<Relationships>"+list+"</Relationships>")
	var failure *document.Error
	if _, err := textOf(document.DOCX, data, document.DefaultLimits()); !errors.As(err, &failure) ||
		failure.Reason != document.TooLarge {
		t.Errorf("got %v", err)
	}
	var links strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&links, `<Relationship Id="r%d" Type="x/hyperlink" Target="%x" TargetMode="External"/>`, i, i*i*i)
	}
	data = docx(t, "<w:p><w:t>a</w:t></w:p>", "word/_rels/document.xml.rels",
		"<Relationships>"+links.String()+"</Relationships>")
	if text, err := textOf(document.DOCX, data, document.DefaultLimits()); text != "a\n" {
		t.Errorf("links: %q, %v", text, err)
	}
}

// R-DOC-4: the codes of number formats that are read are bounded, and the numbers of further ones are raw.
func TestManyNumberFormats(t *testing.T) {
	var codes, styles, cells strings.Builder
	for i := range 1_000 {
		fmt.Fprintf(&codes, `<numFmt numFmtId="%d" formatCode="0.0&quot;%d%s&quot;"/>`, 200+i, i, strings.Repeat("x", 500))
		fmt.Fprintf(&styles, `<xf numFmtId="%d"/>`, 200+i)
		fmt.Fprintf(&cells, `<row><c s="%d"><v>7</v></c></row>`, i)
	}
	parts := unzipped(t, xlsx(t, "<worksheet><sheetData>"+cells.String()+"</sheetData></worksheet>", ""))
	parts[slices.Index(parts, "xl/styles.xml")+1] = "<styleSheet><numFmts>" + codes.String() + "</numFmts><cellXfs>" +
		styles.String() + "</cellXfs></styleSheet>"
	text, err := textOf(document.XLSX, zipped(t, parts...), document.DefaultLimits())
	if err != nil || !strings.Contains(text, "\n7.00xxx") || !strings.HasSuffix(text, "\n7\n") {
		t.Errorf("got %.100q, %v", text, err)
	}
}

// R-DOC-2: a chart is the titles and points that the file keeps of it, with the number formats of the points.
func TestCharts(t *testing.T) {
	points := func(format, of string) string {
		return "<c:numRef><c:f>S!$A$1</c:f><c:numCache><c:formatCode>" + format + "</c:formatCode>" + of +
			"</c:numCache></c:numRef>"
	}
	data := withChart(t, `<c:title><c:tx><c:v>Rent</c:v></c:tx></c:title><c:ser><c:tx><c:v>paid</c:v></c:tx><c:cat>`+
		points("yyyy-mm-dd", `<c:pt idx="0"><c:v>45292</c:v></c:pt><c:pt idx="2"><c:v>45352</c:v></c:pt>`)+"</c:cat><c:val>"+
		points("0.00", `<c:pt idx="2"><c:v>1450</c:v></c:pt><c:pt idx="0"><c:v>-3.5</c:v></c:pt>`)+"</c:val></c:ser>")
	const want = "[sheet 1 of 1: S]\n[chart: Rent; paid: 2024-01-01 -3.50, 2024-03-01 1450.00]\n"
	if text, err := textOf(document.XLSX, data, document.DefaultLimits()); err != nil || text != want {
		t.Errorf("got %q, %v, want %q", text, err, want)
	}
}

// R-DOC-2: check boxes and options of a sheet have their state before their label.
func TestControlsOfSheets(t *testing.T) {
	shape := func(id, label string) string {
		return `<xdr:sp><xdr:nvSpPr><xdr:cNvPr id="` + id + `" name="n"/></xdr:nvSpPr><xdr:txBody><a:p><a:r><a:t>` + label +
			`</a:t></a:r></a:p></xdr:txBody></xdr:sp>`
	}
	data := xlsx(t, `<worksheet><controls><control shapeId="7" r:id="2"/><control shapeId="8" r:id="3"/>`+
		`<control shapeId="9" r:id="4"/></controls></worksheet>`, "a",
		"xl/_rels/s.xml.rels", `<Relationships><Relationship Id="1" Type="x/drawing" Target="d.xml"/>`+
			`<Relationship Id="2" Type="x/ctrlProp" Target="p2.xml"/><Relationship Id="3" Type="x/ctrlProp" `+
			`Target="p3.xml"/><Relationship Id="4" Type="x/ctrlProp" Target="p4.xml"/></Relationships>`,
		"xl/p2.xml", `<formControlPr objectType="CheckBox" checked="Checked"/>`,
		"xl/p3.xml", `<formControlPr objectType="Radio"/>`, "xl/p4.xml", `<formControlPr objectType="Label"/>`,
		"xl/d.xml", "<xdr:wsDr>"+shape("7", "paid")+shape("8", "open")+shape("9", "Rent")+"</xdr:wsDr>")
	const want = "[sheet 1 of 1: S]\n☑ paid\n☐ open\nRent\n"
	if text, err := textOf(document.XLSX, data, document.DefaultLimits()); err != nil || text != want {
		t.Errorf("got %q, %v, want %q", text, err, want)
	}
}

// R-DOC-2: literals can be between the digits of a number. Numbers that do not fit their places are raw.
func TestDigitsBetweenLiterals(t *testing.T) {
	for code, cells := range map[string]map[string]string{
		"000-00-0000": {
			"123456789": "123-45-6789", "6789": "000-00-6789",
			"12345678901": "12345-67-8901", "-5": "-5", "1.5": "1.5",
		},
		"[&lt;=9999999]###-####;(###) ###-####": {"5551234": "555-1234", "2125551234": "(212) 555-1234", "34": "34"},
		"00&quot;0&quot;00":                     {"1234": "12034"},
	} {
		for value, want := range cells {
			parts := unzipped(t, xlsx(t,
				`<worksheet><sheetData><row><c s="1"><v>`+value+`</v></c></row></sheetData></worksheet>`, "a"))
			for i := range parts {
				if parts[i] == "xl/styles.xml" {
					parts[i+1] = `<styleSheet><numFmts><numFmt numFmtId="170" formatCode="` + code +
						`"/></numFmts><cellXfs><xf numFmtId="0"/><xf numFmtId="170"/></cellXfs></styleSheet>`
				}
			}
			text, err := textOf(document.XLSX, zipped(t, parts...), document.DefaultLimits())
			if got := strings.TrimPrefix(strings.TrimSpace(text), "[sheet 1 of 1: S]\n"); err != nil || got != want {
				t.Errorf("%s in %s: got %q, %v, want %q", value, code, got, err, want)
			}
		}
	}
}
