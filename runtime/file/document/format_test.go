package document_test

import (
	"archive/zip"
	"bytes"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/runtime/file/document"
)

// R-DOC-1: the bytes decide on the format.
func TestSniff(t *testing.T) {
	docx := zipped(t, "[Content_Types].xml", "", "word/document.xml", "", "word/embeddings/Sheet.xlsx",
		"PK\x01\x02xl/workbook.xml")
	for _, test := range []struct {
		name string
		data []byte
		want document.Format
	}{
		{"PDF", []byte("%PDF-1.7\n"), document.PDF},
		{"PDF behind other bytes", []byte("\r\n\r\n%PDF-1.7\nstartxref\n0\n%%EOF"), document.PDF},
		{"text about PDF", []byte("files begin with %PDF-1.7"), ""},
		{"OLE", []byte("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1rest"), document.OLE},
		{"DOCX", docx, document.DOCX},
		{"DOCX cut short", docx[:len(docx)-40], document.DOCX},
		{"DOCX without directory", docx[:bytes.Index(docx, []byte("PK\x01\x02"))], document.DOCX},
		{"XLSX", zipped(t, "[Content_Types].xml", "", "xl/workbook.xml", ""), document.XLSX},
		{"PPTX", zipped(t, "ppt/presentation.xml", ""), document.PPTX},
		{"ODT", zipped(t, "mimetype", "application/vnd.oasis.opendocument.text"), document.ODT},
		{"ODS", zipped(t, "mimetype", "application/vnd.oasis.opendocument.spreadsheet"), document.ODS},
		{"ODP", zipped(t, "mimetype", "application/vnd.oasis.opendocument.presentation"), document.ODP},
		{"EPUB", zipped(t, "mimetype", "application/epub+zip"), document.EPUB},
		{"EPUB without mimetype", zipped(t, "META-INF/container.xml", ""), document.EPUB},
		{"other zip", zipped(t, "a.txt", "a"), ""},
		{"header cut short", []byte("PK\x03\x04"), ""},
		{"empty", nil, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := document.Sniff(test.data); got != test.want {
				t.Errorf("Sniff gives %q, want %q", got, test.want)
			}
		})
	}
}

func FuzzSniff(f *testing.F) {
	f.Add([]byte("PK\x03\x04PK\x01\x02"))
	f.Add([]byte("%PDF-1.7"))
	f.Fuzz(func(_ *testing.T, data []byte) { document.Sniff(data) })
}

// zipped returns a zip file of entries that are not compressed, given as names and contents in turn.
func zipped(t *testing.T, entries ...string) []byte {
	t.Helper()
	var file bytes.Buffer
	writer := zip.NewWriter(&file)
	for i := 0; i < len(entries); i += 2 {
		content := []byte(entries[i+1])
		entry, err := writer.CreateRaw(&zip.FileHeader{
			Name: entries[i], Method: zip.Store, UncompressedSize64: uint64(len(content)),
			CompressedSize64: uint64(len(content)),
		})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := entry.Write(content); err != nil {
			t.Fatal(err)
		}
	}
	if err := writer.Close(); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}
