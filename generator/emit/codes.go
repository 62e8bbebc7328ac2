package emit

import (
	"maps"
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/pdppmcp/pdpp-mcp/toolspec"
)

// codeTypes are the types of codes by package. Other packages have untyped constants, and so have those that begin with
// Code.
var codeTypes = map[string]string{"tool": "Code", "rs": "Reason"}

// Codes returns the Go files with the constants of the codes, by the folder of their package.
func Codes(sections []toolspec.CodeSection) map[string][]byte {
	constants := map[string][]jen.Code{}
	for _, section := range sections {
		for _, code := range section.Codes {
			packageName, name, isGenerated := strings.Cut(code.Constant, ".")
			if !isGenerated {
				continue
			}
			constant := jen.Id(name)
			if codeType := codeTypes[packageName]; codeType != "" && !strings.HasPrefix(name, "Code") {
				constant.Id(codeType)
			}
			constants[packageName] = append(constants[packageName], constant.Op("=").Lit(code.Code).Comment(code.Meaning))
		}
	}
	files := map[string][]byte{}
	for _, packageName := range slices.Sorted(maps.Keys(constants)) {
		file := newFileOf(packageName, runtimePath(packageName), "toolspec/codes.yaml")
		file.Add(comment("Codes that programs can rely on (docs/interfaces.md, Exit codes and error codes).")).
			Line().Const().Defs(constants[packageName]...)
		files["runtime/"+runtimePackages[packageName]] = written(file)
	}
	return files
}
