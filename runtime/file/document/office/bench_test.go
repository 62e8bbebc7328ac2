package office_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/runtime/file/document"
)

// BenchmarkDOCX reads 200 pages of 500 words, in runs of ten words with their properties as Word writes them.
func BenchmarkDOCX(b *testing.B) {
	const properties = `<w:rPr><w:rFonts w:ascii="Calibri" w:hAnsi="Calibri" w:cs="Calibri"/><w:sz w:val="22"/><w:lang ` +
		`w:val="de-DE"/></w:rPr>`
	run := `<w:r w:rsidRPr="00A77B3E">` + properties + `<w:t xml:space="preserve">` +
		strings.Repeat("Vertragspartei ", 10) + `</w:t></w:r>`
	paragraph := `<w:p w:rsidR="00A77B3E" w:rsidRDefault="00A77B3E"><w:pPr><w:pStyle w:val="Standard"/>` + properties +
		`</w:pPr>` + strings.Repeat(run, 10) + "</w:p>"
	data := docx(b, "<w:document><w:body>"+strings.Repeat(paragraph, 200*5)+"</w:body></w:document>")
	read(b, document.DOCX, data)
}

// BenchmarkXLSX reads 50,000 cells: shared texts, dates, amounts and formulas.
func BenchmarkXLSX(b *testing.B) {
	var rows, texts strings.Builder
	for i := 1; i <= 5_000; i++ {
		fmt.Fprintf(&rows, `<row r="%d" spans="1:10">`, i)
		for column, kind := range "sdnfsdnfsn" {
			name := fmt.Sprintf("%c%d", 'A'+column, i)
			switch kind {
			case 's':
				fmt.Fprintf(&rows, `<c r="%s" s="0" t="s"><v>%d</v></c>`, name, i-1)
			case 'd':
				fmt.Fprintf(&rows, `<c r="%s" s="1"><v>%d</v></c>`, name, 45_000+i)
			case 'n':
				fmt.Fprintf(&rows, `<c r="%s" s="2"><v>%d.25</v></c>`, name, i)
			case 'f':
				fmt.Fprintf(&rows, `<c r="%s" s="2"><f>C%d*2</f><v>%d.5</v></c>`, name, i, 2*i)
			}
		}
		rows.WriteString("</row>")
		fmt.Fprintf(&texts, "</t></si><si><t>Posten Nummer %d", i)
	}
	parts := unzipped(b, xlsx(b, "<worksheet><sheetData>"+rows.String()+"</sheetData></worksheet>",
		"first"+texts.String()))
	for i := range parts {
		if parts[i] == "xl/styles.xml" {
			parts[i+1] = `<styleSheet><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="4"/></cellXfs></styleSheet>`
		}
	}
	read(b, document.XLSX, zipped(b, parts...))
}

func read(b *testing.B, format document.Format, data []byte) {
	text, err := textOf(format, data, document.DefaultLimits())
	if err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(len(text)), "text-bytes")
	b.ReportAllocs()
	for b.Loop() {
		if _, err := textOf(format, data, document.DefaultLimits()); err != nil {
			b.Fatal(err)
		}
	}
}
