package emit

import (
	"github.com/dave/jennifer/jen"

	"github.com/pdppmcp/pdpp-mcp/toolspec"
)

// skillSource is the spec that the header of the file of the skill names.
const skillSource = "toolspec/skill.yaml"

// Skill returns the Go file that embeds the skill.
func Skill(skill toolspec.Skill) []byte {
	file := newFile(skillSource)
	file.Anon("embed")
	file.Func().Id("skill").Params().Add(runtime("tool", "Skill")).Block(
		jen.Return(runtime("tool", "Skill").Add(structLiteral([]member{
			{"Name", jen.Lit(skill.Name)},
			{"Description", jen.Lit(skill.Description)},
			{"Text", jen.Id("skillText")},
		}))),
	).Line()
	file.Comment("//go:embed skill/SKILL.md")
	file.Var().Id("skillText").String()
	return written(file)
}
