package emit

import "github.com/dave/jennifer/jen"

// schemas embeds the schemas of the tool.
func (t toolFile) schemas(file *jen.File) {
	file.Anon("embed")
	for _, schema := range []struct{ side, suffix string }{{"input", "InputSchema"}, {"output", "OutputSchema"}} {
		file.Comment("//go:embed schema/" + t.tool.Name + "." + schema.side + ".json")
		file.Var().Id(t.tool.LocalName+schema.suffix).Qual("encoding/json", "RawMessage")
		file.Line()
	}
}

// definition is what a host registers.
func (t toolFile) definition() jen.Code {
	return jen.Func().Id(t.definitionName()).Params().Add(runtime("tool", "Definition")).Block(
		jen.Return(runtime("tool", "Definition").Add(structLiteral([]member{
			{"Name", jen.Lit(t.tool.Name)},
			{"Title", jen.Lit(t.tool.Title)},
			{"Description", jen.Lit(t.tool.Description)},
			{"InputSchema", jen.Id(t.tool.LocalName + "InputSchema")},
			{"OutputSchema", jen.Id(t.tool.LocalName + "OutputSchema")},
			{"Run", jen.Id(t.runName())},
		}))),
	)
}
