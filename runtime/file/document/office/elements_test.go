package office_test

import (
	"strings"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/runtime/file/document"
)

// How the text of an element is read.
const (
	shown    = "shown"
	named    = "named"    // [… not shown], or its alternative text
	property = "property" // it says how other text looks, repeats it or is the code for it
)

// R-DOC-2: no element that can hold text in the main parts of the standards (ECMA-376 part 1, ISO/IEC 26300-3, MathML
// 3) is dropped without a word. WORD is the text. Properties are listed, so that a new one is a decision.
func TestElementsWithText(t *testing.T) {
	for kind, test := range map[string]struct {
		format document.Format
		file   func(xml string) []byte
		list   string
	}{
		"paragraphs of WordprocessingML": {document.DOCX, func(xml string) []byte {
			return docx(t, "<w:document><w:body><w:p>"+xml+"</w:p></w:body></w:document>")
		}, paragraphElements},
		"runs of WordprocessingML": {document.DOCX, func(xml string) []byte {
			return docx(t, "<w:document><w:body><w:p><w:r>"+xml+"</w:r></w:p></w:body></w:document>")
		}, runElements},
		"blocks of WordprocessingML": {
			document.DOCX,
			func(xml string) []byte { return docx(t, "<w:document><w:body>"+xml+"</w:body></w:document>") }, blockElements,
		},
		"slides": {document.PPTX, func(xml string) []byte { return pptxSlide(t, xml) }, slideElements},
		"OpenDocument text": {
			document.ODT,
			func(xml string) []byte { return odf(t, "<office:text><text:p>"+xml+"</text:p></office:text>") }, odfInline,
		},
		"OpenDocument blocks": {
			document.ODT,
			func(xml string) []byte { return odf(t, "<office:text>"+xml+"</office:text>") }, odfBlocks,
		},
		"OpenDocument slides": {document.ODP, func(xml string) []byte {
			return odf(t, "<office:presentation><draw:page>"+xml+"</draw:page></office:presentation>")
		}, odfShapes},
		"OpenDocument sheets": {document.ODS, func(xml string) []byte {
			return odf(t, "<office:spreadsheet><table:table>"+xml+"</table:table></office:spreadsheet>")
		}, odfSheets},
		"sheets": {
			document.XLSX,
			func(xml string) []byte { return xlsx(t, "<worksheet>"+xml+"</worksheet>", "shared") }, sheetElements,
		},
		"charts": {document.XLSX, func(xml string) []byte { return withChart(t, xml) }, chartElements},
		"chapters": {
			document.EPUB, func(xml string) []byte { return epub(t, "<html><body>"+xml+"</body></html>") },
			chapterElements,
		},
	} {
		for line := range strings.Lines(test.list) {
			want, xml, isCase := strings.Cut(strings.TrimSpace(line), " ")
			if !isCase {
				continue
			}
			text, err := textOf(test.format, test.file(xml), document.DefaultLimits())
			if err != nil { // a file with this element alone has no text
				text = err.Error()
			}
			got := property
			switch {
			case strings.Contains(text, "WORD"):
				got = shown
			case strings.Contains(text, " not shown]"), strings.Contains(text, "pictures, drawings or objects"),
				strings.Contains(text, "missing"):
				got = named
			}
			if got != want {
				t.Errorf("%s: %s is %s, want %s: %q", kind, xml, got, want, text)
			}
		}
	}
}

// withChart returns a workbook with a chart, whose part has these elements.
func withChart(t *testing.T, xml string) []byte {
	relation := func(kind, target string) string {
		return `<Relationships><Relationship Id="1" Type="x/` + kind + `" Target="` + target + `"/></Relationships>`
	}
	return xlsx(t, "<worksheet/>", "a", "xl/_rels/s.xml.rels", relation("drawing", "d.xml"),
		"xl/d.xml", `<xdr:wsDr><xdr:graphicFrame><c:chart r:id="1"/></xdr:graphicFrame></xdr:wsDr>`,
		"xl/_rels/d.xml.rels", relation("chart", "c.xml"), "xl/c.xml", "<c:chartSpace>"+xml+"</c:chartSpace>")
}

