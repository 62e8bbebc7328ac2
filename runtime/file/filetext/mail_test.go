package filetext_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/golden"
	"github.com/pdppmcp/pdpp-mcp/runtime/file/blob"
	"github.com/pdppmcp/pdpp-mcp/runtime/file/filetext"
)

// R-BLOB-2: mails as programs write them, with the faults that they have: odd lines, wrong labels of charsets,
// boundaries that do not match. The names of the files say what is odd.
func TestMails(t *testing.T) {
	names, err := filepath.Glob("testdata/mail/*.eml")
	if err != nil || len(names) < 30 {
		t.Fatal(names, err)
	}
	for _, name := range names {
		t.Run(filepath.Base(name), func(t *testing.T) {
			data, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			text, isText := filetext.Read(data, blob.Mail, "")
			if !isText {
				t.Fatal("it is not read as text")
			}
			golden.File(t, strings.TrimSuffix(name, ".eml")+".txt", string(text.Bytes))
		})
	}
}

// R-DOC-5: a header of millions of odd lines, fields or encoded words takes time that grows with its size only.
func TestLongHeaders(t *testing.T) {
	for name, data := range map[string]string{
		"odd lines":     "Subject: s\n" + strings.Repeat("odd\n", 200_000) + "Date: d\n\nbody",
		"fields":        "Subject: s\n" + strings.Repeat("To: a\n", 200_000) + "\nbody",
		"continuations": "Subject: s\n" + strings.Repeat(" a\n", 200_000) + "\nbody",
		"encoded words": "Subject: " + strings.Repeat("=?utf-8?q?a?= ", 50_000) + "\n\nbody",
		"boundaries":    "Subject: s\nContent-Type: multipart/mixed; boundary=b\n\n" + strings.Repeat("--b\n", 200_000),
	} {
		if text, isText := filetext.Read([]byte(data), blob.Mail, ""); !isText ||
			!strings.Contains(string(text.Bytes), "Subject: ") {
			t.Errorf("%s: %.100q, %t", name, text.Bytes, isText)
		}
	}
}
