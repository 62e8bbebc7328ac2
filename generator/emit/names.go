package emit

import (
	"cmp"

	"github.com/dave/jennifer/jen"

	"github.com/pdppmcp/pdpp-mcp/toolspec"
)

// Names returns the Go file of package tool with the names that hand-written code uses: the tools and arguments of the
// calls that results suggest, and the advice after a refusal. It is not in gen, which runtime packages do not import.
func Names(surface *toolspec.Surface) []byte {
	file := newFileOf("tool", runtimePath("tool"), surfaceSource)
	var constants []jen.Code
	for _, call := range surface.Calls {
		word := toolspec.Calls.Get(call.Call)
		constants = append(constants, jen.Id(word.Function+"Tool").Op("=").Lit(call.Tool))
		for _, parameter := range word.Parameters {
			if name, found := call.With.Get(parameter.Name); found {
				constants = append(constants, jen.Id(word.Function+GoName(parameter.Name)).Op("=").Lit(name))
			}
		}
	}
	file.Add(comment("The tools that results and refusals lead to, and the arguments that they are called with.")).
		Line().Const().Defs(constants...).Line()
	var rows []jen.Code
	for _, refusal := range surface.Refusals() {
		show := cmp.Or(toolspec.Shows.Get(refusal.Show).Function, "noSchema")
		rows = append(rows, jen.Lit(refusal.Code).Op(":").Values(jen.Id(show), jen.Lit(refusal.Hint)))
	}
	file.Add(comment("adviceFor holds what to do after each code of the RS.")).
		Line().Var().Id("adviceFor").Op("=").Map(jen.String()).Id("advice").Add(braces(rows, true))
	return written(file)
}
