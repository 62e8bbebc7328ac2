package saved_test

import (
	"os"
	"strings"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/saved"
)

// The file name of a provider names a visible file of the working directory.
func TestDefaultName(t *testing.T) {
	for _, test := range []struct{ name, want string }{
		{"Rechnung Nr. 7.pdf", "Rechnung Nr. 7.pdf"},
		{"../../etc/passwd", "_.._etc_passwd"},
		{`..\..\a.pdf`, `_.._a.pdf`},
		{"/etc/passwd", "_etc_passwd"},
		{".bashrc", "bashrc"},
		{"-rf", "rf"},
		{"-", "file"},
		{"..", "file"},
		{"", "file"},
		{"fdp\u202eexe.\x1b[2J", "fdpexe.[2J"},
		{"a\nb.txt", "ab.txt"},
		{"c:d|e?.txt", "c_d_e_.txt"},
		{strings.Repeat("ü", 300) + ".pdf", strings.Repeat("ü", 98) + ".pdf"},
		{"a." + strings.Repeat("b", 300), "file"},
	} {
		t.Chdir(t.TempDir())
		target := saved.Target{}
		target.SetDefaultName(test.name)
		output, err := target.Open()
		if err != nil {
			t.Fatal(err)
		}
		if err := output.Publish(); err != nil {
			t.Fatal(err)
		}
		entries, err := os.ReadDir(".")
		if err != nil || len(entries) != 1 || entries[0].Name() != test.want {
			t.Errorf("%q: the directory has %v, want %q, %v", test.name, entries, test.want, err)
		}
	}
}
