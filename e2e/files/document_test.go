package files_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pdppmcp/pdpp-mcp/runtime/file/blob"
)

// sampleFile reads a file of the sandbox.
func sampleFile(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", "sandbox", "sample", "files", name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// documentWindow is structured output of a window of a document.
type documentWindow struct {
	Window struct {
		Text       string
		MatchStart *int `json:"match_start_chars"`
		Start      int  `json:"start_chars"`
	}
	Document struct {
		Format, Part, Reason string
		Pages                int
		Readable             *bool
	}
	Note, Resource, Save string
	Next, Previous       []struct{ Arguments json.RawMessage }
}

// read calls read_record_field.
func read(t *testing.T, session *mcp.ClientSession, arguments string) (documentWindow, *mcp.CallToolResult) {
	t.Helper()
	result, err := session.CallTool(t.Context(),
		&mcp.CallToolParams{Name: "read_record_field", Arguments: json.RawMessage(arguments)})
	if err != nil {
		t.Fatal(err)
	}
	var window documentWindow
	structured, err := json.Marshal(result.StructuredContent)
	if err == nil && result.StructuredContent != nil {
		err = json.Unmarshal(structured, &window)
	}
	if err != nil {
		t.Fatal(err)
	}
	return window, result
}

const wholeFile = `{"id":"cin_1/attachments:a1","field_path":"blob_ref"}`

// R-DOC-1, R-DOC-2: the text of a document has the windows of any other text; the declared type does not matter. The
// same file has the same text, so windows join.
func TestDocumentWindows(t *testing.T) {
	p := newProvider(t)
	session := p.connect(t)
	for _, declared := range []string{
		"application/pdf", "text/plain", "image/png", "application/octet-stream",
		"application/zip", "",
	} {
		p.has(file{declared: declared, data: sampleFile(t, "mietvertrag-pfluegerstr-18.pdf")})
		whole, result := read(t, session, wholeFile)
		text := result.Content[0].(*mcp.TextContent).Text
		if !strings.HasPrefix(whole.Window.Text, "[page 1 of 2]\nMietvertrag") ||
			!strings.Contains(text, `format="pdf" pages=2 part="page 1 of 2" last_part="page 2 of 2"`) {
			t.Fatalf("declared as %q: %s", declared, text)
		}
		if declared != "application/pdf" {
			continue
		}
		var joined strings.Builder
		next := json.RawMessage(strings.Replace(wholeFile, "}", `,"limit_chars":500}`, 1))
		for next != nil {
			window, _ := read(t, session, string(next))
			joined.WriteString(window.Window.Text)
			if next = nil; window.Next != nil {
				next = window.Next[0].Arguments
			}
		}
		if joined.String() != whole.Window.Text {
			t.Errorf("the windows are\n%s\nand the text is\n%s", joined.String(), whole.Window.Text)
		}
	}
	p.has(file{declared: "application/pdf", data: sampleFile(t, "mietvertrag-pfluegerstr-18.pdf")})
	found, _ := read(t, session, strings.Replace(wholeFile, "}", `,"q":"übermut","before_chars":20,"after_chars":20}`, 1))
	if found.Document.Part != "page 2 of 2" || found.Window.MatchStart == nil || found.Previous == nil {
		t.Errorf("a match on the second page: %+v", found)
	}
}

// R-DOC-5: a file that cannot be read is a result with the reason and the other ways to it.
func TestUnreadableDocuments(t *testing.T) {
	p := newProvider(t)
	session := p.connect(t)
	lease := sampleFile(t, "mietvertrag-pfluegerstr-18.pdf")
	for _, test := range []struct {
		name, reason string
		file         file
	}{
		{"encrypted", "encrypted", file{declared: "application/pdf", data: sampleFile(t, "statement-2026-01.pdf")}},
		{"half", "damaged", file{declared: "application/pdf", data: lease[:len(lease)/2]}},
		{"not a PDF", "damaged", file{declared: "application/pdf", data: []byte("\x00\x01\x02")}},
		{"empty", "no_text", file{declared: "application/pdf", data: []byte{}}},
		{"too large", "too_large", file{declared: "application/pdf", data: lease, size: blob.MaxText + 1}},
		{
			"larger than declared", "too_large",
			file{declared: "application/pdf", data: make([]byte, blob.MaxText+1), size: -1},
		},
		{"old Office", "unsupported", file{declared: "application/msword", data: []byte("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")}},
	} {
		p.has(test.file)
		window, result := read(t, session, wholeFile)
		isResource := test.reason != "too_large" == (window.Resource != "") || test.name == "larger than declared"
		if result.IsError || window.Document.Reason != test.reason || window.Document.Readable == nil ||
			*window.Document.Readable || window.Save == "" || !isResource {
			t.Errorf("%s: error %t, %+v", test.name, result.IsError, window)
		}
		if text := result.Content[0].(*mcp.TextContent).Text; !strings.Contains(text,
			`readable=false reason="`+test.reason+`"`) || !strings.Contains(text, "\nnote: ") {
			t.Errorf("%s: %s", test.name, text)
		}
	}
}