func pptxSlide(t *testing.T, xml string) []byte {
	parts := unzipped(t, pptx(t, `<p:sldId r:id="1"/>`))
	for i := 0; i < len(parts); i += 2 {
		if parts[i] == "ppt/slides/1.xml" {
			parts[i+1] = "<p:sld><p:cSld><p:spTree>" + xml + "</p:spTree></p:cSld></p:sld>"
		}
	}
	return zipped(t, parts...)
}

const paragraphElements = `
	shown <w:r><w:t>WORD</w:t></w:r>
	shown <w:hyperlink><w:r><w:t>WORD</w:t></w:r></w:hyperlink>
	shown <w:ins><w:r><w:t>WORD</w:t></w:r></w:ins>
	shown <w:moveTo><w:r><w:t>WORD</w:t></w:r></w:moveTo>
	shown <w:del><w:r><w:delText>WORD</w:delText></w:r></w:del>
	shown <w:moveFrom><w:r><w:t>WORD</w:t></w:r></w:moveFrom>
	shown <w:smartTag><w:r><w:t>WORD</w:t></w:r></w:smartTag>
	shown <w:customXml><w:r><w:t>WORD</w:t></w:r></w:customXml>
	shown <w:sdt><w:sdtPr><w:alias w:val="a"/></w:sdtPr><w:sdtContent><w:r><w:t>WORD</w:t></w:r></w:sdtContent></w:sdt>
	shown <w:fldSimple w:instr="DATE"><w:r><w:t>WORD</w:t></w:r></w:fldSimple>
	shown <w:dir><w:r><w:t>WORD</w:t></w:r></w:dir>
	shown <w:bdo><w:r><w:t>WORD</w:t></w:r></w:bdo>
	shown <m:oMath><m:r><m:t>WORD</m:t></m:r></m:oMath>
	shown <m:oMathPara><m:oMath><m:f><m:num><m:r><m:t>WORD</m:t></m:r></m:num><m:den/></m:f></m:oMath></m:oMathPara>
	shown <m:oMath><m:nary><m:sub><m:r><m:t>WORD</m:t></m:r></m:sub><m:e/></m:nary></m:oMath>
	shown <m:oMath><m:borderBox><m:e><m:r><m:t>WORD</m:t></m:r></m:e></m:borderBox></m:oMath>
	shown <m:oMath><m:phant><m:e><m:r><m:t>WORD</m:t></m:r></m:e></m:phant></m:oMath>
	shown <m:oMath><m:sPre><m:sub/><m:sup/><m:e><m:r><m:t>WORD</m:t></m:r></m:e></m:sPre></m:oMath>
	shown <m:oMath><m:limLow><m:e/><m:lim><m:r><m:t>WORD</m:t></m:r></m:lim></m:limLow></m:oMath>
	shown <m:oMath><m:eqArr><m:e><m:r><m:t>WORD</m:t></m:r></m:e></m:eqArr></m:oMath>
	shown <m:oMath><m:groupChr><m:e><m:r><m:t>WORD</m:t></m:r></m:e></m:groupChr></m:oMath>
	shown <m:oMath><m:bar><m:e><m:r><m:t>WORD</m:t></m:r></m:e></m:bar></m:oMath>
	shown <w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>EQ \f(WORD,2)</w:instrText></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r>
	shown <w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>MACROBUTTON none WORD</w:instrText></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r>
	shown <w:r><w:fldChar w:fldCharType="begin"><w:ffData><w:ddList><w:result w:val="1"/><w:listEntry w:val="a"/><w:listEntry w:val="WORD"/></w:ddList></w:ffData></w:fldChar></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r>
	shown <w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:fldChar w:fldCharType="separate"/></w:r><w:r><w:t>WORD</w:t></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r>
	named <w:subDoc r:id="7"/>
	property <w:r><w:instrText>PAGE WORD</w:instrText></w:r>
	property <w:del><w:r><w:delInstrText>WORD</w:delInstrText></w:r></w:del>
	property <w:fldSimple w:instr="WORD"/>
	property <w:pPr><w:pPrChange><w:pPr><w:t>WORD</w:t></w:pPr></w:pPrChange></w:pPr>
	property <w:sdt><w:sdtPr><w:dropDownList><w:listItem w:displayText="WORD"/></w:dropDownList></w:sdtPr></w:sdt>
`

