package emit

import (
	"github.com/dave/jennifer/jen"

	"github.com/pdppmcp/pdpp-mcp/toolspec"
)

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
