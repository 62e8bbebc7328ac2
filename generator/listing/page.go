package listing

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/generator/ordered"
	"github.com/pdppmcp/pdpp-mcp/generator/plan"
	"github.com/pdppmcp/pdpp-mcp/toolspec"
)

// Page returns the reference page of one tool, in Markdown.
func Page(tool plan.Tool) ([]byte, error) {
	example, err := exampleCall(tool)
	if err != nil {
		return nil, err
	}
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
	page.paragraph("```json\n%s```", example)
	return page.bytes(), nil
}

// paths lists the requests to the resource server.
func (m *markdown) paths(tool plan.Tool) {
	m.paragraph("## Resource server")
	m.line("")
	m.line("- `%s`", tool.Endpoint)
	if tool.Request == nil || tool.Request.Other == nil {
		return
	}
	for _, other := range tool.Request.Other.Paths {
		m.line("- `GET %s` when `%s` is `%s`", pathTemplate(other.Path), tool.Request.Other.Argument, other.When)
	}
}

func pathTemplate(path plan.Path) string {
	var template strings.Builder
	for _, segment := range path {
		template.WriteByte('/')
		if segment.Value != nil {
			template.WriteString("{" + segment.Name + "}")
			continue
		}
		template.WriteString(segment.Literal)
	}
	return template.String()
}

func (m *markdown) arguments(tool plan.Tool) {
	m.paragraph("## Arguments")
	m.argumentTable(tool.Arguments)
}

// argumentTable describes arguments.
func (m *markdown) argumentTable(arguments []plan.Argument) {
	m.table([]string{"argument", "type", "required", "meaning", "how it is sent"})
	for _, argument := range arguments {
		m.row("`"+argument.Name+"`", argument.Type.Name, yes(argument.Required), argument.Meaning(), argument.SentAs)
	}
}

// checks lists what is refused before anything is read.
func (m *markdown) checks(tool plan.Tool) {
	m.paragraph("## Checked before the resource server is asked")
	m.line("")
	m.line(
		"- An argument that is not in the table is refused with `unknown_argument`; a wrong type or value is refused too.")
	for _, argument := range tool.Arguments {
		if argument.Check != nil {
			m.line("- `%s`: %s", argument.Name, argument.Check.Doc)
		}
	}
	if tool.Target != nil {
		m.line("- The record is named once, and the source that an id carries is the one that `connection_id` names.")
	}
	for _, precondition := range tool.Preconditions {
		m.line("- %s%s", precondition.Doc, whenGiven(precondition))
	}
}

func whenGiven(precondition plan.Precondition) string {
	if precondition.When == nil {
		return ""
	}
	names := make([]string, 0, len(precondition.When))
	for _, value := range precondition.When {
		names = append(names, "`"+value.Name+"`")
	}
	return " Only when " + strings.Join(names, " or ") + " is given."
}

func (m *markdown) output(tool plan.Tool) {
	m.paragraph("## Structured output")
	m.paragraph("Any member may be absent. A refusal has `error`. [Its JSON Schema](output/%s.json) is for programs.",
		tool.Name)
	m.table([]string{"member", "type", "meaning"})
	m.properties("", tool.Output.Properties)
	var promises []string
	for _, call := range []*plan.Call{tool.Render, tool.Operation} {
		if call != nil {
			promises = append(promises, call.Promises...)
		}
	}
	if promises != nil {
		m.line("")
	}
	for _, promise := range promises {
		m.line("- %s", promise)
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
func (m *markdown) readOn(tool plan.Tool) {
	if tool.Request == nil || tool.Request.ReadOn == nil {
		return
	}
	m.paragraph("## Where the resource server refuses")
	m.paragraph("%s", tool.Request.ReadOn.Doc)
	m.line("")
	for _, promise := range tool.Request.ReadOn.Promises {
		m.line("- %s", promise)
	}
}

// exampleCall returns an example of a call's params, with the required arguments.
func exampleCall(tool plan.Tool) ([]byte, error) {
	arguments := ordered.Object{}
	for _, argument := range tool.Arguments {
		if argument.Required || tool.Target.IsID(argument) {
			arguments = append(arguments, ordered.Member{Name: argument.Name, Value: exampleValue(argument)})
		}
	}
	return ordered.Indented(ordered.Object{{Name: "name", Value: tool.Name}, {Name: "arguments", Value: arguments}})
}

func exampleValue(argument plan.Argument) any {
	switch {
	case argument.Enum != nil:
		return argument.Enum[0]
	case argument.Type.Name == "integer" && argument.Minimum != nil:
		return *argument.Minimum
	case argument.Type.Name == "integer":
		return 1
	case argument.Type.Name == "boolean":
		return true
	}
	return fmt.Sprintf("<%s>", argument.Name)
}