const runElements = `
	shown <w:t>WORD</w:t>
	shown <w:delText>WORD</w:delText>
	shown <w:future>WORD</w:future>
	shown <w:ruby><w:rubyBase><w:r><w:t>WORD</w:t></w:r></w:rubyBase></w:ruby>
	shown <mc:AlternateContent><mc:Choice><w:t>WORD</w:t></mc:Choice></mc:AlternateContent>
	shown <w:pict><v:shape><v:textbox><w:txbxContent><w:p><w:r><w:t>WORD</w:t></w:r></w:p></w:txbxContent></v:textbox></v:shape></w:pict>
	shown <w:pict><v:shape><v:textpath string="WORD"/></v:shape></w:pict>
	shown <w:pict><v:shape alt="WORD"><v:imagedata/></v:shape></w:pict>
	shown <w:drawing><wp:inline><a:graphic><wps:txbx><w:txbxContent><w:p><w:r><w:t>WORD</w:t></w:r></w:p></w:txbxContent></wps:txbx></a:graphic></wp:inline></w:drawing>
	shown <w:drawing><wp:inline><wp:docPr descr="WORD"/><a:graphic><pic:pic><pic:nvPicPr><pic:cNvPr/></pic:nvPicPr></pic:pic></a:graphic></wp:inline></w:drawing>
	shown <w:drawing><lc:lockedCanvas><a:sp><a:txSp><a:txBody><a:p><a:r><a:t>WORD</a:t></a:r></a:p></a:txBody></a:txSp></a:sp></lc:lockedCanvas></w:drawing>
	named <w:drawing><wp:inline><a:graphic><pic:pic/></a:graphic></wp:inline></w:drawing>
	named <w:drawing><wp:inline><a:graphic><c:chart r:id="7"/></a:graphic></wp:inline></w:drawing>
	named <w:drawing><wp:inline><a:graphic><wps:wsp/></a:graphic></wp:inline></w:drawing>
	named <w:pict><v:line/></w:pict>
	named <w:pict><v:shape><v:imagedata/></v:shape></w:pict>
	named <w:object><v:shape/><o:OLEObject ProgID="Excel.Sheet.12"/></w:object>
	named <w:object><w:control w:name="a"/></w:object>
	named <w:contentPart r:id="7"/>
	named <w:sym w:font="Wingdings" w:char="F0AA"/>
	property <w:drawing><wp:anchor><wp:positionH><wp:posOffset>WORD</wp:posOffset></wp:positionH><wp:align>WORD</wp:align><wp14:pctWidth>WORD</wp14:pctWidth></wp:anchor><w:t>a</w:t></w:drawing>
	property <w:ruby><w:rt><w:r><w:t>WORD</w:t></w:r></w:rt></w:ruby>
	property <w:fldChar><w:fldData>WORD</w:fldData></w:fldChar>
	property <mc:AlternateContent><mc:Fallback><w:t>WORD</w:t></mc:Fallback></mc:AlternateContent>
	property <w:rPr><w:rPrChange><w:rPr><w:t>WORD</w:t></w:rPr></w:rPrChange></w:rPr>
`

