package emit

import (
	"cmp"

	"github.com/dave/jennifer/jen"

	"github.com/pdppmcp/pdpp-mcp/generator/plan"
)

// toolFile writes the file of one tool.
type toolFile struct {
	tool plan.Tool
}

// Tool returns the Go file of one tool: its input struct and decoder, if it has arguments, its ask function and its
// definition.
func Tool(tool plan.Tool) ([]byte, error) {
	t := toolFile{tool: tool}
	if tool.Terminal != nil {
		return t.command()
	}
	file := newFile(tool.File)
	t.input(file)
	file.Add(t.ask()).Line()
	t.schemas(file)
	file.Add(t.definition())
	return rendered(file)
}

// ask returns the function that answers a call, step by step.
func (t toolFile) ask() jen.Code {
	steps := t.decodeInput(jen.Return(jen.Nil(), jen.Err()))
	steps = append(steps, t.resolveTarget()...)
	steps = append(steps, t.preconditions()...)
	call := cmp.Or(t.tool.Operation, t.tool.Render)
	if t.tool.Request == nil {
		steps = append(steps, jen.Return(t.resultOf(*call)))
	} else {
		steps = append(append(steps, t.query()...), t.answer(*call)...)
	}
	return jen.Func().Id(t.askName()).Params(
		jen.Id("ctx").Qual("context", "Context"),
		jen.Id("env").Add(runtime("tool", "Env")),
		jen.Id("raw").Qual("encoding/json", "RawMessage"),
	).Params(jen.Op("*").Add(runtime("tool", "Answer")), jen.Error()).Block(steps...)
}

func (t toolFile) inputName() string      { return t.tool.GoName + "Input" }
func (t toolFile) namesName() string      { return t.tool.LocalName + "Arguments" }
func (t toolFile) decodeName() string     { return "decode" + t.tool.GoName }
func (t toolFile) askName() string        { return "ask" + t.tool.GoName }
func (t toolFile) requestName() string    { return "request" + t.tool.GoName }
func (t toolFile) definitionName() string { return t.tool.LocalName + "Definition" }
