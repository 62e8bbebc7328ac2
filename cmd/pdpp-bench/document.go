package main

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// documents are the files of the canned provider, by the id of their record.
var documents = map[string]func() []byte{"pdf": longPDF, "docx": longDOCX, "xlsx": largeXLSX}

// Sizes of the documents.
const (
	pdfPages  = 36
	pageLines = 25  // of 80 characters
	docxPages = 200 // of 3,000 characters
	cells     = 50_000
)

const documentCall = `{"id":"cin_1/documents:%s","field_path":"blob_ref"}`

// document answers for the record, the field and the bytes of a document.
func (p *provider) document(mux *http.ServeMux) {
	file := func(id string) []byte {
		if documents[id] == nil {
			return nil
		}
		return p.body("document "+id, documents[id])
	}
	mux.HandleFunc("GET /v1/streams/documents/records/{id}/field-window", func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusUnprocessableEntity)
		_, _ = w.Write([]byte(`{"error":{"type":"api_error","code":"field_not_text","message":"not text"}}`)) // the client may have gone
	})
	mux.HandleFunc("GET /v1/streams/documents/records/{id}", func(w http.ResponseWriter, r *http.Request) {
		id := r.PathValue("id")
		send(w, fmt.Appendf(nil, `{"object":"record","id":%[1]q,"stream":"documents","connection_id":"cin_1","data":{"blob_ref":{"blob_id":%[1]q,"size_bytes":%d}}}`, id, len(file(id))))
	})
	mux.HandleFunc("GET /v1/blobs/{id}", func(w http.ResponseWriter, r *http.Request) { send(w, file(r.PathValue("id"))) })
}

