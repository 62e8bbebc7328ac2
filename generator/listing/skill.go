package listing

import (
	"strings"

	"github.com/pdppmcp/pdpp-mcp/toolspec"
)

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
