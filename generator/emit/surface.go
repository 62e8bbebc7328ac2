package emit

import (
	"github.com/dave/jennifer/jen"

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
