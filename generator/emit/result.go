package emit

import (
	"github.com/dave/jennifer/jen"

	"github.com/pdppmcp/pdpp-mcp/generator/plan"
)

// render returns the answer, whose function makes a result of the response.
func (t toolFile) render() jen.Code {
	return jen.Return(jen.Op("&").Add(runtime("tool", "Answer")).Values(
		jen.Id("Response").Op(":").Id("response"),
		jen.Id("Render").Op(":").Func().Params().Params(jen.Op("*").Add(runtime("tool", "Result")), jen.Error()).Block(
			jen.Return(t.resultOf(t.tool.Render, "response")),
		),
	), jen.Nil())
}

// whenRefused ends a call whose request was refused: with the refusal, or with what answers otherwise.
func (t toolFile) whenRefused() jen.Code {
	if t.tool.Otherwise == nil {
		return returnOnError()
	}
	return jen.If(jen.Err().Op("!=").Nil()).Block(answered(t.resultOf(t.tool.Otherwise, "err")))
}

// answered returns the answer that has the result of a call.
func answered(call jen.Code) jen.Code {
	return jen.Return(runtime("tool", "Answered").Call(call))
}

// resultOf calls the function that makes a result of the response or of the refusal.
func (t toolFile) resultOf(call *plan.Call, from string) jen.Code {
	given := input(*call)
	if call.Continues && t.continues() {
		members := append([]member{{"Call", t.given()}}, fields(*call)...)
		given = runtime(call.Package, call.Function+"Input").Add(braces(keyed(members), true))
	}
	return runtime(call.Package, call.Function).Call(jen.Id("ctx"), jen.Id("env"), jen.Id(from), given)
}

// given returns the call as it came, for the calls that continue it (R-HAND-10).
func (t toolFile) given() jen.Code {
	members := []member{
		{"Tool", jen.Lit(t.tool.Name)},
		{"Arguments", jen.Id("given")},
		{"Accepted", jen.Id(t.namesName()).Dot("Accepted")},
	}
	var renamed []jen.Code
	for _, argument := range t.tool.Arguments {
		if argument.SentName != argument.Name {
			renamed = append(renamed, jen.Lit(argument.SentName).Op(":").Lit(argument.Name))
		}
	}
	members = optional(members, renamed != nil, "Renamed", jen.Map(jen.String()).String().Add(braces(renamed, false)))
	return runtime("render", "Given").Add(onOneLine(members))
}

// operate calls the operation, in place of a request and its renderer.
func (t toolFile) operate() jen.Code {
	call := t.tool.Operation
	return answered(runtime(call.Package, call.Function).Call(jen.Id("ctx"), jen.Id("env"), input(*call)))
}
