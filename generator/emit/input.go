package emit

import (
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/pdppmcp/pdpp-mcp/generator/plan"
)

// input writes the input struct and its decoder, or nothing for a tool without arguments.
func (t toolFile) input(file *jen.File) {
	if len(t.tool.Arguments) == 0 {
		return
	}
	file.Add(t.inputStruct()).Line()
	file.Add(t.names()).Line()
	file.Add(t.decode()).Line()
}

// inputStruct returns the struct of the tool's arguments.
func (t toolFile) inputStruct() jen.Code {
	var fields []jen.Code
	for _, argument := range t.tool.Arguments {
		if meaning := argument.Meaning(); meaning != "" {
			fields = append(fields, comment(meaning))
		}
		fields = append(fields, jen.Id(argument.Field).Add(fieldType(argument.Go)))
	}
	meaning := t.inputName() + " holds the arguments of " + t.tool.Name + "."
	if slices.ContainsFunc(t.tool.Arguments, func(argument plan.Argument) bool { return !argument.Required }) {
		meaning += " A nil member was not given."
	}
	return comment(meaning).Line().
		Type().Id(t.inputName()).Struct(fields...)
}

func fieldType(planned plan.GoType) jen.Code {
	statement := &jen.Statement{}
	switch planned.Prefix {
	case "*":
		statement.Op("*")
	case "[]":
		statement.Index()
	}
	if planned.Package == "" {
		return statement.Id(planned.Name)
	}
	return statement.Add(runtime(planned.Package, planned.Name))
}

// names returns the list of accepted arguments, by which others are refused (R-SURF-9).
func (t toolFile) names() jen.Code {
	var accepted []string
	var aliases []jen.Code
	for _, argument := range t.tool.Arguments {
		accepted = append(accepted, argument.Name)
		for _, alias := range argument.Aliases {
			aliases = append(aliases, jen.Lit(alias).Op(":").Lit(argument.Name))
		}
	}
	members := []jen.Code{jen.Id("Accepted").Op(":").Add(stringList(accepted))}
	if aliases != nil {
		aliasMap := jen.Map(jen.String()).String().Add(braces(aliases, len(aliases) > longestOnOneLine))
		members = append(members, jen.Id("Aliases").Op(":").Add(aliasMap))
	}
	multi := len(members) > 1 || len(strings.Join(accepted, `", "`)) > commentWidth/2
	return jen.Var().Id(t.namesName()).Op("=").Add(runtime("argument", "Names")).Add(braces(members, multi))
}
