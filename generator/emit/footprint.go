package emit

import (
	"github.com/dave/jennifer/jen"

	"github.com/pdppmcp/pdpp-mcp/generator/measure"
)

// Footprint returns the Go file with the measured size of the surface, since the server binary links no tokenizer
// (R-FOOT-3).
func Footprint(footprint measure.Footprint) []byte {
	file := newFile(surfaceSource)
	rows := make([]jen.Code, 0, len(footprint.Tools))
	for _, row := range footprint.Tools {
		rows = append(rows, footprintRow(row))
	}
	file.Add(comment("Footprint is the measured size of the advertised surface, with its budgets.")).
		Line().Func().Id("Footprint").Params().Add(runtime("tool", "Footprint")).Block(
		jen.Return(runtime("tool", "Footprint").Add(structLiteral([]member{
			{"Tools", jen.Index().Add(runtime("tool", "FootprintRow")).Add(braces(rows, true))},
			{"Total", runtime("tool", "FootprintRow").Add(footprintRow(footprint.Total))},
			{"InstructionsCharacters", jen.Lit(footprint.InstructionsCharacters)},
			{"BudgetInstructionsCharacters", jen.Lit(footprint.BudgetInstructionsCharacters)},
			{"BudgetTokens", jen.Lit(footprint.BudgetTokens)},
		}))),
	)
	return written(file)
}

func footprintRow(row measure.Row) jen.Code {
	return braces([]jen.Code{
		jen.Id("Name").Op(":").Lit(row.Name),
		jen.Id("Bytes").Op(":").Lit(row.Bytes),
		jen.Id("Tokens").Op(":").Lit(row.Tokens),
		jen.Id("BudgetBytes").Op(":").Lit(row.BudgetBytes),
	}, false)
}
