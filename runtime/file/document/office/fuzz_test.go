package office_test

import (
	"strings"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/runtime/file/document"
)

// R-DOC-5: no content of a part breaks a reader. Each target replaces one part of a file.

func FuzzDOCX(f *testing.F) { fuzzParts(f, document.DOCX) }
func FuzzXLSX(f *testing.F) { fuzzParts(f, document.XLSX) }
func FuzzPPTX(f *testing.F) { fuzzParts(f, document.PPTX) }
func FuzzODT(f *testing.F)  { fuzzParts(f, document.ODT) }
func FuzzODS(f *testing.F)  { fuzzParts(f, document.ODS) }
func FuzzODP(f *testing.F)  { fuzzParts(f, document.ODP) }
func FuzzEPUB(f *testing.F) { fuzzParts(f, document.EPUB) }

func fuzzParts(f *testing.F, format document.Format) {
	parts := unzipped(f, sampleFiles(f)[format])
	for i := 0; i < len(parts); i += 2 {
		if strings.HasSuffix(parts[i], "ml") || strings.HasSuffix(parts[i], ".rels") || strings.HasSuffix(parts[i], ".opf") {
			f.Add(i/2, parts[i+1])
		}
	}
	f.Fuzz(func(t *testing.T, part int, content string) {
		changed := append([]string{}, parts...)
		if part >= 0 && part < len(parts)/2 {
			changed[2*part+1] = content
		}
		text, err := textOf(format, zipped(t, changed...), document.DefaultLimits())
		checkResult(t, string(format), text, err)
	})
}

// FuzzZip reads any bytes as every format.
func FuzzZip(f *testing.F) {
	for _, data := range sampleFiles(f) {
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, format := range []document.Format{document.DOCX, document.XLSX, document.PPTX, document.ODT, document.EPUB} {
			text, err := textOf(format, data, document.DefaultLimits())
			checkResult(t, string(format), text, err)
		}
	})
}
