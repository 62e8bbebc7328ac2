package document_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/golden"
	"github.com/pdppmcp/pdpp-mcp/runtime/file/document"
)

// R-DOC-1: docs/files.md lists the formats that are registered. A format is found by each of its media types and by its
// extension.
func TestFormatsInTheDocs(t *testing.T) {
	const page, mark = "../../../docs/files.md", "-update -->\n"
	var table strings.Builder
	table.WriteString("| format | of | media types | extension |\n|---|---|---|---|\n")
	for _, kind := range document.Kinds() {
		fmt.Fprintf(&table, "| `%s` | %s | %s | %s |\n", kind.Format, kind.Title, strings.Join(kind.MediaTypes, ", "),
			kind.Extension)
		for _, mediaType := range kind.MediaTypes {
			if got := document.Declared(mediaType, ""); got != kind.Format {
				t.Errorf("%s declares %q", mediaType, got)
			}
		}
		if got := document.Declared("", "A"+strings.ToUpper(kind.Extension)); kind.Extension != "" && got != kind.Format {
			t.Errorf("A%s declares %q", kind.Extension, got)
		}
	}
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, hasBegin := strings.Cut(string(text), mark)
	_, after, hasEnd := strings.Cut(rest, "<!-- /formats -->")
	if !hasBegin || !hasEnd {
		t.Fatalf("%s has no place for the table", page)
	}
	golden.File(t, page, before+mark+table.String()+"<!-- /formats -->"+after)
}
