package plan

import (
	"cmp"

	"github.com/pdppmcp/pdpp-mcp/toolspec"
)

// call plans a call of the function that a word names. Its fields are in the order of the vocabulary and of the Go
// struct.
func (b builder) call(packageName string, word toolspec.Word, with toolspec.Bindings) *Call {
	call := &Call{
		Package: cmp.Or(word.Package, packageName), Function: word.Function,
		Doc: word.Doc, Continues: word.Continues, Answers: word.Answers, Promises: word.Promises,
	}
	for _, parameter := range word.Parameters {
		for _, binding := range with {
			if binding.Name == parameter.Name {
				call.Fields = append(call.Fields,
					Field{Name: GoName(parameter.Name), Value: b.value(binding.Value, parameter.Kind)})
			}
		}
	}
	return call
}

func (b builder) preconditions() []Precondition {
	var planned []Precondition
	for _, spec := range b.spec.Preconditions {
		precondition := Precondition{Call: *b.call("argument", toolspec.Gates.Get(spec.Gate), spec.With)}
		for _, name := range spec.When {
			precondition.When = append(precondition.When, b.input(name, false))
		}
		planned = append(planned, precondition)
	}
	return planned
}

func (b builder) target() *Target {
	spec := b.spec.Target
	if spec == nil {
		return nil
	}
	return &Target{
		ID:           b.targetMember(spec.ID),
		ConnectionID: b.targetMember(spec.ConnectionID),
		Stream:       b.targetMember(spec.Stream),
		RecordID:     b.targetMember(spec.RecordID),
	}
}

func (b builder) targetMember(name string) *Value {
	if name == "" {
		return nil
	}
	value := b.value(name, toolspec.KindStringName)
	return &value
}
