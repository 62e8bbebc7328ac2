package plan

import (
	"strings"

	"github.com/pdppmcp/pdpp-mcp/toolspec"
)

func (b builder) request(spec *toolspec.Request) *Request {
	request := &Request{Method: spec.Method, Path: b.path(spec.Path)}
	if spec.PathBy != nil {
		request.Other = b.otherPaths(spec.PathBy)
	}
	for _, argument := range b.spec.Arguments {
		switch argument.Send {
		case "", toolspec.SendPath: // in the path, or part of the target
		case toolspec.SendBody:
			request.Body = append(request.Body, b.parameter(argument))
		default:
			request.Query = append(request.Query, b.parameter(argument))
		}
	}
	if spec.Sources != nil {
		request.Sources = b.call("rs", toolspec.SourceWords.Get(spec.Sources.From), spec.Sources.With)
	}
	if spec.ReadOn != nil {
		request.ReadOn = b.call("scan", toolspec.ReadOnWords.Get(spec.ReadOn.As), spec.ReadOn.With)
	}
	return request
}

// parameter plans how an argument is sent.
func (b builder) parameter(spec toolspec.Argument) Parameter {
	parameter := Parameter{
		Method: toolspec.Sends.On(spec.Send, spec.Type).Function, Name: spec.SentName(),
		Value: b.input(spec.Name, true),
	}
	// An id may name its source, so the target's connection is sent (R-HAND-3).
	if target := b.spec.Target; target != nil && target.ConnectionID == spec.Name {
		parameter.Value = b.value(targetVariable+"."+toolspec.OptionalTargetPart, toolspec.KindOptionalString)
	}
	if spec.SentWith != "" {
		with := b.input(spec.SentWith, false)
		parameter.With = &with
	}
	return parameter
}

// path reads a path template. A segment is a literal or {value}.
func (b builder) path(template string) Path {
	var path Path
	for part := range strings.SplitSeq(strings.TrimPrefix(template, "/"), "/") {
		name, isValue := strings.CutPrefix(part, "{")
		if !isValue {
			path = append(path, Segment{Literal: part})
			continue
		}
		name = strings.TrimSuffix(name, "}")
		value := b.value(name, toolspec.KindString)
		path = append(path, Segment{Name: name, Value: &value})
	}
	return path
}

func (b builder) otherPaths(spec *toolspec.PathBy) *OtherPaths {
	other := &OtherPaths{
		Argument: spec.Argument,
		By:       b.input(spec.Argument, false),
		Given:    !b.spec.Argument(spec.Argument).Required,
	}
	for _, binding := range spec.Values {
		other.Paths = append(other.Paths, OtherPath{When: binding.Name, Path: b.path(binding.Value)})
	}
	return other
}