// documentWindows measures the first window of documents (R-DOC-1), without and with compiled PDFium, and the memory
// that it takes.
func (s *suite) documentWindows() error {
	cache, err := os.MkdirTemp("", "pdpp-bench-cache-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(cache) }()
	command := exec.CommandContext(s.ctx, s.binary, "stdio", "--provider-url", s.provider)
	command.Env = append(os.Environ(), "PDPP_ACCESS_TOKEN="+clientToken+"0", "XDG_CACHE_HOME="+cache)
	session, err := s.talkTo(command)
	if err != nil {
		return err
	}
	if _, err := session.greet(); err != nil {
		return err
	}
	cold, err := session.firstDocument()
	if err != nil {
		return err
	}
	before := memory(session.command.Process, "VmRSS")
	times := map[string]time.Duration{}
	for id := range documents {
		answer, err := session.call("read_record_field", fmt.Sprintf(documentCall, id))
		if err != nil || bytes.Contains(answer, []byte(`"readable":false`)) {
			return errors.Join(err, fmt.Errorf("the %s was not read: %.300s", id, answer))
		}
		taken, err := session.timeCalls(2*s.effort.rounds+1, "read_record_field", fmt.Sprintf(documentCall, id))
		if err != nil {
			return err
		}
		times[id] = median(taken)
	}
	grown := memory(session.command.Process, "VmRSS") - before
	if err := session.end(); err != nil {
		return err
	}
	compiling, errCompiling := s.childMemory("", longPDF())
	reading, errReading := s.childMemory(filepath.Join(cache, "pdpp-mcp", "pdfium"), longPDF())
	what := fmt.Sprintf("first window of a PDF of %d pages", pdfPages)
	s.report.add(
		atMost(what+", p50", 400, milliseconds(times["pdf"]), "ms", ""),
		atMost(what+", PDFium not compiled yet", 4000, milliseconds(cold), "ms", ""),
		atMost(fmt.Sprintf("first window of a DOCX of %d pages, p50", docxPages), 300, milliseconds(times["docx"]), "ms", ""),
		atMost(fmt.Sprintf("first window of an XLSX of %s cells, p50", grouped(cells)), 500, milliseconds(times["xlsx"]), "ms", ""),
		atMost("resident memory of the server after these, growth", 20, max(grown, 1)/(1<<20), "MiB", ""),
		atMost("peak memory of a document's process that compiles PDFium", 350, compiling/(1<<20), "MiB", fmt.Sprintf("compiled before %.0f MiB", reading/(1<<20))),
	)
	return errors.Join(errCompiling, errReading)
}

// firstDocument returns how long it takes until a PDF is read for the first time. On a busy machine calls end at their
// deadline while the server compiles PDFium for the next one.
func (s *session) firstDocument() (time.Duration, error) {
	started := time.Now()
	for tries := 1; ; tries++ {
		if _, err := s.call("read_record_field", fmt.Sprintf(documentCall, "pdf")); err == nil || tries == 20 {
			return time.Since(started), err
		}
	}
}

// childMemory returns the peak resident memory of the process that reads a PDF, in bytes.
func (s *suite) childMemory(cache string, file []byte) (float64, error) {
	command := exec.CommandContext(s.ctx, s.binary, "document-child", "pdf", "0", cache)
	command.Env = []string{}
	command.Stdin = bytes.NewReader(append(binary.BigEndian.AppendUint32(nil, uint32(len(file))), file...))
	var text bytes.Buffer
	command.Stdout = &text
	if err := command.Run(); err != nil {
		return 0, fmt.Errorf("read a PDF: %w", err)
	}
	return peakMemory(command.ProcessState), nil
}

func longPDF() []byte {
	var file, kids, pages strings.Builder
	for page := range pdfPages {
		var content strings.Builder
		content.WriteString("BT /F 10 Tf 14 TL 50 780 Td\n")
		for line := range pageLines {
			fmt.Fprintf(&content, "(Page %02d line %02d %s) Tj T*\n", page, line, strings.Repeat("of the words ", 5))
		}
		content.WriteString("ET")
		fmt.Fprintf(&kids, "%d 0 R ", 10+2*page)
		fmt.Fprintf(&pages, "%d 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents %d 0 R/Resources<</Font<</F 3 0 R>>>>>>endobj\n", 10+2*page, 11+2*page)
		fmt.Fprintf(&pages, "%d 0 obj<</Length %d>>stream\n%s\nendstream endobj\n", 11+2*page, content.Len(), content.String())
	}
	fmt.Fprintf(&file, "%%PDF-1.7\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[%s]/Count %d>>endobj\n", kids.String(), pdfPages)
	file.WriteString("3 0 obj<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>endobj\n" + pages.String() + "trailer<</Root 1 0 R>>\nstartxref\n0\n%%EOF")
	return []byte(file.String())
}

const (
	office       = "http://schemas.openxmlformats.org/"
	documentKind = office + "officeDocument/2006/relationships"
)

// relation returns the entry that names a part of an Office file.
func relation(kind, part string) string {
	return `<Relationships xmlns="` + office + `package/2006/relationships"><Relationship Id="r1" Type="` + documentKind + `/` + kind + `" Target="` + part + `"/></Relationships>`
}

func longDOCX() []byte {
	paragraph := "<w:p><w:r><w:t>" + strings.Repeat("of the words ", 23) + "</w:t></w:r></w:p>"
	return zipped(
		"_rels/.rels", relation("officeDocument", "word/document.xml"),
		"word/document.xml", `<w:document xmlns:w="`+office+`wordprocessingml/2006/main"><w:body>`+strings.Repeat(paragraph, 10*docxPages)+"</w:body></w:document>",
	)
}

func largeXLSX() []byte {
	const namespace = ` xmlns="` + office + `spreadsheetml/2006/main"`
	row := "<row>" + strings.Repeat("<c><v>1234.5</v></c>", 10) + "</row>"
	return zipped(
		"_rels/.rels", relation("officeDocument", "xl/workbook.xml"),
		"xl/workbook.xml", `<workbook`+namespace+` xmlns:r="`+documentKind+`"><sheets><sheet name="S" sheetId="1" r:id="r1"/></sheets></workbook>`,
		"xl/_rels/workbook.xml.rels", relation("worksheet", "worksheets/sheet1.xml"),
		"xl/worksheets/sheet1.xml", `<worksheet`+namespace+`><sheetData>`+strings.Repeat(row, cells/10)+`</sheetData></worksheet>`,
	)
}

// zipped returns a zip file of entries, given as names and contents in turn. It stores them, since repetition would
// look like a bomb.
func zipped(entries ...string) []byte {
	var file bytes.Buffer
	writer := zip.NewWriter(&file)
	for i := 0; i < len(entries); i += 2 {
		entry, err := writer.CreateHeader(&zip.FileHeader{Name: entries[i], Method: zip.Store})
		if err == nil {
			_, err = entry.Write([]byte(entries[i+1]))
		}
		if err != nil {
			panic(err) // a Buffer does not fail
		}
	}
	if err := writer.Close(); err != nil {
		panic(err)
	}
	return file.Bytes()
}
