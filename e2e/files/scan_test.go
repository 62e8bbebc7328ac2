package files_test

import (
	"bytes"
	"image"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pdppmcp/pdpp-mcp/e2e/timetest"
)

// R-DOC-3: a page without text is an image next to text that says so, one in a call, and next leads to the following
// page.
func TestScan(t *testing.T) {
	timetest.WithoutRace(t) // with the detector, encoding an image takes longer than a document may
	p := newProvider(t)
	session := p.connect(t)
	p.has(file{declared: "application/pdf", data: sampleFile(t, "kuendigung.pdf")})
	_, result := read(t, session, wholeFile)
	text := result.Content[0].(*mcp.TextContent).Text
	if len(result.Content) != 2 || !strings.Contains(text, "There is no text on page 1 of 1. It follows as an image.") ||
		!strings.Contains(text, uri("blob_ref")) {
		t.Fatalf("%d blocks: %s", len(result.Content), text)
	}
	shown := result.Content[1].(*mcp.ImageContent)
	size, format, err := image.DecodeConfig(bytes.NewReader(shown.Data))
	if err != nil || len(shown.Data) > 1<<20 || max(size.Width, size.Height) > 1600 || shown.MIMEType != "image/"+format {
		t.Errorf("the image is %s, %d bytes, %d × %d, %v", shown.MIMEType, len(shown.Data), size.Width, size.Height, err)
	}

	p.has(file{declared: "application/pdf", data: drawnPages(3)})
	next := wholeFile
	for _, page := range []string{"page 1 of 3", "page 2 of 3", "page 3 of 3"} {
		_, result := read(t, session, next)
		text := result.Content[0].(*mcp.TextContent).Text
		if len(result.Content) != 2 || !strings.Contains(text, "There is no text on "+page) {
			t.Fatalf("%d blocks for %s: %s", len(result.Content), page, text)
		}
		_, after, _ := strings.Cut(text, "\nnext: read_record_field ")
		next, _, _ = strings.Cut(after, "\n")
	}
	if next != "" {
		t.Errorf("after the last page: %s", next)
	}
}

// drawnPages returns a PDF whose pages have a line each and no text.
func drawnPages(count int) []byte {
	kids := strings.Repeat("3 0 R ", count)
	return []byte("%PDF-1.7\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[" + kids +
		"]/Count 3>>endobj\n" +
		"3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]/Contents 4 0 R>>endobj\n" +
		"4 0 obj<</Length 19>>stream\n0 0 m 90 90 l S    \nendstream endobj\ntrailer<</Root 1 0 R>>\nstartxref\n0\n%%EOF")
}
