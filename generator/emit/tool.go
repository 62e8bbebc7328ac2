package emit

import (
	"github.com/dave/jennifer/jen"

	"github.com/pdppmcp/pdpp-mcp/toolspec"
)

// toolFile writes the file of one tool.
type toolFile struct{ toolspec.Tool }

// Tool returns the Go file of one tool: its input struct and decoder, if it has arguments, its ask function and its
// definition.
func Tool(tool toolspec.Tool) []byte {
	t := toolFile{tool}
	if tool.Terminal() {
		return t.command()
	}
	file := newFile(tool.File)
	t.input(file)
	file.Add(t.ask()).Line()
	t.schemas(file)
	file.Add(t.definition())
	return written(file)
}

// ask returns the function that answers a call, step by step.
func (t toolFile) ask() jen.Code {
	steps := t.decodeInput(jen.Return(jen.Nil(), jen.Err()))
	steps = append(steps, t.resolveTarget()...)
	steps = append(steps, t.preconditions()...)
	steps = append(steps, t.answer()...)
	return jen.Func().Id(t.askName()).Params(
		jen.Id("ctx").Qual("context", "Context"),
		jen.Id("env").Add(runtime("tool", "Env")),
		jen.Id("raw").Qual("encoding/json", "RawMessage"),
	).Params(jen.Op("*").Add(runtime("tool", "Answer")), jen.Error()).Block(steps...)
}

func (t toolFile) inputName() string      { return GoName(t.Name) + "Input" }
func (t toolFile) namesName() string      { return LocalName(t.Name) + "Arguments" }
func (t toolFile) decodeName() string     { return "decode" + GoName(t.Name) }
func (t toolFile) askName() string        { return "ask" + GoName(t.Name) }
func (t toolFile) requestName() string    { return "request" + GoName(t.Name) }
func (t toolFile) definitionName() string { return LocalName(t.Name) + "Definition" }
func (t toolFile) commandName() string    { return LocalName(t.Name) + "Command" }
