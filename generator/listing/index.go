package listing

import (
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

// Readme returns the README with its table of tools replaced. It returns an error if the markers are missing.
func Readme(readme []byte, surface *toolspec.Surface) ([]byte, error) {
	before, rest, began := strings.Cut(string(readme), tableBegin)
	_, after, ended := strings.Cut(rest, tableEnd)
	if !began || !ended {
		return nil, fmt.Errorf("README.md has no markers for a generated part: add the lines %q and %q",
			strings.TrimSpace(tableBegin), tableEnd)
	}
	var page markdown
	page.text.WriteString(before + tableBegin)
	page.tools(surface, "docs/tools/")
	page.text.WriteString("\n" + tableEnd + after)
	return page.bytes(), nil
}