const blockElements = `
	shown <w:p><w:r><w:t>WORD</w:t></w:r></w:p>
	shown <w:customXml><w:p><w:r><w:t>WORD</w:t></w:r></w:p></w:customXml>
	shown <w:sdt><w:sdtContent><w:p><w:r><w:t>WORD</w:t></w:r></w:p></w:sdtContent></w:sdt>
	shown <w:ins><w:p><w:r><w:t>WORD</w:t></w:r></w:p></w:ins>
	shown <w:tbl><w:tr><w:tc><w:p><w:r><w:t>WORD</w:t></w:r></w:p></w:tc></w:tr></w:tbl>
	shown <w:tbl><w:sdt><w:sdtContent><w:tr><w:tc><w:p><w:r><w:t>WORD</w:t></w:r></w:p></w:tc></w:tr></w:sdtContent></w:sdt></w:tbl>
	shown <w:tbl><w:tr><w:sdt><w:sdtContent><w:tc><w:p><w:r><w:t>WORD</w:t></w:r></w:p></w:tc></w:sdtContent></w:sdt></w:tr></w:tbl>
	shown <m:oMathPara><m:oMath><m:r><m:t>WORD</m:t></m:r></m:oMath></m:oMathPara>
	named <w:altChunk r:id="7"/>
	property <w:sectPr><w:t>WORD</w:t></w:sectPr>
`

const slideElements = `
	shown <p:sp><p:txBody><a:p><a:r><a:t>WORD</a:t></a:r></a:p></p:txBody></p:sp>
	shown <p:sp><p:txBody><a:p><a:fld><a:t>WORD</a:t></a:fld></a:p></p:txBody></p:sp>
	shown <p:sp><p:txBody><a:p><a14:m><m:oMath><m:r><m:t>WORD</m:t></m:r></m:oMath></a14:m></a:p></p:txBody></p:sp>
	shown <p:sp><p:nvSpPr><p:cNvPr descr="WORD"/></p:nvSpPr></p:sp>
	shown <p:grpSp><p:sp><p:txBody><a:p><a:r><a:t>WORD</a:t></a:r></a:p></p:txBody></p:sp></p:grpSp>
	shown <p:graphicFrame><a:graphic><a:tbl><a:tr><a:tc><a:txBody><a:p><a:r><a:t>WORD</a:t></a:r></a:p></a:txBody></a:tc></a:tr></a:tbl></a:graphic></p:graphicFrame>
	shown <p:pic><p:nvPicPr><p:cNvPr descr="WORD"/></p:nvPicPr></p:pic>
	shown <mc:AlternateContent><mc:Choice><p:sp><p:txBody><a:p><a:r><a:t>WORD</a:t></a:r></a:p></p:txBody></p:sp></mc:Choice></mc:AlternateContent>
	named <p:pic><p:nvPicPr><p:cNvPr/></p:nvPicPr></p:pic>
	named <p:pic><p:nvPicPr><p:nvPr><a:videoFile/></p:nvPr></p:nvPicPr></p:pic>
	named <p:graphicFrame><a:graphic><c:chart/></a:graphic></p:graphicFrame>
	named <p:graphicFrame><a:graphic><p:oleObj/></a:graphic></p:graphicFrame>
	named <p:contentPart/>
	named <p:control/>
	property <p:sp><p:nvSpPr><p:nvPr><p:ph type="ftr"/></p:nvPr></p:nvSpPr><p:txBody><a:p><a:r><a:t>WORD</a:t></a:r></a:p></p:txBody></p:sp>
	property <p:extLst><p:ext><a:t>WORD</a:t></p:ext></p:extLst>
`

