package plan

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/toolspec"
)

func (b *builder) request(spec *toolspec.Request) *Request {
	switch {
	case spec.Method != toolspec.Method && !b.spec.Terminal():
		b.refuse("request.method", "only GET is read-only, got %q", spec.Method)
	case !slices.Contains(toolspec.Methods, spec.Method):
		b.refuse("request.method", "a command sends one of %v, got %q", toolspec.Methods, spec.Method)
	}
	request := &Request{Method: spec.Method, Path: b.path("request.path", spec.Path)}
	if spec.PathBy != nil {
		request.Other = b.otherPaths(spec.PathBy)
	}
	for i, argument := range b.spec.Arguments {
		parameter, ok := b.parameter(fmt.Sprintf("arguments[%d].send", i), argument)
		switch {
		case !ok:
		case argument.Send == toolspec.SendBody:
			request.Body = append(request.Body, parameter)
		default:
			request.Query = append(request.Query, parameter)
		}
	}
	if spec.Sources != nil {
		request.Sources = b.call("request.sources", "rs", toolspec.SourceWords, spec.Sources.From, spec.Sources.With)
	}
	return request
}

// parameter plans how an argument is sent. It is false for an argument that the path holds.
func (b *builder) parameter(place string, spec toolspec.Argument) (Parameter, bool) {
	if spec.Send == "" || spec.Send == toolspec.SendPath {
		return Parameter{}, false
	}
	word, ok := toolspec.Sends.Find(spec.Send)
	if !ok {
		b.refuse(place, "unknown word %q", spec.Send)
		return Parameter{}, false
	}
	method, ok := word.FunctionFor(spec.Type)
	if !ok {
		b.refuse(place, "%s does not send a %s", spec.Send, spec.Type)
		return Parameter{}, false
	}
	parameter := Parameter{Method: method, Name: spec.Name, Value: b.arguments[spec.Name].input()}
	if spec.As != "" {
		parameter.Name = spec.As
	}
	// The target knows the source that an id carries, so its connection is the one to send (R-HAND-3).
	if target := b.spec.Target; target != nil && target.ConnectionID == spec.Name {
		parameter.Value = Value{Name: "target.connection_id", Variable: targetVariable, Field: "ConnectionID"}
	}
	return parameter, true
}

// path reads a path template. A segment is a literal or {value}.
func (b *builder) path(place, template string) Path {
	var path Path
	for _, part := range strings.Split(strings.TrimPrefix(template, "/"), "/") {
		inner, opened := strings.CutPrefix(part, "{")
		inner, closed := strings.CutSuffix(inner, "}")
		switch {
		case opened && closed:
			value := b.value(place, inner, toolspec.KindString)
			path = append(path, Segment{Name: inner, Value: &value})
		case part == "" || strings.ContainsAny(part, "{}?#"):
			b.refuse(place, "segment %q is neither a literal nor {argument}", part)
		default:
			path = append(path, Segment{Literal: part})
		}
	}
	return path
}

func (b *builder) otherPaths(spec *toolspec.PathBy) *OtherPaths {
	argument, ok := b.arguments[spec.Argument]
	if !ok {
		b.refuse("request.path_by.argument", "no argument %q", spec.Argument)
		return nil
	}
	other := &OtherPaths{
		Argument: argument.Name,
		By:       Value{Name: argument.Name, Variable: inputVariable, Field: argument.Field},
		Given:    !argument.Required,
	}
	for _, binding := range spec.Values {
		place := "request.path_by.values." + binding.Name
		other.Paths = append(other.Paths, OtherPath{When: binding.Name, Path: b.path(place, binding.Value)})
	}
	return other
}
