package pdf

import (
	"strings"

	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"

	"github.com/pdppmcp/pdpp-mcp/runtime/document"
)

// Lines in place of the text of a page without any.
const (
	blankPage   = "(blank page)"
	damagedPage = "(damaged page)"
)

// Text returns the text of all pages (R-DOC-2), each below its mark. A page with an image and no text has the line document.Scan.
func (r *Reader) Text(data []byte, limits document.Limits) (string, error) {
	opened, pages, err := r.open(data)
	if err != nil {
		return "", err
	}
	var text strings.Builder
	for number := 1; number <= pages; number++ {
		text.WriteString(document.Mark(document.Page, number, pages, "") + "\n" + r.pageText(opened, number))
		if text.Len() > limits.Text {
			return "", limits.TextError()
		}
	}
	return text.String(), nil
}

// pageText returns the lines of a page, each with a line break. Filled form fields and notes are part of the text.
func (r *Reader) pageText(opened references.FPDF_DOCUMENT, number int) string {
	page := page(opened, number)
	// It fails on a page without annotations and on a damaged one, which the next call reports.
	_, _ = r.pdfium.FPDFPage_Flatten(&requests.FPDFPage_Flatten{Page: page, Usage: requests.FPDFPage_FlattenUsageNormalDisplay})
	read, err := r.pdfium.GetPageTextStructured(&requests.GetPageTextStructured{Page: page, Mode: requests.GetPageTextStructuredModeChars})
	if err != nil {
		return damagedPage + "\n"
	}
	if text := newLayout(read.Chars).text(); text != "" {
		return text
	}
	if objects, err := r.pdfium.FPDFPage_CountObjects(&requests.FPDFPage_CountObjects{Page: page}); err == nil && objects.Count == 0 {
		return blankPage + "\n"
	}
	return document.Scan + "\n"
}
