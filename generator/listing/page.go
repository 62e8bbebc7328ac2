package listing

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/generator/ordered"
	"github.com/pdppmcp/pdpp-mcp/toolspec"
)

// Page returns the reference page of one tool, in Markdown.
func Page(tool toolspec.Tool) []byte {
	page := newPage(tool.File, tool.Name)
	page.paragraph("%s.", tool.Title)
	page.paragraph("%s", tool.Description)
	page.paths(tool)
	page.arguments(tool)
	page.checks(tool)
	page.output(tool)
	page.readOn(tool)
	page.paragraph("## Example")
	page.paragraph("The parameters of `tools/call`:")
	page.paragraph("```json\n%s```", exampleCall(tool))
	return page.bytes()
}

// paths lists the requests to the resource server.
func (m *markdown) paths(tool toolspec.Tool) {
	m.paragraph("## Resource server")
	m.line("")
	m.line("- `%s`", tool.Endpoint)
	if tool.Request == nil || tool.Request.PathBy == nil {
		return
	}
	by := tool.Request.PathBy
	for _, other := range by.Values {
		m.line("- `GET %s` when `%s` is `%s`", other.Value, by.Argument, other.Name)
	}
}

func (m *markdown) arguments(tool toolspec.Tool) {
	m.paragraph("## Arguments")
	m.table([]string{"argument", "type", "required", "meaning", "how it is sent"})
	for _, argument := range tool.Arguments {
		// The vocabulary writes name where the RS's name of the argument goes.
		sent := toolspec.Sends.On(argument.Send, argument.Type).Doc
		m.row("`"+argument.Name+"`", argument.Type, yes(argument.Required), argument.Meaning(),
			strings.ReplaceAll(sent, "name", argument.SentName()))
	}
}

// checks lists what is refused before anything is read.
func (m *markdown) checks(tool toolspec.Tool) {
	m.paragraph("## Checked before the resource server is asked")
	m.line("")
	m.line(
		"- An argument that is not in the table is refused with `unknown_argument`; a wrong type or value is refused too.")
	for _, argument := range tool.Arguments {
		if argument.Check != "" {
			m.line("- `%s`: %s", argument.Name, toolspec.Checks.Get(argument.Check).Doc)
		}
	}
	if tool.Target != nil {
		m.line("- The record is named once, and the source that an id carries is the one that `connection_id` names.")
	}
	for _, precondition := range tool.Preconditions {
		m.line("- %s%s", toolspec.Gates.Get(precondition.Gate).Doc, whenGiven(precondition.When))
	}
}

func whenGiven(names []string) string {
	if names == nil {
		return ""
	}
	return " Only when `" + strings.Join(names, "` or `") + "` is given."
}

func (m *markdown) output(tool toolspec.Tool) {
	m.paragraph("## Structured output")
	m.paragraph("Any member may be absent. A refusal has `error`. [Its JSON Schema](output/%s.json) is for programs.",
		tool.Name)
	m.table([]string{"member", "type", "meaning"})
	m.properties("", tool.Structured.Properties)
	if tool.Promises != nil {
		m.list(tool.Promises)
	}
}

// list writes an empty line and then a list.
func (m *markdown) list(items []string) {
	m.line("")
	for _, item := range items {
		m.line("- %s", item)
	}
}

// jsonTypes are the types of properties whose words are not names of types.
var jsonTypes = map[string]string{
	"string_list": "array", "calls": "array", "reading": "object", "refusal": "object",
	"scalar": "any but array and object",
}

// properties lists the members of an object, and of the objects in it.
func (m *markdown) properties(inside string, properties []toolspec.Property) {
	for _, property := range properties {
		m.row("`"+inside+property.Name+"`", cmp.Or(jsonTypes[property.Type], property.Type), property.Description)
		below := inside + property.Name + "."
		if property.Type == "array" {
			below = inside + property.Name + "[]."
		}
		m.properties(below, property.Properties)
	}
}

// readOn says what the adapter answers in the place of the resource server (R-SCAN-2).
func (m *markdown) readOn(tool toolspec.Tool) {
	if tool.Request == nil || tool.Request.ReadOn == nil {
		return
	}
	m.paragraph("## Where the resource server refuses")
	readOn := tool.Request.ReadOn
	m.paragraph("%s", toolspec.ReadOnWords.Get(readOn.As).Doc)
	m.list(readOn.Promises)
}

// exampleCall returns an example of a call's params, with the required arguments.
func exampleCall(tool toolspec.Tool) []byte {
	arguments := ordered.Object{}
	for _, argument := range tool.Arguments {
		if argument.Required || tool.Target != nil && tool.Target.ID == argument.Name {
			arguments = append(arguments, ordered.Member{Name: argument.Name, Value: exampleValue(argument)})
		}
	}
	return ordered.Indented(ordered.Object{{Name: "name", Value: tool.Name}, {Name: "arguments", Value: arguments}})
}

func exampleValue(argument toolspec.Argument) any {
	switch {
	case argument.Enum != nil:
		return argument.Enum[0]
	case argument.Type == "integer" && argument.Minimum != nil:
		return *argument.Minimum
	case argument.Type == "integer":
		return 1
	}
	return fmt.Sprintf("<%s>", argument.Name)
}
