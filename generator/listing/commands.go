package listing

import (
	"strings"

	"github.com/pdppmcp/pdpp-mcp/toolspec"
)

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
