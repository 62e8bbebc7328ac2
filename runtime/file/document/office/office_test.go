package office_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/golden"
	"github.com/pdppmcp/pdpp-mcp/runtime/file/document"
	"github.com/pdppmcp/pdpp-mcp/runtime/file/document/office"
)

// sampleNames returns the names of the files that LibreOffice wrote, one of each format.
func sampleNames() []string {
	ours, _ := filepath.Glob("testdata/files/*")
	ofSandbox, _ := filepath.Glob("../../../../sandbox/sample/files/*.*[xb]")
	return append(ours, ofSandbox...)
}

func textOf(format document.Format, data []byte, limits document.Limits) (string, error) {
	parts, err := office.Parts(format, data, limits)
	return document.Join(parts), err
}

// R-DOC-1, R-DOC-2: the text of files that LibreOffice wrote, in all formats.
func TestText(t *testing.T) {
	for _, name := range sampleNames() {
		t.Run(filepath.Base(name), func(t *testing.T) {
			data, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			text, err := textOf(document.Sniff(data), data, document.DefaultLimits())
			if err != nil {
				t.Fatal(err)
			}
			golden.File(t, filepath.Join("testdata", filepath.Base(name)+".txt"), text)
		})
	}
}
