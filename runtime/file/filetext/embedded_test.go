package filetext_test

import (
	"strings"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/runtime/file/filetext"
)

// R-DOC-2: the text of files that are embedded in documents.
func TestReadEmbedded(t *testing.T) {
	for name, test := range map[string]struct{ data, want string }{
		"RTF": {`{\rtf1\ansi\ansicpg1252{\fonttbl{\f0 Arial;}}{\*\generator x}K\'e4se 10{\super 5}3, ` +
			`CO{\sub 2}\par 120 \u8364? {\b bold}\line a\cell b\row}`, "Käse 10^5 3, CO_2\n120 € bold\na\tb\n"},
		"RTF of another charset": {`{\rtf1\ansicpg1251 \'d1\'f7\'b8\'f2 \{1\}\~a}`, "Счёт {1}\u00a0a"},
		"RTF with pictures": {
			`{\rtf1 a{\pict 0102}{\field{\*\fldinst PAGE}{\fldrslt 7}}{\object{\*\objdata 01}{\result r}}\bin3 }}}b}`,
			"a[picture not shown]7rb",
		},
		"RTF cut short": {`{\rtf1 a{\b b\'`, "ab"},
		"HTML":          {"\ufeff<p>one<p>two", "one\ntwo\n"},
		"a web archive": {"MIME-Version: 1.0\nContent-Type: multipart/related; boundary=b\n\n--b\nContent-Type: " +
			"image/png\n\nx\n--b\nContent-Type: text/html\nContent-Transfer-Encoding: quoted-printable\n\n<p>120 " +
			"=E2=82=AC\n--b--\n", "120 €\n"},
		"plain text": {"one\ntwo", "one\ntwo"},
	} {
		if text, isText := filetext.ReadEmbedded([]byte(test.data)); !isText || text != test.want {
			t.Errorf("%s: got %q, %t, want %q", name, text, isText, test.want)
		}
	}
	if text, isText := filetext.ReadEmbedded([]byte("\x00\x01")); isText {
		t.Errorf("bytes are read as %q", text)
	}
	deep := `{\rtf1 ` + strings.Repeat("{", 100_000) + "deep" + strings.Repeat("}", 100_000)
	if text, _ := filetext.ReadEmbedded([]byte(deep)); text != "deep" {
		t.Errorf("nested groups: %.20q", text)
	}
}
