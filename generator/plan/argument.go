package plan

import (
	"fmt"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/toolspec"
)

func (b *builder) argument(place string, spec toolspec.Argument) Argument {
	argument := Argument{
		Name:        spec.Name,
		Field:       GoName(spec.Name),
		Required:    spec.Required,
		Positional:  spec.Positional,
		Description: spec.Description,
		Aliases:     spec.Aliases,
		Enum:        spec.Enum,
		Minimum:     spec.Minimum,
		Maximum:     spec.Maximum,
		SentAs:      sentAs(spec),
	}
	argumentType, ok := toolspec.FindArgumentType(spec.Type)
	if !ok {
		b.refuse(place+".type", "unknown type %q", spec.Type)
		return argument
	}
	argument.Type = argumentType
	argument.Reader, argument.Go = argumentType.Function, goType(argumentType.Go)
	if spec.Required {
		if argumentType.RequiredFunction == "" {
			b.refuse(place+".required", "a %s cannot be required: add its reader to the vocabulary", spec.Type)
			return argument
		}
		argument.Reader, argument.Go = argumentType.RequiredFunction, goType(argumentType.RequiredGo)
	}
	argument.Check = b.check(place+".check", spec)
	return argument
}

func (b *builder) check(place string, spec toolspec.Argument) *Check {
	if spec.Check == "" {
		return nil
	}
	word, ok := toolspec.Checks.Find(spec.Check)
	if !ok {
		b.refuse(place, "unknown check %q", spec.Check)
		return nil
	}
	function, ok := word.FunctionFor(spec.Type)
	if !ok {
		b.refuse(place, "%s does not check a %s", spec.Check, spec.Type)
		return nil
	}
	return &Check{Function: function, Doc: word.Doc}
}

// goType reads the spelling that the vocabulary has for a type, such as *string or rs.Filter.
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

// Meaning is what the argument is for and which values it takes, in one line.
func (a Argument) Meaning() string {
	sentences := make([]string, 0, 3)
	if a.Description != "" {
		sentences = append(sentences, a.Description)
	}
	if a.Enum != nil {
		sentences = append(sentences, "One of "+strings.Join(a.Enum, ", ")+".")
	}
	switch {
	case a.Minimum != nil && a.Maximum != nil:
		sentences = append(sentences, fmt.Sprintf("%d to %d.", *a.Minimum, *a.Maximum))
	case a.Minimum != nil:
		sentences = append(sentences, fmt.Sprintf("At least %d.", *a.Minimum))
	case a.Maximum != nil:
		sentences = append(sentences, fmt.Sprintf("At most %d.", *a.Maximum))
	}
	return strings.Join(sentences, " ")
}

// sentAs says how the RS gets an argument. Where the vocabulary says name, the RS has its own word for it.
func sentAs(spec toolspec.Argument) string {
	word, ok := toolspec.Sends.Find(spec.Send)
	if !ok {
		return ""
	}
	name := spec.Name
	if spec.As != "" {
		name = spec.As
	}
	return strings.ReplaceAll(word.Doc, "name", name)
}
