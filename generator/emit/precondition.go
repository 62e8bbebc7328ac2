package emit

import (
	"github.com/dave/jennifer/jen"

	"github.com/pdppmcp/pdpp-mcp/toolspec"
)

// resolveTarget finds the record that the arguments name.
func (t toolFile) resolveTarget() []jen.Code {
	target := t.Target
	if target == nil {
		return nil
	}
	members := []member{{"ID", jen.Lit(target.ID)}, {"ConnectionID", jen.Lit(target.ConnectionID)}}
	members = optional(members, target.Stream != "", "Stream", jen.Lit(target.Stream))
	members = optional(members, target.RecordID != "", "RecordID", jen.Lit(target.RecordID))
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
	for _, spec := range t.Preconditions {
		call := t.callOf(toolspec.Gates.Get(spec.Gate), spec.With)
		gate := []jen.Code{
			jen.Err().Op("=").Add(runtime(call.word.Package, call.word.Function)).
				Call(jen.Id("ctx"), jen.Id("env"), jen.Id("given"), call.input()),
			returnOnError(),
		}
		if spec.When != nil {
			gate = []jen.Code{jen.If(anyGiven(spec.When)).Block(gate...)}
		}
		steps = append(steps, gate...)
	}
	return steps
}

func anyGiven(names []string) jen.Code {
	condition := &jen.Statement{}
	for i, name := range names {
		if i > 0 {
			condition.Op("||")
		}
		condition.Add(input(name)).Op("!=").Nil()
	}
	return condition
}
