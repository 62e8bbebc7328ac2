package emit

import "github.com/dave/jennifer/jen"

// answer calls the function that answers, or makes a result of the response to the request.
func (t toolFile) answer() []jen.Code {
	call := t.answering()
	if t.Request == nil {
		return []jen.Code{jen.Return(t.resultOf(call))}
	}
	steps, request := t.request()
	if call.word.Answers {
		return append(steps, jen.Return(t.resultOf(call, request)))
	}
	sent := jen.Id("env").Dot("RS").Dot("Get")
	if t.Request.Changes() {
		sent = jen.Id("env").Dot("Writer").Dot("Send")
	}
	return append(steps,
		jen.List(jen.Id("response"), jen.Err()).Op(":=").Add(sent.Call(jen.Id("ctx"), request)),
		returnOnError(),
		jen.Return(runtime("tool", "Rendered").Call(t.resultOf(call, jen.Id("response")))),
	)
}

// resultOf calls a function that makes a result, with what it is made from.
func (t toolFile) resultOf(call call, from ...jen.Code) jen.Code {
	var given []member
	if call.word.Continues && t.usesGiven() {
		given = []member{{"Call", t.given()}}
	}
	parameters := append([]jen.Code{jen.Id("ctx"), jen.Id("env")}, from...)
	return runtime(call.word.Package, call.word.Function).Call(append(parameters, call.input(given...))...)
}

// given returns the call as it came, for the calls that continue it (R-HAND-10).
func (t toolFile) given() jen.Code {
	members := []member{
		{"Tool", jen.Lit(t.Name)},
		{"Arguments", jen.Id("given")},
		{"Accepted", jen.Id(t.namesName()).Dot("Accepted")},
	}
	return runtime("answer", "Given").Add(onOneLine(members))
}
