package emit

import "github.com/dave/jennifer/jen"

// render turns the response into what a model sees.
func (t toolFile) render() jen.Code {
	call := t.tool.Render
	return jen.Return(runtime(call.Package, call.Function).
		Call(jen.Id("ctx"), jen.Id("env"), jen.Id("response"), input(*call)))
}

// operate stands in for request and render.
func (t toolFile) operate() jen.Code {
	call := t.tool.Operation
	return jen.Return(runtime(call.Package, call.Function).
		Call(jen.Id("ctx"), jen.Id("env"), input(*call)))
}
