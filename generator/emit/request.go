package emit

import (
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/pdppmcp/pdpp-mcp/toolspec"
)

// request returns the request or the change, and the steps before it.
func (t toolFile) request() (steps []jen.Code, literal jen.Code) {
	request := t.Request
	query, body := t.sent()
	steps = append(query, body...)
	requestPath := t.path(request.Path)
	if request.PathBy != nil {
		steps = append(steps, jen.Id("path").Op(":=").Add(requestPath), t.pathBy())
		requestPath = jen.Id("path")
	}
	members := optional(nil, request.Changes(), "Method", jen.Lit(request.Method))
	members = append(members, member{"Path", requestPath})
	members = optional(members, query != nil, "Query", jen.Id("query"))
	members = optional(members, body != nil, "Body", jen.Op("&").Id("body"))
	if sources := request.Sources; sources != nil {
		call := t.callOf(toolspec.SourceWords.Get(sources.From), sources.With)
		members = append(members,
			member{"Sources", runtime(call.word.Package, call.word.Function).Add(structLiteral(call.members))})
	}
	if request.Changes() {
		return steps, runtime("rs", "Change").Add(structLiteral(members))
	}
	return steps, runtime("rs", "Request").Add(structLiteral(members))
}

// sent returns the steps that build the query string and the body, in the order of the arguments.
func (t toolFile) sent() (query, body []jen.Code) {
	for _, argument := range t.Arguments {
		switch argument.Send {
		case "", toolspec.SendPath: // in the path, or part of the target
		case toolspec.SendBody:
			body = t.add(body, "body", "Body", argument)
		default:
			query = t.add(query, "query", "Query", argument)
		}
	}
	return query, body
}

// add adds the step that sends an argument in a variable, and declares the variable first.
func (t toolFile) add(steps []jen.Code, variable, typeName string, argument toolspec.Argument) []jen.Code {
	if steps == nil {
		steps = []jen.Code{jen.Var().Id(variable).Add(runtime("rs", typeName))}
	}
	value := t.argument(argument.Name, true)
	if t.Target != nil && t.Target.ConnectionID == argument.Name {
		// An id may name its source, so the target's connection is sent (R-HAND-3).
		value = t.value(toolspec.TargetWord+"."+toolspec.OptionalTargetPart, toolspec.KindOptionalString)
	}
	method := toolspec.Sends.On(argument.Send, argument.Type).Function
	step := jen.Id(variable).Dot(method).Call(jen.Lit(argument.SentName()), value)
	if argument.SentWith != "" {
		step = jen.If(input(argument.SentWith).Op("!=").Nil()).Block(step)
	}
	return append(steps, step)
}

// path returns a path, segment by segment. A segment is a literal or {value}.
func (t toolFile) path(template string) jen.Code {
	var segments []jen.Code
	for part := range strings.SplitSeq(strings.TrimPrefix(template, "/"), "/") {
		if name, isValue := strings.CutPrefix(part, "{"); isValue {
			segments = append(segments, t.value(strings.TrimSuffix(name, "}"), toolspec.KindString))
			continue
		}
		segments = append(segments, jen.Lit(part))
	}
	return runtime("rs", "JoinPath").Call(segments...)
}

// pathBy replaces the path for some values of an argument.
func (t toolFile) pathBy() jen.Code {
	spec := t.Request.PathBy
	var cases []jen.Code
	for _, value := range spec.Values {
		cases = append(cases, jen.Case(jen.Lit(value.Name)).Block(jen.Id("path").Op("=").Add(t.path(value.Value))))
	}
	if t.Argument(spec.Argument).Required {
		return jen.Switch(input(spec.Argument)).Block(cases...)
	}
	return jen.If(input(spec.Argument).Op("!=").Nil()).
		Block(jen.Switch(jen.Op("*").Add(input(spec.Argument))).Block(cases...))
}

// answer calls the function that answers, or makes a result of the response to the request.
func (t toolFile) answer() []jen.Code {
	call := t.answering()
	if t.Request == nil {
		return []jen.Code{jen.Return(t.resultOf(call))}
	}
	steps, request := t.request()
	if call.word.Answers {
		return append(steps, jen.Return(t.resultOf(call, request)))
	}
	sent := jen.Id("env").Dot("RS").Dot("Get")
	if t.Request.Changes() {
		sent = jen.Id("env").Dot("Writer").Dot("Send")
	}
	return append(steps,
		jen.List(jen.Id("response"), jen.Err()).Op(":=").Add(sent.Call(jen.Id("ctx"), request)),
		returnOnError(),
		jen.Return(runtime("tool", "Rendered").Call(t.resultOf(call, jen.Id("response")))),
	)
}

// resultOf calls a function that makes a result, with what it is made from.
func (t toolFile) resultOf(call call, from ...jen.Code) jen.Code {
	var given []member
	if call.word.Continues && t.usesGiven() {
		given = []member{{"Call", t.given()}}
	}
	parameters := append([]jen.Code{jen.Id("ctx"), jen.Id("env")}, from...)
	return runtime(call.word.Package, call.word.Function).Call(append(parameters, call.input(given...))...)
}

// given returns the call as it came, for the calls that continue it (R-HAND-10).
func (t toolFile) given() jen.Code {
	members := []member{
		{"Tool", jen.Lit(t.Name)},
		{"Arguments", jen.Id("given")},
		{"Accepted", jen.Id(t.namesName()).Dot("Accepted")},
	}
	return runtime("answer", "Given").Add(onOneLine(members))
}
