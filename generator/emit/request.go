package emit

import (
	"github.com/dave/jennifer/jen"

	"github.com/pdppmcp/pdpp-mcp/generator/plan"
)

// query builds the query string and the body, in the order of the arguments.
func (t toolFile) query() []jen.Code {
	steps := added("query", "Query", t.tool.Request.Query)
	return append(steps, added("body", "Body", t.tool.Request.Body)...)
}

func added(variable, typeName string, parameters []plan.Parameter) []jen.Code {
	if len(parameters) == 0 {
		return nil
	}
	steps := []jen.Code{jen.Var().Id(variable).Add(runtime("rs", typeName))}
	for _, parameter := range parameters {
		step := jen.Id(variable).Dot(parameter.Method).Call(jen.Lit(parameter.Name), value(parameter.Value))
		if parameter.With != nil {
			step = jen.If(value(*parameter.With).Op("!=").Nil()).Block(step)
		}
		steps = append(steps, step)
	}
	return steps
}

// requestLiteral returns the request or the change, and the steps before it.
func (t toolFile) requestLiteral() (steps []jen.Code, literal jen.Code) {
	request := t.tool.Request
	requestPath := path(request.Path)
	if request.Other != nil {
		steps = append(steps, jen.Id("path").Op(":=").Add(requestPath), otherPaths(request.Other))
		requestPath = jen.Id("path")
	}
	members := optional(nil, request.Changes(), "Method", jen.Lit(request.Method))
	members = append(members, member{"Path", requestPath})
	members = optional(members, len(request.Query) > 0, "Query", jen.Id("query"))
	members = optional(members, len(request.Body) > 0, "Body", jen.Op("&").Id("body"))
	if sources := request.Sources; sources != nil {
		members = append(members,
			member{"Sources", runtime(sources.Package, sources.Function).Add(structLiteral(fields(*sources)))})
	}
	if request.Changes() {
		return steps, runtime("rs", "Change").Add(structLiteral(members))
	}
	return steps, runtime("rs", "Request").Add(structLiteral(members))
}

func path(planned plan.Path) jen.Code {
	segments := make([]jen.Code, 0, len(planned))
	for _, segment := range planned {
		if segment.Value != nil {
			segments = append(segments, value(*segment.Value))
			continue
		}
		segments = append(segments, jen.Lit(segment.Literal))
	}
	return runtime("rs", "JoinPath").Call(segments...)
}

// otherPaths replaces the path for some values of an argument.
func otherPaths(other *plan.OtherPaths) jen.Code {
	cases := make([]jen.Code, 0, len(other.Paths))
	for _, choice := range other.Paths {
		cases = append(cases, jen.Case(jen.Lit(choice.When)).Block(jen.Id("path").Op("=").Add(path(choice.Path))))
	}
	by := value(other.By)
	if !other.Given {
		return jen.Switch(by).Block(cases...)
	}
	return jen.If(value(other.By).Op("!=").Nil()).Block(jen.Switch(jen.Op("*").Add(by)).Block(cases...))
}
