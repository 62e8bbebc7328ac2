package emit

import (
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/pdppmcp/pdpp-mcp/generator/plan"
)

// answer returns the answer of a function that sends the request, or of one that makes a result of its response.
func (t toolFile) answer(call plan.Call) []jen.Code {
	steps, request := t.requestLiteral()
	if call.Answers {
		return append(steps, jen.Return(t.resultOf(withReadOn(call, t.tool.Request.ReadOn), request)))
	}
	sent := jen.Id("env").Dot("RS").Dot("Get")
	if t.tool.Request.Changes() {
		sent = jen.Id("env").Dot("Writer").Dot("Send")
	}
	return append(steps,
		jen.List(jen.Id("response"), jen.Err()).Op(":=").Add(sent.Call(jen.Id("ctx"), request)),
		returnOnError(),
		jen.Return(runtime("tool", "Rendered").Call(t.resultOf(call, jen.Id("response")))),
	)
}

// withReadOn adds the fields of read_on to those of a function that answers. It may be nil.
func withReadOn(call plan.Call, readOn *plan.Call) plan.Call {
	if readOn == nil {
		return call
	}
	for _, field := range readOn.Fields {
		if !slices.ContainsFunc(call.Fields, func(known plan.Field) bool { return known.Name == field.Name }) {
			call.Fields = append(call.Fields, field)
		}
	}
	return call
}

// resultOf calls a function that makes a result, with what it is made from.
func (t toolFile) resultOf(call plan.Call, from ...jen.Code) jen.Code {
	given := input(call)
	if call.Continues && t.usesGiven() {
		members := append([]member{{"Call", t.given()}}, fields(call)...)
		given = runtime(call.Package, call.Function+"Input").Add(braces(keyed(members), true))
	}
	parameters := append([]jen.Code{jen.Id("ctx"), jen.Id("env")}, from...)
	return runtime(call.Package, call.Function).Call(append(parameters, given)...)
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
