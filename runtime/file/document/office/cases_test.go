package office_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/runtime/file/document"
)

// R-DOC-2, R-DOC-5: files of kinds that other readers read wrongly, each with the right text.
func TestCases(t *testing.T) {
	for name, want := range map[string]string{
		"xlsx-red-negative.xlsx":          "[sheet 1 of 1: Statement]\nbooking,amount\nrent,-1450.00\nrefund,1450.00\n",
		"xlsx-formula-empty-and-red.xlsx": "[sheet 1 of 1: Statement]\nItem,Qty,Amount,Total\nChairs,4,-120.50,-482\nRefund,,120.50\n",
	} {
		t.Run(name, func(t *testing.T) {
			data, err := os.ReadFile(filepath.Join("testdata", "cases", name))
			if err != nil {
				t.Fatal(err)
			}
			text, err := textOf(document.Sniff(data), data, document.DefaultLimits())
			if err != nil || text != want {
				t.Errorf("got %q, %v, want %q", text, err, want)
			}
		})
	}
}
