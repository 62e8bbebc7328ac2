package emit

import "github.com/dave/jennifer/jen"

// schemas embeds the schemas of the tool.
func (t toolFile) schemas(file *jen.File) {
	file.Anon("embed")
	for _, schema := range []struct{ side, suffix string }{{"input", "InputSchema"}, {"output", "OutputSchema"}} {
		if schema.side == "output" && t.tool.Output.Unserved {
			continue
		}
		file.Comment("//go:embed schema/" + t.tool.Name + "." + schema.side + ".json")
		file.Var().Id(t.tool.LocalName+schema.suffix).Qual("encoding/json", "RawMessage")
		file.Line()
	}
}

// definition returns the tool's definition, which a host registers.
func (t toolFile) definition() jen.Code {
	members := []member{
		{"Name", jen.Lit(t.tool.Name)},
		{"Title", jen.Lit(t.tool.Title)},
		{"Description", jen.Lit(t.tool.Description)},
		{"InputSchema", jen.Id(t.tool.LocalName + "InputSchema")},
	}
	members = optional(members, !t.tool.Output.Unserved, "OutputSchema", jen.Id(t.tool.LocalName+"OutputSchema"))
	members = append(members, t.arguments()...)
	members = optional(members, t.tool.Table != "", "Table", runtime("tool", t.tool.Table))
	members = optional(members, t.tool.Pages != "", "Pages", jen.Lit(t.tool.Pages))
	members = optional(members, t.tool.Changes != "", "Changes", jen.Lit(t.tool.Changes))
	members = optional(members, t.tool.Commands != nil, "Commands", t.shortCommands())
	members = append(members, member{"Ask", jen.Id(t.askName())})
	return jen.Func().Id(t.definitionName()).Params().Add(runtime("tool", "Definition")).Block(
		jen.Return(runtime("refusal", "Explained").Call(runtime("tool", "Definition").Add(structLiteral(members)))),
	)
}

func (t toolFile) shortCommands() jen.Code {
	items := make([]jen.Code, 0, len(t.tool.Commands))
	for _, short := range t.tool.Commands {
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

// arguments returns the member of the definition that lists the arguments for hosts that do not read the schema, or no
// member without arguments.
func (t toolFile) arguments() []member {
	if len(t.tool.Arguments) == 0 {
		return nil
	}
	items := make([]jen.Code, 0, len(t.tool.Arguments))
	for _, argument := range t.tool.Arguments {
		members := []member{
			{"Name", jen.Lit(argument.Name)},
			{"Type", runtime("tool", argument.Type.Constant)},
		}
		members = optional(members, argument.Required, "Required", jen.True())
		members = optional(members, argument.Positional, "Positional", jen.True())
		members = optional(members, argument.Meaning() != "", "Description", jen.Lit(argument.Meaning()))
		members = optional(members, argument.Enum != nil, "Values", stringList(argument.Enum))
		members = optional(members, argument.Complete != "", "Complete", runtime("tool", argument.Complete))
		members = optional(members, argument.DeclaredFor != "", "DeclaredFor", jen.Lit(argument.DeclaredFor))
		items = append(items, onOneLine(members))
	}
	return []member{{"Arguments", jen.Index().Add(runtime("tool", "Argument")).Add(braces(items, true))}}
}
