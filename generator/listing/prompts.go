package listing

import (
	"strings"

	"github.com/pdppmcp/pdpp-mcp/generator/ordered"
	"github.com/pdppmcp/pdpp-mcp/toolspec"
)

// promptEntry is an entry of prompts/list. The SDK sends the members in this order.
type promptEntry struct {
	Arguments   []promptArgument `json:"arguments,omitempty"`
	Description string           `json:"description"`
	Name        string           `json:"name"`
	Title       string           `json:"title"`
}

type promptArgument struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	Required    bool   `json:"required,omitzero"`
}

// PromptsList returns the prompts/list result, indented. The SDK sorts the prompts by name.
func PromptsList(surface *toolspec.Surface) []byte {
	var result struct {
		Prompts []promptEntry `json:"prompts"`
	}
	for _, prompt := range surface.Prompts {
		entry := promptEntry{Description: prompt.Description, Name: prompt.Name, Title: prompt.Title}
		for _, argument := range prompt.Arguments {
			entry.Arguments = append(entry.Arguments, promptArgument{argument.Name, argument.Description, argument.Required})
		}
		result.Prompts = append(result.Prompts, entry)
	}
	return ordered.Indented(result)
}

// Prompts returns the reference page of the prompts, in Markdown.
func Prompts(surface *toolspec.Surface) []byte {
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
