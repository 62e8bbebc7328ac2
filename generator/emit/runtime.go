package emit

import (
	"cmp"
	"maps"
	"slices"
	"strings"

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

// Records returns the Go file of package tool with the names of fields that hand-written code knows by their meaning.
func Records(records toolspec.RecordsFile) []byte {
	file := newFileOf("tool", runtimePath("tool"), "toolspec/records.yaml")
	roles := make([]jen.Code, 0, len(records.Roles))
	for _, role := range records.Roles {
		members := []member{{"Fields", stringList(role.Fields)}}
		members = optional(members, role.Advertised != nil, "Advertised", stringList(role.Advertised))
		roles = append(roles, jen.Id(toolspec.Roles.Get(role.Role).Function).Op("=").Id("Role").Add(structLiteral(members)))
	}
	file.Add(comment("The roles of fields (R-FIND-4).")).Line().Var().Defs(roles...).Line()
	rows := make([]jen.Code, 0, len(records.Conversations))
	for _, conversation := range records.Conversations {
		members := []member{{"Fields", stringList(conversation.Fields)}}
		members = optional(members, conversation.Replies != nil, "Replies", stringList(conversation.Replies))
		members = optional(members, conversation.With != "", "With", jen.Lit(conversation.With))
		members = optional(members, conversation.NearHours != 0, "NearHours", jen.Lit(conversation.NearHours))
		rows = append(rows, onOneLine(members))
	}
	file.Add(comment("Conversations lists the fields that tie records together, in order of preference (R-FIND-3).")).
		Line().Var().Id("Conversations").Op("=").Index().Id("Conversation").Add(braces(rows, true)).Line()
	file.Add(comment("StopWords are left out of a search that has no hit as given (R-FIND-1).")).
		Line().Var().Id("StopWords").Op("=").Add(stringList(records.Words.Stop)).Line()
	file.Add(comment("EndingsOff and EndingsOn make other forms of a word, in the order in which they are tried.")).
		Line().Var().Defs(
		jen.Id("EndingsOff").Op("=").Add(stringList(records.Words.EndingsOff)),
		jen.Id("EndingsOn").Op("=").Add(stringList(records.Words.EndingsOn)),
	)
	return written(file)
}

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
