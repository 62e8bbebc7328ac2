package emit

import (
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/pdppmcp/pdpp-mcp/toolspec"
)

// command returns the Go file of a terminal tool. MCP clients are not offered it, so it has no schemas.
func (t toolFile) command() []byte {
	file := newFile(t.File)
	t.input(file)
	if t.IsDownload() {
		file.Add(t.download()).Line()
	} else {
		file.Add(t.ask()).Line()
	}
	file.Add(t.commandDefinition())
	return written(file)
}

// download builds only the request. The command that writes the file sends it, in several parts if necessary.
func (t toolFile) download() jen.Code {
	steps := t.decodeInput(jen.Return(runtime("rs", "Request").Values(), jen.Err()))
	before, literal := t.request()
	steps = append(append(steps, before...), jen.Return(literal, jen.Nil()))
	return jen.Func().Id(t.requestName()).Params(jen.Id("raw").Qual("encoding/json", "RawMessage")).
		Params(runtime("rs", "Request"), jen.Error()).Block(steps...)
}

func (t toolFile) commandDefinition() jen.Code {
	members := []member{
		{"Words", stringList(strings.Fields(t.Command))},
		{"Title", jen.Lit(t.Title)},
		{"Description", jen.Lit(t.Description)},
	}
	members = optional(members, t.Examples != nil, "Examples", multiline(t.Examples))
	members = optional(members, len(t.Arguments) > 0, "Arguments", t.arguments())
	if result := t.Result; result != nil {
		members = optional(members, result.Columns != nil, "Columns", stringList(result.Columns))
		members = optional(members, result.Secret, "Secret", jen.True())
	}
	members = optional(members, t.Request != nil && t.Request.Sources != nil, "OfSources", jen.True())
	members = optional(members, t.IsDownload(), "Download", jen.Id(t.requestName()))
	members = optional(members, !t.IsDownload(), "Ask", jen.Id(t.askName()))
	return jen.Func().Id(t.commandName()).Params().Add(runtime("tool", "Command")).Block(
		jen.Return(runtime("tool", "Command").Add(structLiteral(members))),
	)
}

// Commands returns the Go file that lists the commands of the terminal.
func Commands(surface *toolspec.Surface) []byte {
	file := newFile(surfaceSource)
	calls := make([]jen.Code, 0, len(surface.Commands))
	for _, tool := range surface.Commands {
		calls = append(calls, jen.Id(toolFile{tool}.commandName()).Call())
	}
	file.Add(comment("Commands returns the commands of the terminal, in the order of the specs. " +
		"No MCP client is offered them.")).
		Line().Func().Id("Commands").Params().Index().Add(runtime("tool", "Command")).Block(
		jen.Return(jen.Index().Add(runtime("tool", "Command")).Add(braces(calls, len(calls) > 0))),
	)
	return written(file)
}
