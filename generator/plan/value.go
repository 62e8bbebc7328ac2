package plan

import (
	"strings"

	"github.com/pdppmcp/pdpp-mcp/toolspec"
)

// The variables that a run has.
const (
	inputVariable  = "input"
	targetVariable = "target"
)

// value plans the binding of a parameter: the target, a part of it, or an argument.
func (b builder) value(spelling string, kind toolspec.Kind) Value {
	if spelling == targetVariable {
		return Value{Name: spelling, Variable: targetVariable}
	}
	if part, ofTarget := strings.CutPrefix(spelling, targetVariable+"."); ofTarget {
		// A part that may be absent is a pointer already.
		address := kind.Optional() && part != toolspec.OptionalTargetPart
		return Value{Name: spelling, Variable: targetVariable, Field: GoName(part), Address: address}
	}
	value := b.input(spelling, kind.Optional())
	value.NameOnly = kind.IsName()
	return value
}

// input plans an argument as the value of an optional or a required parameter.
func (b builder) input(name string, optional bool) Value {
	spec := b.spec.Argument(name)
	word := toolspec.Type(spec.Type)
	address := optional && spec.Required && word.RequiredGo != word.Go
	return Value{Name: name, Variable: inputVariable, Field: GoName(name), Address: address}
}
