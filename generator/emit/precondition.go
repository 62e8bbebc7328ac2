package emit

import (
	"github.com/dave/jennifer/jen"

	"github.com/pdppmcp/pdpp-mcp/generator/plan"
)

// resolveTarget finds the record that the arguments name.
func (t toolFile) resolveTarget() []jen.Code {
	target := t.tool.Target
	if target == nil {
		return nil
	}
	var members []member
	for _, offered := range []struct {
		name  string
		value *plan.Value
	}{
		{"ID", target.ID},
		{"ConnectionID", target.ConnectionID},
		{"Stream", target.Stream},
		{"RecordID", target.RecordID},
	} {
		if offered.value != nil {
			members = append(members, member{offered.name, value(*offered.value)})
		}
	}
	literal := runtime("argument", "TargetInput").Add(structLiteral(members))
	return []jen.Code{
		jen.List(jen.Id("target"), jen.Err()).Op(":=").Add(runtime("argument", "ResolveTarget")).Call(jen.Id("given"),
			literal),
		returnOnError(),
	}
}

// preconditions calls the gates, in the order of the spec.
func (t toolFile) preconditions() []jen.Code {
	var steps []jen.Code
	for _, precondition := range t.tool.Preconditions {
		gate := []jen.Code{
			jen.Err().Op("=").Add(runtime(precondition.Package, precondition.Function)).
				Call(jen.Id("ctx"), jen.Id("env"), jen.Id("given"), input(precondition.Call)),
			returnOnError(),
		}
		if precondition.When == nil {
			steps = append(steps, gate...)
			continue
		}
		steps = append(steps, jen.If(anyGiven(precondition.When)).Block(gate...))
	}
	return steps
}

func anyGiven(values []plan.Value) jen.Code {
	condition := &jen.Statement{}
	for i, planned := range values {
		if i > 0 {
			condition.Op("||")
		}
		condition.Add(value(planned)).Op("!=").Nil()
	}
	return condition
}
