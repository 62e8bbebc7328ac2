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

// Codes returns docs/tools/errors.md.
func Codes(sections []toolspec.CodeSection) []byte {
	text := newPage("toolspec/codes.yaml", "Error codes")
	text.paragraph("The meaning of a code never changes; the wording of messages may. A tool's error is a result that " +
		"the model sees and can often fix " +
		"itself, so most steps below address the model.")
	for _, section := range sections {
		text.paragraph("## %s", section.Title)
		text.paragraph("%s", section.Intro)
		text.table([]string{section.Keyed, "what happened", "what to do"})
		for _, code := range section.Codes {
			if code.Meaning != "" {
				text.row(keyed(code), code.Meaning, code.Next)
			}
		}
	}
	return text.bytes()
}

func keyed(code toolspec.Code) string {
	if code.Status == 0 {
		return "`" + code.Code + "`"
	}
	return fmt.Sprintf("`%s` (%d)", code.Code, code.Status)
}

// Commands returns the page with the requests of the commands that only a terminal has, in Markdown.
func Commands(surface *toolspec.Surface) []byte {
	page := newPage("toolspec/surface.yaml", "Commands of the terminal")
	page.paragraph("`--help` explains each command. [terminal.md](terminal.md) shows how they are used. MCP clients are " +
		"offered none of them.")
	page.table([]string{"command", "request"})
	for _, tool := range surface.Commands {
		words := "pdpp-mcp " + tool.Command
		for _, argument := range tool.Arguments {
			if argument.Positional {
				words += " <" + strings.ReplaceAll(argument.Name, "_", "-") + ">"
			}
		}
		page.row("`"+words+"`", "`"+tool.Endpoint+"`")
	}
	return page.bytes()
}

// Skill returns the SKILL.md of a skill (https://agentskills.io/specification). It has no mark of a generated file,
// since the front matter comes first and a model pays for each line.
func Skill(skill toolspec.Skill) []byte {
	page := &markdown{}
	page.line("---\nname: %s\ndescription: %s\n---", skill.Name, yamlText(skill.Description))
	page.paragraph("# %s", skill.Title)
	page.paragraph("%s", skill.Opening)
	page.paragraph("## Which tool\n")
	for _, choice := range skill.Choose {
		page.line("- `%s`: %s", choice.Tool, choice.When)
	}
	page.paragraph("## Shortest ways\n")
	for _, way := range skill.Ways {
		page.line("- %s %s", way.Question, strings.TrimSpace("`"+strings.Join(way.Calls, "`, then `")+"` "+way.Note))
	}
	page.paragraph("## Do not\n")
	for _, line := range skill.Avoid {
		page.line("- %s", line)
	}
	return page.bytes()
}

// yamlText returns a text as a YAML string in quotes, which is also JSON.
func yamlText(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text) + `"`
}
