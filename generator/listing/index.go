package listing

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/toolspec"
)

// Index returns the first page of the reference, in Markdown.
func Index(surface *toolspec.Surface) []byte {
	page := newPage("toolspec/surface.yaml", "Tools")
	page.paragraph(
		"Every tool only reads. A page says what a tool takes, what it asks the resource server, and what it gives back.")
	page.tools(surface, "")
	page.paragraph("[Prompts](prompts.md) are ready questions that lead a model through them.")
	page.paragraph("## Resource templates")
	page.table([]string{"template", "what a read gives", "answered by"})
	for _, template := range surface.Templates {
		page.row("`"+template.URI+"`", template.Description, "`"+template.Tool+"`")
	}
	return page.bytes()
}

// tools writes the table of tools. Its links lead to the pages in folder.
func (m *markdown) tools(surface *toolspec.Surface, folder string) {
	m.table([]string{"tool", "what it does"})
	for _, tool := range surface.Tools {
		m.row(fmt.Sprintf("[`%s`](%s%s.md)", tool.Name, folder, tool.Name), firstSentence(tool.Description))
	}
}

func firstSentence(description string) string {
	sentence, _, _ := strings.Cut(strings.Join(strings.Fields(description), " "), ". ")
	return strings.TrimSuffix(sentence, ".") + "."
}

// The markers around the table of tools in the README.
const (
	tableBegin = "<!-- tools:begin -->\n"
	tableEnd   = "<!-- tools:end -->"
)

// NoMarkersError reports a page without the markers around a generated part.
type NoMarkersError struct{ Page, Begin, End string }

func (e *NoMarkersError) Error() string {
	return fmt.Sprintf("%s has no markers for a generated part: add the lines %q and %q", e.Page,
		strings.TrimSpace(e.Begin), e.End)
}

// Readme returns the README with its table of tools replaced, or a *NoMarkersError.
func Readme(readme []byte, surface *toolspec.Surface) ([]byte, error) {
	table := markdown{}
	table.tools(surface, "docs/tools/")
	table.line("")
	return replaced("README.md", readme, tableBegin, tableEnd, table.bytes())
}

// replaced returns a page with the text between two markers replaced.
func replaced(name string, page []byte, begin, end string, text []byte) ([]byte, error) {
	before, rest, began := bytes.Cut(page, []byte(begin))
	_, after, ended := bytes.Cut(rest, []byte(end))
	if !began || !ended {
		return nil, &NoMarkersError{Page: name, Begin: begin, End: end}
	}
	return bytes.Join([][]byte{before, []byte(begin), text, []byte(end), after}, nil), nil
}
