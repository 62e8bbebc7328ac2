package emit

import (
	"github.com/dave/jennifer/jen"

	"github.com/pdppmcp/pdpp-mcp/generator/plan"
)

// command returns the Go file of a terminal tool. MCP clients are not offered it, so it has no schemas.
func (t toolFile) command() ([]byte, error) {
	file := newFile(t.tool.File)
	t.input(file)
	if t.tool.IsDownload() {
		file.Add(t.download()).Line()
	} else {
		file.Add(t.ask()).Line()
	}
	file.Add(t.commandDefinition())
	return rendered(file)
}

// download builds only the request. The command that writes the file sends it, in several parts if necessary.
func (t toolFile) download() jen.Code {
	steps := t.decodeInput(jen.Return(runtime("rs", "Request").Values(), jen.Err()))
	steps = append(steps, t.query()...)
	before, literal := t.requestLiteral()
	steps = append(append(steps, before...), jen.Return(literal, jen.Nil()))
	return jen.Func().Id(t.requestName()).Params(jen.Id("raw").Qual("encoding/json", "RawMessage")).
		Params(runtime("rs", "Request"), jen.Error()).Block(steps...)
}

func (t toolFile) commandDefinition() jen.Code {
	terminal := t.tool.Terminal
	members := []member{
		{"Words", stringList(terminal.Words)},
		{"Title", jen.Lit(t.tool.Title)},
		{"Description", jen.Lit(t.tool.Description)},
	}
	members = optional(members, t.tool.Examples != nil, "Examples", multiline(t.tool.Examples))
	members = append(members, t.arguments()...)
	members = optional(members, terminal.Columns != nil, "Columns", stringList(terminal.Columns))
	members = optional(members, terminal.Secret, "Secret", jen.True())
	members = optional(members, t.tool.Request != nil && t.tool.Request.Sources != nil, "OfSources", jen.True())
	members = optional(members, terminal.Download, "Download", jen.Id(t.requestName()))
	members = optional(members, !terminal.Download, "Ask", jen.Id(t.askName()))
	return jen.Func().Id(t.commandName()).Params().Add(runtime("tool", "Command")).Block(
		jen.Return(runtime("tool", "Command").Add(structLiteral(members))),
	)
}

// Commands returns the Go file that lists the commands of the terminal.
func Commands(surface *plan.Plan) ([]byte, error) {
	file := newFile(surfaceSource)
	calls := make([]jen.Code, 0, len(surface.Commands))
	for _, tool := range surface.Commands {
		calls = append(calls, jen.Id(toolFile{tool: tool}.commandName()).Call())
	}
	file.Add(comment("Commands returns the commands of the terminal, in the order of the specs. " +
		"No MCP client is offered them.")).
		Line().Func().Id("Commands").Params().Index().Add(runtime("tool", "Command")).Block(
		jen.Return(jen.Index().Add(runtime("tool", "Command")).Add(braces(calls, len(calls) > 0))),
	)
	return rendered(file)
}

func (t toolFile) commandName() string { return t.tool.LocalName + "Command" }
