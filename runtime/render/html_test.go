package render_test

import (
	"strings"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/runtime/provider/recordid"
	"github.com/pdppmcp/pdpp-mcp/runtime/read/record"
	"github.com/pdppmcp/pdpp-mcp/runtime/read/scan"
)

// R-DOC-7: HTML is readable text in rows and in the document, marked as converted. Other texts stay.
func TestHTMLFields(t *testing.T) {
	for _, test := range []struct{ value, want string }{
		{`"<html><body><p>A &amp; B<\/p><p>C</p></body></html>"`, `"A & B\nC"`},
		{`" <!DOCTYPE html><title>T</title><script>x</script></html>\n"`, `"T"`},
		{`"\u003cdiv\u003eD\u003c/div\u003e"`, `"D"`},
		{`"<a href=\"https://x.example\">L</a>"`, `"L (https://x.example)"`},
		{`"<div> is a tag"`, ""},
		{`"<b>"`, ""},
		{`"<note><to>x</to></note>"`, ""},
		{`"<?xml version=\"1.0\"?><p>x</p>"`, ""},
		{`"use <br> or </br>"`, ""},
		{`["<p>x</p>"]`, ""},
	} {
		whole := `{"id":"m1","stream":"s","connection_id":"cin_1","data":{"body":` + test.value + `}}`
		rows := renderRecords(t, "/v1/streams/s/records", `{"data":[`+whole+`]}`, scan.RowsInput{Stream: "s"})
		target := recordid.Target{Stream: "s", RecordID: "m1"}
		document, _ := renderDocument(t, "/v1/streams/s/records/m1", whole, record.DocumentInput{Target: target})
		for _, shown := range []string{string(rows.Structured), rows.Text, string(document.Structured)} {
			isConverted := strings.Contains(shown, `"converted":["body"]`) || strings.Contains(shown, `converted=["body"]`)
			if isConverted != (test.want != "") {
				t.Errorf("%s: converted %t:\n%s", test.value, isConverted, shown)
			}
		}
		if test.want != "" && (!strings.Contains(string(rows.Structured), test.want) ||
			!strings.Contains(rows.Text, test.want)) {
			t.Errorf("%s: want %s:\n%s", test.value, test.want, rows.Text)
		}
	}
}

// The call that reads on in a converted field starts at the beginning of the HTML.
func TestClippedHTML(t *testing.T) {
	body := `{"data":[{"id":"m1","stream":"s","connection_id":"cin_1","data":{"body":"<p>` +
		strings.Repeat("word ", 20_000) + `</p>"}}]}`
	rows := renderRecords(t, "/v1/streams/s/records", body, scan.RowsInput{Stream: "s"})
	if !strings.Contains(rows.Text, `"offset_chars":0,`) || !strings.Contains(rows.Text, `clipped`) {
		t.Errorf("%s", rows.Text[max(0, len(rows.Text)-400):])
	}
}

// An excerpt of HTML is text with its highlight.
func TestHTMLExcerpt(t *testing.T) {
	for excerpt, want := range map[string]string{
		`class='x'>Dear <mark>Nora</mark>,</p><p>the rent`:    `Dear <mark>Nora</mark>,\nthe rent`,
		`<td>a</td><td><mark>Nora</mark></td>`:                `a\t<mark>Nora</mark>`,
		`write <br> for <mark>Nora</mark>, not a closing one`: `write <br> for <mark>Nora</mark>, not a closing one`,
	} {
		result := searchHits(t, "/v1/search?q=nora", `{"q":"nora"}`, hitOf("messages", "m1", "body_html", excerpt))
		if !strings.Contains(string(result.Structured), want) {
			t.Errorf("%s: want %s:\n%s", excerpt, want, result.Structured)
		}
	}
}
