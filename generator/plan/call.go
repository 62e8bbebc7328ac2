package plan

import (
	"fmt"

	"github.com/pdppmcp/pdpp-mcp/toolspec"
)

// call plans a call of the function that a word stands for. Its fields stand in the order of the
// vocabulary, which is that of the Go struct.
func (b *builder) call(place, packageName string, words toolspec.Words, name string, with toolspec.Bindings) *Call {
	word, ok := words.Find(name)
	if !ok {
		b.refuse(place, "unknown word %q", name)
		return nil
	}
	bound := map[string]string{}
	for _, binding := range with {
		if _, ok := word.Parameter(binding.Name); !ok {
			b.refuse(place+".with", "%s takes no %q", name, binding.Name)
		}
		bound[binding.Name] = binding.Value
	}
	call := &Call{Package: packageName, Function: word.Function, Doc: word.Doc, Continues: word.Continues, Promises: word.Promises}
	for _, parameter := range word.Parameters {
		spelling, ok := bound[parameter.Name]
		if !ok {
			if !parameter.Kind.Optional() {
				b.refuse(place+".with", "%s needs %q", name, parameter.Name)
			}
			continue
		}
		value := b.value(place+".with."+parameter.Name, spelling, parameter.Kind)
		call.Fields = append(call.Fields, Field{Name: GoName(parameter.Name), Value: value})
	}
	return call
}

func (b *builder) preconditions() []Precondition {
	var planned []Precondition
	for i, spec := range b.spec.Preconditions {
		place := fmt.Sprintf("preconditions[%d]", i)
		call := b.call(place, "precondition", toolspec.Gates, spec.Gate, spec.With)
		if call == nil {
			continue
		}
		precondition := Precondition{Call: *call}
		for _, name := range spec.When {
			precondition.When = append(precondition.When, b.given(place+".when", name))
		}
		planned = append(planned, precondition)
	}
	return planned
}

// given is the value to look at for whether an argument was given.
func (b *builder) given(place, name string) Value {
	argument, ok := b.arguments[name]
	switch {
	case !ok:
		b.refuse(place, "no argument %q", name)
	case argument.Required:
		b.refuse(place, "%q is required, so it is always given: leave when out", name)
	}
	return Value{Name: name, Variable: inputVariable, Field: argument.Field}
}

func (b *builder) target() *Target {
	spec := b.spec.Target
	if spec == nil {
		return nil
	}
	return &Target{
		ID:           b.targetMember("target.id", spec.ID),
		ConnectionID: b.targetMember("target.connection_id", spec.ConnectionID),
		Stream:       b.targetMember("target.stream", spec.Stream),
		RecordID:     b.targetMember("target.record_id", spec.RecordID),
	}
}

func (b *builder) targetMember(place, name string) *Value {
	if name == "" {
		return nil
	}
	value := b.value(place, name, toolspec.KindOptionalString)
	return &value
}
