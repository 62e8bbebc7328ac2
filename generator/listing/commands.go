package listing

import (
	"strings"

	"github.com/pdppmcp/pdpp-mcp/generator/plan"
)

// Commands returns the reference page of the commands that only a terminal has, in Markdown.
func Commands(surface *plan.Plan) []byte {
	page := newPage("toolspec/surface.yaml", "Commands of the terminal")
	page.paragraph("An MCP client is offered none of these. [terminal.md](terminal.md) shows how they are used.")
	for _, tool := range surface.Commands {
		page.command(tool)
	}
	return page.bytes()
}

func (m *markdown) command(tool plan.Tool) {
	words := "pdpp-mcp " + strings.Join(tool.Terminal.Words, " ")
	for _, argument := range tool.Arguments {
		if argument.Positional {
			words += " " + typed(argument)
		}
	}
	m.paragraph("## `%s`", words)
	m.paragraph("%s", tool.Description)
	m.paragraph("Asks `%s`.", tool.Endpoint)
	if len(tool.Arguments) == 0 {
		return
	}
	m.argumentTable(tool.Arguments, typed)
}

// typed returns an argument as people type it: a flag, or a positional word.
func typed(argument plan.Argument) string {
	name := strings.ReplaceAll(argument.Name, "_", "-")
	if argument.Positional {
		return "<" + name + ">"
	}
	return "--" + name
}
