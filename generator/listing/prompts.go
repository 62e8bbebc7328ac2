package listing

import (
	"strings"

	"github.com/pdppmcp/pdpp-mcp/generator/ordered"
	"github.com/pdppmcp/pdpp-mcp/generator/plan"
	"github.com/pdppmcp/pdpp-mcp/toolspec"
)

// PromptsList returns the prompts/list result, indented. The SDK sends the members in this order, and the prompts by
// their names.
func PromptsList(surface *plan.Plan) ([]byte, error) {
	entries := make([]ordered.Object, 0, len(surface.Prompts))
	for _, prompt := range surface.Prompts {
		var entry ordered.Object
		if len(prompt.Arguments) > 0 {
			entry = append(entry, ordered.Member{Name: "arguments", Value: promptArguments(prompt)})
		}
		entries = append(entries, append(entry,
			ordered.Member{Name: "description", Value: prompt.Description},
			ordered.Member{Name: "name", Value: prompt.Name},
			ordered.Member{Name: "title", Value: prompt.Title},
		))
	}
	return ordered.Indented(ordered.Object{{Name: "prompts", Value: entries}})
}

func promptArguments(prompt toolspec.Prompt) []ordered.Object {
	arguments := make([]ordered.Object, 0, len(prompt.Arguments))
	for _, argument := range prompt.Arguments {
		entry := ordered.Object{{Name: "name", Value: argument.Name}, {Name: "description", Value: argument.Description}}
		if argument.Required {
			entry = append(entry, ordered.Member{Name: "required", Value: true})
		}
		arguments = append(arguments, entry)
	}
	return arguments
}

// Prompts returns the reference page of the prompts, in Markdown.
func Prompts(surface *plan.Plan) []byte {
	page := newPage("toolspec/prompts", "Prompts")
	page.paragraph("Ready questions, which hosts offer to their users, such as by a slash command. Each becomes one " +
		"message that leads a model\n" +
		"through the [tools](README.md). Below, {argument} is a value as a JSON string. {argument.begin} and " +
		"{argument.end} are the\n" +
		"first moment of a day and of the next, and text between << and >> is left out without its value.")
	for _, prompt := range surface.Prompts {
		page.paragraph("## `%s`", prompt.Name)
		page.paragraph("%s %s", strings.TrimSuffix(prompt.Title, ".")+end(prompt.Title), prompt.Description)
		page.promptArguments(prompt)
		page.paragraph("````text\n%s\n````", prompt.Text)
	}
	return page.bytes()
}

func (m *markdown) promptArguments(prompt toolspec.Prompt) {
	if len(prompt.Arguments) == 0 {
		return
	}
	m.table([]string{"argument", "required", "meaning", "completed with"})
	for _, argument := range prompt.Arguments {
		complete := ""
		if argument.Complete != "" {
			complete = "the granted " + argument.Complete + "s"
		}
		m.row("`"+argument.Name+"`", yes(argument.Required), argument.Description, complete)
	}
}

// end returns the punctuation after a title.
func end(title string) string {
	if strings.HasSuffix(title, "?") {
		return ""
	}
	return "."
}
