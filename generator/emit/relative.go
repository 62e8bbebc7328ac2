package emit

import (
	"github.com/dave/jennifer/jen"

	"github.com/pdppmcp/pdpp-mcp/toolspec"
)

// RelativeDates returns the Go file of package argument with the forms of relative dates.
func RelativeDates(surface *toolspec.Surface) []byte {
	file := newFileOf("argument", runtimePath("argument"), surfaceSource)
	rows := make([]jen.Code, 0, len(surface.RelativeDates))
	for _, date := range surface.RelativeDates {
		rows = append(rows, jen.Values(jen.Lit(date.Match), jen.Lit(date.Unit), jen.Lit(date.Count), jen.Lit(date.Whole)))
	}
	file.Add(comment("relativeForms are the forms of relative dates, the first that matches first.")).
		Line().Var().Id("relativeForms").Op("=").Index().Id("relativeForm").Add(braces(rows, true))
	return written(file)
}
