package equation_test

import (
	"encoding/xml"
	"strings"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/runtime/file/equation"
)

// R-DOC-2: an equation reads the same in Office Math and in MathML, and no digit runs into another.
func TestString(t *testing.T) {
	for _, test := range []struct{ office, mathML, want string }{
		{
			`<f><fPr><type val="bar"/></fPr><num><r><t>1</t></r></num><den><r><t>2</t></r></den></f>`,
			`<mfrac><mn>1</mn><mn>2</mn></mfrac>`, "1/2",
		},
		{
			`<f><num><r><t>a+b</t></r></num><den><r><t>2c</t></r></den></f>`,
			`<mfrac><mrow><mi>a</mi><mo>+</mo><mi>b</mi></mrow><mrow><mn>2</mn><mi>c</mi></mrow></mfrac>`, "(a+b)/(2c)",
		},
		{
			`<sSup><e><r><t>10</t></r></e><sup><r><t>-5</t></r></sup></sSup>`,
			`<msup><mn>10</mn><mrow><mo>-</mo><mn>5</mn></mrow></msup>`, "10^-5",
		},
		{
			`<sSup><e><d><e><r><t>a-b</t></r></e></d></e><sup><r><t>n+1</t></r></sup></sSup>`,
			`<msup><mfenced><mrow><mi>a</mi><mo>-</mo><mi>b</mi></mrow></mfenced><mrow><mi>n</mi><mo>+</mo><mn>1</mn></mrow></msup>`, "(a-b)^(n+1)",
		},
		{
			`<sSubSup><e><r><t>x</t></r></e><sub><r><t>i</t></r></sub><sup><r><t>2</t></r></sup></sSubSup>`,
			`<msubsup><mi>x</mi><mi>i</mi><mn>2</mn></msubsup>`, "x_i^2",
		},
		{
			`<rad><radPr><degHide val="1"/></radPr><deg/><e><r><t>16</t></r></e></rad>`, `<msqrt><mn>16</mn></msqrt>`, "√16",
		},
		{
			`<rad><deg><r><t>3</t></r></deg><e><r><t>x+1</t></r></e></rad>`,
			`<mroot><mrow><mi>x</mi><mo>+</mo><mn>1</mn></mrow><mn>3</mn></mroot>`, "root_3(x+1)",
		},
		{
			`<nary><naryPr><chr val="∑"/></naryPr><sub><r><t>i=1</t></r></sub><sup><r><t>n</t></r></sup><e><r><t>i</t></r></e></nary>`,
			`<munderover><mo>∑</mo><mrow><mi>i</mi><mo>=</mo><mn>1</mn></mrow><mi>n</mi></munderover><mspace/><mi>i</mi>`,
			"∑_(i=1)^n i",
		},
		{
			`<r><t>2</t></r><f><num><r><t>1</t></r></num><den><r><t>2</t></r></den></f><r><t>x</t></r>`,
			`<mn>2</mn><mrow><mfrac><mn>1</mn><mn>2</mn></mfrac></mrow><mi>x</mi>`, "2 1/2 x",
		},
		{
			`<m><mr><e><r><t>1</t></r></e><e><r><t>2</t></r></e></mr><mr><e><r><t>3</t></r></e><e><r><t>4</t></r></e></mr></m>`,
			`<mtable><mtr><mtd><mn>1</mn></mtd><mtd><mn>2</mn></mtd></mtr><mtr><mtd><mn>3</mn></mtd><mtd><mn>4</mn></mtd></mtr></mtable>`, "[1, 2; 3, 4]",
		},
		{
			`<func><fName><r><t>sin</t></r></fName><e><r><t>x</t></r></e></func>`,
			`<semantics><mrow><mi>sin</mi><mspace/><mi>x</mi></mrow><annotation>sin x again</annotation></semantics>`, "sin x",
		},
	} {
		for _, source := range []string{"<oMath>" + test.office + "</oMath>", "<math>\n " + test.mathML + "\n</math>"} {
			if got := parsed(t, source).String(); got != test.want {
				t.Errorf("%s is %q, want %q", source, got, test.want)
			}
		}
	}
}

// Elements without the children that they need do not fail.
func TestStringOfIncompleteElements(t *testing.T) {
	for _, name := range strings.Fields("f mfrac sSup sSub sSubSup sPre limLow limUpp msup mover msub munder msubsup " +
		"munderover nary func rad msqrt mroot acc groupChr d mfenced m mr mtable mtr eqArr semantics mtext mspace") {
		_ = parsed(t, "<math><"+name+"/></math>").String()
	}
}

func parsed(t *testing.T, source string) *equation.Node {
	t.Helper()
	decoder := xml.NewDecoder(strings.NewReader(source))
	open := []*equation.Node{{}}
	for {
		token, err := decoder.Token()
		if err != nil {
			return open[0].Children[0]
		}
		top := open[len(open)-1]
		switch token := token.(type) {
		case xml.StartElement:
			node := &equation.Node{Name: token.Name.Local, Attributes: map[string]string{}}
			for _, attribute := range token.Attr {
				node.Attributes[attribute.Name.Local] = attribute.Value
			}
			top.Children = append(top.Children, node)
			open = append(open, node)
		case xml.EndElement:
			open = open[:len(open)-1]
		case xml.CharData:
			top.Children = append(top.Children, &equation.Node{Text: string(token)})
		}
	}
}
