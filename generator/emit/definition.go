package emit

import (
	"github.com/dave/jennifer/jen"

	"github.com/pdppmcp/pdpp-mcp/toolspec"
)

// schemas embeds the schemas of the tool.
func (t toolFile) schemas(file *jen.File) {
	file.Anon("embed")
	for _, schema := range []struct{ side, suffix string }{{"input", "InputSchema"}, {"output", "OutputSchema"}} {
		if schema.side == "output" && t.Structured.Unserved {
			continue
		}
		file.Comment("//go:embed schema/" + t.Name + "." + schema.side + ".json")
		file.Var().Id(LocalName(t.Name)+schema.suffix).Qual("encoding/json", "RawMessage")
		file.Line()
	}
}

// definition returns the tool's definition, which a host registers.
func (t toolFile) definition() jen.Code {
	members := []member{
		{"Name", jen.Lit(t.Name)},
		{"Title", jen.Lit(t.Title)},
		{"Description", jen.Lit(t.Description)},
		{"InputSchema", jen.Id(LocalName(t.Name) + "InputSchema")},
	}
	members = optional(members, !t.Structured.Unserved, "OutputSchema", jen.Id(LocalName(t.Name)+"OutputSchema"))
	members = optional(members, len(t.Arguments) > 0, "Arguments", t.arguments())
	if result := t.Result; result != nil {
		members = withConstant(members, "Table", toolspec.Tables.Get(result.Table))
		members = optional(members, result.Pages != "", "Pages", jen.Lit(result.Pages))
		members = optional(members, result.Changes != "", "Changes", jen.Lit(result.Changes))
	}
	members = optional(members, t.Commands != nil, "Commands", t.shortCommands())
	members = append(members, member{"Ask", jen.Id(t.askName())})
	return jen.Func().Id(t.definitionName()).Params().Add(runtime("tool", "Definition")).Block(
		jen.Return(runtime("refusal", "Explained").Call(runtime("tool", "Definition").Add(structLiteral(members)))),
	)
}

func (t toolFile) shortCommands() jen.Code {
	items := make([]jen.Code, 0, len(t.Commands))
	for _, short := range t.Commands {
		members := []member{{"Name", jen.Lit(short.Command)}, {"Title", jen.Lit(short.Title)}}
		members = optional(members, short.Alias != "", "Alias", jen.Lit(short.Alias))
		preset, by := jen.Dict{}, jen.Dict{}
		for _, binding := range short.Set {
			preset[jen.Lit(binding.Name)] = jen.Lit(binding.Value)
		}
		for _, binding := range short.By {
			by[jen.Lit(binding.Name)] = jen.Lit(binding.Value)
		}
		members = optional(members, len(preset) > 0, "Preset", jen.Map(jen.String()).String().Values(preset))
		members = optional(members, len(by) > 0, "By", jen.Map(jen.String()).String().Values(by))
		members = append(members, member{"Examples", multiline(short.Examples)})
		items = append(items, structLiteral(members))
	}
	return jen.Index().Add(runtime("tool", "ShortCommand")).Add(braces(items, true))
}

// arguments lists the arguments for hosts that do not read the schema.
func (t toolFile) arguments() jen.Code {
	items := make([]jen.Code, 0, len(t.Arguments))
	for _, argument := range t.Arguments {
		members := []member{
			{"Name", jen.Lit(argument.Name)},
			{"Type", runtime("tool", toolspec.ArgumentTypes.Get(argument.Type).Constant)},
		}
		members = optional(members, argument.Required, "Required", jen.True())
		members = optional(members, argument.Positional, "Positional", jen.True())
		members = optional(members, argument.Meaning() != "", "Description", jen.Lit(argument.Meaning()))
		members = optional(members, argument.Enum != nil, "Values", stringList(argument.Enum))
		members = withConstant(members, "Complete", toolspec.Completions.On(argument.Complete, argument.Type))
		members = optional(members, argument.DeclaredFor != "", "DeclaredFor", jen.Lit(argument.DeclaredFor))
		items = append(items, onOneLine(members))
	}
	return jen.Index().Add(runtime("tool", "Argument")).Add(braces(items, true))
}
