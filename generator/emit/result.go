package emit

import (
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/pdppmcp/pdpp-mcp/generator/plan"
)

// render returns the answer, whose function makes a result of the response.
func (t toolFile) render() jen.Code {
	return jen.Return(jen.Op("&").Add(runtime("tool", "Answer")).Values(
		jen.Id("Response").Op(":").Id("response"),
		jen.Id("Render").Op(":").Func().Params().Params(jen.Op("*").Add(runtime("tool", "Result")), jen.Error()).Block(
			jen.Return(t.resultOf(t.tool.Render, jen.Id("response"))),
		),
	), jen.Nil())
}

// read returns the answer of a function that reads, with the function that renders it.
func (t toolFile) read(call *plan.Call, request jen.Code) []jen.Code {
	return []jen.Code{
		jen.List(jen.Id("found"), jen.Err()).Op(":=").Add(t.resultOf(call, request)),
		returnOnError(),
		jen.Return(runtime("tool", "Answered").Call(jen.Id("found"), runtime("render", call.Renderer)), jen.Nil()),
	}
}

// resultOf calls a function that makes a result, with what it is made from.
func (t toolFile) resultOf(call *plan.Call, from ...jen.Code) jen.Code {
	given := input(*call)
	if call.Continues && t.usesGiven() {
		members := append([]member{{"Call", t.given()}}, fields(*call)...)
		given = runtime(call.Package, call.Function+"Input").Add(braces(keyed(members), true))
	}
	parameters := append([]jen.Code{jen.Id("ctx"), jen.Id("env")}, from...)
	return runtime(call.Package, call.Function).Call(append(parameters, given)...)
}

// answerOf calls a function that reads and answers.
func (t toolFile) answerOf(call plan.Call, request jen.Code) jen.Code {
	if readOn := t.tool.Request.ReadOn; readOn != nil {
		for _, field := range readOn.Fields {
			if !slices.ContainsFunc(call.Fields, func(known plan.Field) bool { return known.Name == field.Name }) {
				call.Fields = append(call.Fields, field)
			}
		}
	}
	return t.resultOf(&call, request)
}

// given returns the call as it came, for the calls that continue it (R-HAND-10).
func (t toolFile) given() jen.Code {
	members := []member{
		{"Tool", jen.Lit(t.tool.Name)},
		{"Arguments", jen.Id("given")},
		{"Accepted", jen.Id(t.namesName()).Dot("Accepted")},
	}
	return runtime("answer", "Given").Add(onOneLine(members))
}

// operate calls the operation, with the request if there is one, in place of a renderer.
func (t toolFile) operate(request ...jen.Code) jen.Code {
	return jen.Return(runtime("tool", "Rendered").Call(t.resultOf(t.tool.Operation, request...)))
}
