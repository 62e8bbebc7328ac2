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

// targetParts are the parts of a target that a spec may name. Parts that a target always has are
// strings; the others are pointers.
var targetParts = map[string]struct {
	field  string
	always bool
}{
	"stream":        {field: "Stream", always: true},
	"record_id":     {field: "RecordID", always: true},
	"connection_id": {field: "ConnectionID"},
}

// value resolves what a spec binds to a parameter.
func (b *builder) value(place, spelling string, kind toolspec.Kind) Value {
	variable, part, _ := strings.Cut(spelling, ".")
	if variable == targetVariable {
		return b.targetValue(place, spelling, part, kind)
	}
	argument, ok := b.arguments[spelling]
	if !ok {
		b.refuse(place, "no argument %q", spelling)
		return Value{}
	}
	if kind == toolspec.KindString && !argument.Required {
		b.refuse(place, "%q may be absent: make it required, or bind another value", spelling)
	}
	return Value{Name: spelling, Variable: inputVariable, Field: argument.Field, Address: argument.takesAddress(kind.Optional())}
}

func (b *builder) targetValue(place, spelling, part string, kind toolspec.Kind) Value {
	if b.spec.Target == nil {
		b.refuse(place, "%q needs a target", spelling)
		return Value{}
	}
	if spelling == targetVariable && kind == toolspec.KindTarget {
		return Value{Name: spelling, Variable: targetVariable}
	}
	found, ok := targetParts[part]
	if !ok || (kind == toolspec.KindString && !found.always) {
		b.refuse(place, "%q cannot be bound to a %s", spelling, kind)
		return Value{}
	}
	return Value{Name: spelling, Variable: targetVariable, Field: found.field, Address: kind.Optional() && found.always}
}

// takesAddress reports whether a parameter that may be absent needs a pointer to the field.
func (a Argument) takesAddress(optional bool) bool {
	return optional && a.Required && a.Type.RequiredGo != a.Type.Go
}

// input is the value of an argument as a parameter that may be absent.
func (a Argument) input() Value {
	return Value{Name: a.Name, Variable: inputVariable, Field: a.Field, Address: a.takesAddress(true)}
}
