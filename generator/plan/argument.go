package plan

import (
	"slices"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/toolspec"
)

func (b builder) argument(spec toolspec.Argument) Argument {
	word := toolspec.Type(spec.Type)
	argument := Argument{
		Argument: spec,
		Field:    GoName(spec.Name),
		Type:     word,
		Go:       goType(word.Go),
		Bounds:   spec.Bounds(),
		Reader:   word.Function,
		Complete: toolspec.Completions.On(spec.Complete, spec.Type).Function,
		// The vocabulary writes name where the RS's name of the argument goes.
		SentAs: strings.ReplaceAll(toolspec.Sends.On(spec.Send, spec.Type).Doc, "name", spec.SentName()),
	}
	if spec.Required {
		argument.Reader, argument.Go = word.RequiredFunction, goType(word.RequiredGo)
	}
	if argument.SentName = spec.SentName(); slices.ContainsFunc(b.spec.Arguments,
		func(a toolspec.Argument) bool { return a.Name == argument.SentName }) {
		argument.SentName = spec.Name // another argument has that name
	}
	if spec.Check != "" {
		check := toolspec.Checks.On(spec.Check, spec.Type)
		argument.Check = &Check{Function: check.Function, Doc: check.Doc}
	}
	return argument
}

// goType parses a type as the vocabulary spells it, such as *string or rs.Filter.
func goType(spelling string) GoType {
	var read GoType
	for _, prefix := range []string{"*", "[]"} {
		if rest, ok := strings.CutPrefix(spelling, prefix); ok {
			read.Prefix, spelling = prefix, rest
		}
	}
	if name, member, ok := strings.Cut(spelling, "."); ok {
		read.Package, read.Name = name, member
		return read
	}
	read.Name = spelling
	return read
}

// Meaning returns the argument's purpose and values, on one line.
func (a Argument) Meaning() string {
	sentences := make([]string, 0, 3)
	if a.Description != "" {
		sentences = append(sentences, a.Description)
	}
	if a.Enum != nil {
		sentences = append(sentences, "One of "+strings.Join(a.Enum, ", ")+".")
	}
	if a.Bounds != "" {
		sentences = append(sentences, strings.ToUpper(a.Bounds[:1])+a.Bounds[1:]+".")
	}
	return strings.Join(sentences, " ")
}
