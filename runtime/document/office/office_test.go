package office_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/golden"
	"github.com/pdppmcp/pdpp-mcp/runtime/document"
	"github.com/pdppmcp/pdpp-mcp/runtime/document/office"
)

// samples is the folder of files that LibreOffice wrote.
const samples = "testdata/files"

// R-DOC-1, R-DOC-2: the text of files that LibreOffice wrote, in all formats.
func TestText(t *testing.T) {
	files, err := filepath.Glob(samples + "/*")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, name := range files {
		t.Run(filepath.Base(name), func(t *testing.T) {
			data, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			text, err := office.Text(document.Sniff(data), data, document.DefaultLimits())
			if err != nil {
				t.Fatal(err)
			}
			golden.File(t, filepath.Join("testdata", filepath.Base(name)+".txt"), text)
		})
	}
}