const odfInline = `
	shown WORD
	shown <text:span>WORD</text:span>
	shown <text:a>WORD</text:a>
	shown <text:meta>WORD</text:meta>
	shown <text:meta-field>WORD</text:meta-field>
	shown <text:future>WORD</text:future>
	shown <text:ruby><text:ruby-base>WORD</text:ruby-base></text:ruby>
	shown <text:note text:note-class="footnote"><text:note-body><text:p>WORD</text:p></text:note-body></text:note>
	shown <office:annotation><text:p>WORD</text:p></office:annotation>
	shown <text:date>WORD</text:date>
	shown <text:time>WORD</text:time>
	shown <text:title>WORD</text:title>
	shown <text:subject>WORD</text:subject>
	shown <text:author-name>WORD</text:author-name>
	shown <text:creator>WORD</text:creator>
	shown <text:page-number>WORD</text:page-number>
	shown <text:chapter>WORD</text:chapter>
	shown <text:file-name>WORD</text:file-name>
	shown <text:placeholder>WORD</text:placeholder>
	shown <text:text-input>WORD</text:text-input>
	shown <text:drop-down><text:label text:value="a"/>WORD</text:drop-down>
	shown <text:variable-set>WORD</text:variable-set>
	shown <text:user-field-get>WORD</text:user-field-get>
	shown <text:expression>WORD</text:expression>
	shown <text:sequence>WORD</text:sequence>
	shown <text:conditional-text>WORD</text:conditional-text>
	shown <text:database-display>WORD</text:database-display>
	shown <text:reference-ref>WORD</text:reference-ref>
	shown <text:bookmark-ref>WORD</text:bookmark-ref>
	shown <text:note-ref>WORD</text:note-ref>
	shown <text:bibliography-mark>WORD</text:bibliography-mark>
	shown <text:measure>WORD</text:measure>
	shown <text:execute-macro>WORD</text:execute-macro>
	shown <draw:frame><draw:text-box><text:p>WORD</text:p></draw:text-box></draw:frame>
	shown <draw:frame><draw:image/><svg:desc>WORD</svg:desc></draw:frame>
	shown <draw:frame><draw:object><math:math><math:mi>WORD</math:mi></math:math></draw:object></draw:frame>
	shown <draw:custom-shape><text:p>WORD</text:p></draw:custom-shape>
	shown <draw:rect><text:p>WORD</text:p></draw:rect>
	named <draw:frame><draw:image/></draw:frame>
	named <draw:frame><draw:object-ole/></draw:frame>
	named <draw:frame><draw:plugin/></draw:frame>
	named <draw:control draw:control="unknown"/>
	property <text:note text:note-class="footnote"><text:note-citation>WORD</text:note-citation></text:note>
	property <text:ruby><text:ruby-text>WORD</text:ruby-text></text:ruby>
	property <text:script>WORD</text:script>
	shown <office:annotation><dc:date>WORD</dc:date></office:annotation>
`

const odfBlocks = `
	shown <text:h>WORD</text:h>
	shown <text:list><text:list-item><text:p>WORD</text:p></text:list-item></text:list>
	shown <text:list><text:list-header><text:p>WORD</text:p></text:list-header></text:list>
	shown <text:numbered-paragraph><text:p>WORD</text:p></text:numbered-paragraph>
	shown <text:section><text:p>WORD</text:p></text:section>
	shown <text:table-of-content><text:index-body><text:index-title><text:p>WORD</text:p></text:index-title></text:index-body></text:table-of-content>
	shown <text:bibliography><text:index-body><text:p>WORD</text:p></text:index-body></text:bibliography>
	shown <text:tracked-changes><text:changed-region text:id="a"><text:deletion><text:p>WORD</text:p></text:deletion></text:changed-region></text:tracked-changes><text:p><text:change text:change-id="a"/></text:p>
	shown <table:table><table:table-header-rows><table:table-row><table:table-cell><text:p>WORD</text:p></table:table-cell></table:table-row></table:table-header-rows></table:table>
	shown <draw:frame><draw:text-box><text:p>WORD</text:p></draw:text-box></draw:frame>
	shown <office:forms><form:form><form:text form:id="a" form:current-value="WORD"/></form:form></office:forms><text:p><draw:control draw:control="a"/></text:p>
	shown <office:forms><form:form><form:checkbox form:id="a" form:label="WORD"/></form:form></office:forms><text:p><draw:control draw:control="a"/></text:p>
	shown <office:forms><form:form><form:listbox form:id="a"><form:option form:current-selected="true" form:label="WORD"/></form:listbox></form:form></office:forms><text:p><draw:control draw:control="a"/></text:p>
	property <text:table-of-content><text:table-of-content-source><text:index-title-template>WORD</text:index-title-template></text:table-of-content-source></text:table-of-content>
`

