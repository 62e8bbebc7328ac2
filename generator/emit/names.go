package emit

import (
	"github.com/dave/jennifer/jen"

	"github.com/pdppmcp/pdpp-mcp/generator/plan"
)

// Names returns the Go file of package tool with the names that hand-written code uses: the tools and arguments of the
// calls that results suggest, and the advice after a refusal. It is not in gen, which runtime packages do not import.
func Names(surface *plan.Plan) ([]byte, error) {
	file := newFileOf("tool", runtimePath("tool"), surfaceSource)
	constants := make([]jen.Code, 0, len(surface.Names))
	for _, name := range surface.Names {
		constants = append(constants, jen.Id(name.Constant).Op("=").Lit(name.Value))
	}
	file.Add(comment("The tools that results and refusals lead to, and the arguments that they are called with.")).
		Line().Const().Defs(constants...).Line()
	rows := make([]jen.Code, 0, len(surface.Advice))
	for _, advice := range surface.Advice {
		show := "noSchema"
		if advice.Show != "" {
			show = advice.Show
		}
		rows = append(rows, jen.Lit(advice.Code).Op(":").Values(jen.Id(show), jen.Lit(advice.Hint)))
	}
	file.Add(comment("adviceFor holds what to do after each code of the RS.")).
		Line().Var().Id("adviceFor").Op("=").Map(jen.String()).Id("advice").Add(braces(rows, true))
	return rendered(file)
}
