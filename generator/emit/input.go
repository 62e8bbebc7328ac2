package emit

import (
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/pdppmcp/pdpp-mcp/toolspec"
)

// input writes the input struct and its decoder, or nothing for a tool without arguments.
func (t toolFile) input(file *jen.File) {
	if len(t.Arguments) == 0 {
		return
	}
	file.Add(t.inputStruct()).Line()
	file.Add(t.names()).Line()
	file.Add(t.decode()).Line()
}

// inputStruct returns the struct of the tool's arguments.
func (t toolFile) inputStruct() jen.Code {
	var fields []jen.Code
	for _, argument := range t.Arguments {
		if meaning := argument.Meaning(); meaning != "" {
			fields = append(fields, comment(meaning))
		}
		fields = append(fields, jen.Id(GoName(argument.Name)).Add(fieldType(argument)))
	}
	meaning := t.inputName() + " holds the arguments of " + t.Name + "."
	if slices.ContainsFunc(t.Arguments, func(argument toolspec.Argument) bool { return !argument.Required }) {
		meaning += " A nil member was not given."
	}
	return comment(meaning).Line().
		Type().Id(t.inputName()).Struct(fields...)
}

// fieldType returns the Go type of an argument, which the vocabulary spells like *string or rs.Filter.
func fieldType(argument toolspec.Argument) jen.Code {
	word := toolspec.ArgumentTypes.Get(argument.Type)
	spelling := word.Go
	if argument.Required {
		spelling = word.RequiredGo
	}
	if packageName, name, isQualified := strings.Cut(spelling, "."); isQualified {
		return runtime(packageName, name)
	}
	return jen.Id(spelling)
}

// names returns the list of accepted arguments, by which others are refused (R-SURF-9).
func (t toolFile) names() jen.Code {
	var accepted []string
	var aliases []jen.Code
	for _, argument := range t.Arguments {
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