const odfShapes = `
	shown <draw:frame><draw:text-box><text:p>WORD</text:p></draw:text-box></draw:frame>
	shown <draw:frame><table:table><table:table-row><table:table-cell><text:p>WORD</text:p></table:table-cell></table:table-row></table:table></draw:frame>
	shown <draw:g><draw:custom-shape><text:p>WORD</text:p></draw:custom-shape></draw:g>
	shown <draw:connector><text:p>WORD</text:p></draw:connector>
	shown <draw:caption><text:p>WORD</text:p></draw:caption>
	shown <draw:polygon><svg:title>WORD</svg:title></draw:polygon>
	shown <presentation:notes><draw:frame><draw:text-box><text:p>WORD</text:p></draw:text-box></draw:frame></presentation:notes>
	shown <office:annotation><text:p>WORD</text:p></office:annotation>
	named <draw:frame><draw:image/></draw:frame>
	named <draw:frame><draw:object/></draw:frame>
	property <draw:frame presentation:class="page-number"><draw:text-box><text:p>WORD</text:p></draw:text-box></draw:frame>
`

const odfSheets = `
	shown <table:table-row><table:table-cell><text:p>WORD</text:p></table:table-cell></table:table-row>
	shown <table:table-row><table:table-cell office:value="1"><office:annotation><text:p>WORD</text:p></office:annotation><text:p>1</text:p></table:table-cell></table:table-row>
	shown <table:shapes><draw:frame><draw:text-box><text:p>WORD</text:p></draw:text-box></draw:frame></table:shapes>
	shown <table:table-row-group><table:table-row><table:table-cell><text:p>WORD</text:p></table:table-cell></table:table-row></table:table-row-group>
	named <table:shapes><draw:frame><draw:object/></draw:frame></table:shapes>
	property <table:content-validations><table:help-message><text:p>WORD</text:p></table:help-message></table:content-validations>
`

const sheetElements = `
	shown <sheetData><row><c t="inlineStr"><is><t>WORD</t></is></c></row></sheetData>
	shown <sheetData><row><c t="str"><v>WORD</v></c></row></sheetData>
	shown <sheetData><row><c><f>WORD</f></c></row></sheetData>
	shown <sheetData/><headerFooter><oddHeader>&amp;CWORD</oddHeader></headerFooter>
	shown <sheetData/><headerFooter><evenFooter>&amp;LWORD&amp;RPage &amp;P</evenFooter></headerFooter>
	property <sheetData><row><c t="inlineStr"><is><rPh><t>WORD</t></rPh></is></c></row></sheetData>
	property <sheetData/><conditionalFormatting><cfRule><formula>WORD</formula></cfRule></conditionalFormatting>
	property <sheetData/><dataValidations><dataValidation><formula1>"WORD"</formula1></dataValidation></dataValidations>
`

// chartElements are in the part of a chart.
const chartElements = `
	shown <c:chart><c:title><c:tx><c:rich><a:p><a:r><a:t>WORD</a:t></a:r></a:p></c:rich></c:tx></c:title></c:chart>
	shown <c:title><c:tx><c:strRef><c:strCache><c:pt idx="0"><c:v>WORD</c:v></c:pt></c:strCache></c:strRef></c:tx></c:title>
	shown <c:ser><c:tx><c:v>WORD</c:v></c:tx></c:ser>
	shown <c:ser><c:cat><c:multiLvlStrRef><c:multiLvlStrCache><c:lvl><c:pt idx="0"><c:v>WORD</c:v></c:pt></c:lvl></c:multiLvlStrCache></c:multiLvlStrRef></c:cat></c:ser>
	named <c:ser><c:val><c:numRef><c:f>WORD</c:f></c:numRef></c:val></c:ser>
	named <c:ser><c:val><c:numRef><c:numCache><c:formatCode>"WORD"</c:formatCode></c:numCache></c:numRef></c:val></c:ser>
`

const chapterElements = `
	shown <p>WORD</p>
	shown <math><mi>WORD</mi></math>
	shown <svg><text>WORD</text></svg>
	shown <img alt="WORD"/>
	shown <ruby>WORD<rt>reading</rt></ruby>
	shown <input value="WORD"/>
	shown <select><option>WORD</option></select>
	shown <object>WORD</object>
	shown <future>WORD</future>
	named <svg><path/></svg>
	named <img src="a.png"/>
	property <script>WORD</script>
	property <style>WORD</style>
	property <template>WORD</template>
`
