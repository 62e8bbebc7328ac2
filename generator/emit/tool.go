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

// resolveTarget finds the record that the arguments name.
func (t toolFile) resolveTarget() []jen.Code {
	target := t.Target
	if target == nil {
		return nil
	}
	members := []member{{"ID", jen.Lit(target.ID)}, {"ConnectionID", jen.Lit(target.ConnectionID)}}
	members = optional(members, target.Stream != "", "Stream", jen.Lit(target.Stream))
	members = optional(members, target.RecordID != "", "RecordID", jen.Lit(target.RecordID))
	literal := runtime("argument", "TargetInput").Add(structLiteral(members))
	return []jen.Code{
		jen.List(jen.Id("target"), jen.Err()).Op(":=").Add(runtime("argument", "ResolveTarget")).Call(jen.Id("given"),
			literal),
		returnOnError(),
	}
}

// preconditions calls the gates, in the order of the spec.
func (t toolFile) preconditions() []jen.Code {
	var steps []jen.Code
	for _, spec := range t.Preconditions {
		call := t.callOf(toolspec.Gates.Get(spec.Gate), spec.With)
		gate := []jen.Code{
			jen.Err().Op("=").Add(runtime(call.word.Package, call.word.Function)).
				Call(jen.Id("ctx"), jen.Id("env"), jen.Id("given"), call.input()),
			returnOnError(),
		}
		if spec.When != nil {
			gate = []jen.Code{jen.If(anyGiven(spec.When)).Block(gate...)}
		}
		steps = append(steps, gate...)
	}
	return steps
}

func anyGiven(names []string) jen.Code {
	condition := &jen.Statement{}
	for i, name := range names {
		if i > 0 {
			condition.Op("||")
		}
		condition.Add(input(name)).Op("!=").Nil()
	}
	return condition
}
