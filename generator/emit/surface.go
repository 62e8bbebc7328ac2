package emit

import (
	"github.com/dave/jennifer/jen"

	"github.com/pdppmcp/pdpp-mcp/generator/measure"
	"github.com/pdppmcp/pdpp-mcp/toolspec"
)

// surfaceSource is the spec that the header of files about the whole surface names.
const surfaceSource = "toolspec/surface.yaml"

// Surface returns the Go file that lists what a host advertises.
func Surface(surface *toolspec.Surface) []byte {
	file := newFile(surfaceSource)
	file.Add(comment("Surface is everything that a host advertises: the instructions, the tools in the order of the " +
		"specs, the resource templates and the prompts.")).
		Line().Func().Id("Surface").Params().Add(runtime("tool", "Surface")).Block(
		jen.Return(runtime("tool", "Surface").Add(structLiteral(optional([]member{
			{"Instructions", jen.Id("instructions")},
			{"Tools", definitions(surface.Tools)},
			{"Templates", templates(surface)},
			{"Prompts", prompts(surface)},
			{"Examples", multiline(surface.Examples)},
			{"View", jen.Id("viewHTML")},
		}, surface.Skill != nil, "Skill", jen.Id("skill").Call())))),
	).Line()
	file.Const().Id("instructions").Op("=").Add(instructions(surface.Instructions))
	return written(file)
}

func definitions(tools []toolspec.Tool) jen.Code {
	calls := make([]jen.Code, 0, len(tools))
	for _, tool := range tools {
		calls = append(calls, jen.Id(toolFile{tool}.definitionName()).Call())
	}
	return jen.Index().Add(runtime("tool", "Definition")).Add(braces(calls, true))
}

// multiline returns a list of strings, one per line.
func multiline(values []string) jen.Code {
	return jen.Index().String().Add(braces(literals(values), len(values) > 0))
}

func templates(surface *toolspec.Surface) jen.Code {
	items := make([]jen.Code, 0, len(surface.Templates))
	for _, template := range surface.Templates {
		members := withConstant([]member{
			{"Name", jen.Lit(template.Name)},
			{"Title", jen.Lit(template.Title)},
			{"URITemplate", jen.Lit(template.URI)},
			{"Description", jen.Lit(template.Description)},
			{"MIMEType", jen.Lit(template.MIMEType)},
			{"Tool", jen.Lit(template.Tool)},
		}, "Complete", toolspec.Completions.On(template.Complete, "string"))
		items = append(items, structLiteral(optional(members, template.File, "IsFile", jen.True())))
	}
	return jen.Index().Add(runtime("tool", "Template")).Add(braces(items, true))
}

// Footprint returns the Go file with the measured size of the surface, since the server binary links no tokenizer
// (R-FOOT-3).
func Footprint(footprint measure.Footprint) []byte {
	file := newFile(surfaceSource)
	rows := make([]jen.Code, 0, len(footprint.Tools))
	for _, row := range footprint.Tools {
		rows = append(rows, footprintRow(row))
	}
	file.Add(comment("Footprint is the measured size of the advertised surface, with its budgets.")).
		Line().Func().Id("Footprint").Params().Add(runtime("tool", "Footprint")).Block(
		jen.Return(runtime("tool", "Footprint").Add(structLiteral([]member{
			{"Tools", jen.Index().Add(runtime("tool", "FootprintRow")).Add(braces(rows, true))},
			{"Total", runtime("tool", "FootprintRow").Add(footprintRow(footprint.Total))},
			{"InstructionsCharacters", jen.Lit(footprint.InstructionsCharacters)},
			{"BudgetInstructionsCharacters", jen.Lit(footprint.BudgetInstructionsCharacters)},
			{"BudgetTokens", jen.Lit(footprint.BudgetTokens)},
		}))),
	)
	return written(file)
}

func footprintRow(row measure.Row) jen.Code {
	return braces([]jen.Code{
		jen.Id("Name").Op(":").Lit(row.Name),
		jen.Id("Bytes").Op(":").Lit(row.Bytes),
		jen.Id("Tokens").Op(":").Lit(row.Tokens),
		jen.Id("BudgetBytes").Op(":").Lit(row.BudgetBytes),
	}, false)
}

// Skill returns the Go file that embeds the skill.
func Skill(skill toolspec.Skill) []byte {
	file := newFile("toolspec/skill.yaml")
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

// View returns the Go file that embeds the page of results.
func View() []byte {
	file := newFile("generator/view/source")
	file.Anon("embed")
	file.Comment("viewHTML is the page that a host shows next to a result.")
	file.Comment("//go:embed view/view.html")
	file.Var().Id("viewHTML").String()
	return written(file)
}
