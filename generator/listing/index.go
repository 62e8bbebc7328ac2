package listing

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/generator/plan"
)

// Index returns the first page of the reference, in Markdown.
func Index(surface *plan.Plan) []byte {
	page := newPage("toolspec/surface.yaml", "Tools")
	page.paragraph("Every tool only reads. A page says what a tool takes, what it asks the resource server, and what it gives back.")
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
func (m *markdown) tools(surface *plan.Plan, folder string) {
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

// NoMarkersError reports a README without the markers of the table of tools.
type NoMarkersError struct{}

func (*NoMarkersError) Error() string {
	return fmt.Sprintf("README.md has no place for the tools: put the lines %q and %q in it", strings.TrimSpace(tableBegin), tableEnd)
}

// Readme returns the README with its table of tools replaced, or a *NoMarkersError.
func Readme(readme []byte, surface *plan.Plan) ([]byte, error) {
	before, rest, began := bytes.Cut(readme, []byte(tableBegin))
	_, after, ended := bytes.Cut(rest, []byte(tableEnd))
	if !began || !ended {
		return nil, &NoMarkersError{}
	}
	table := markdown{}
	table.tools(surface, "docs/tools/")
	table.line("")
	return bytes.Join([][]byte{before, []byte(tableBegin), table.bytes(), []byte(tableEnd), after}, nil), nil
}
