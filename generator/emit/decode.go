package emit

import (
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/pdppmcp/pdpp-mcp/toolspec"
)

// decode writes the function that reads and checks the arguments. The reader keeps the first error, so the reads can be
// in one literal.
func (t toolFile) decode() jen.Code {
	reads := make([]jen.Code, 0, len(t.Arguments))
	for _, argument := range t.Arguments {
		reads = append(reads, jen.Id(GoName(argument.Name)).Op(":").Add(read(argument)))
	}
	types, results := []jen.Code{jen.Id(t.inputName())}, []jen.Code{jen.Id("input")}
	if t.usesGiven() {
		types = append(types, jen.Index().Add(runtime("rs", "Member")))
		results = append(results, jen.Id("arguments").Dot("Given").Call())
	}
	parameters := []jen.Code{jen.Id("raw").Qual("encoding/json", "RawMessage")}
	if t.readsDates() {
		parameters = append(parameters, jen.Id("clock").Add(runtime("tool", "Clock")))
	}
	return jen.Func().Id(t.decodeName()).Params(parameters...).
		Params(append(types, jen.Error())...).
		Block(
			jen.Id("arguments").Op(":=").Add(runtime("argument", "Open")).Call(jen.Id("raw"), jen.Id(t.namesName())),
			jen.Id("input").Op(":=").Id(t.inputName()).Add(braces(reads, true)),
			jen.Return(append(results, jen.Id("arguments").Dot("Err").Call())...),
		)
}

// readsDates reports whether an argument may hold dates, which are read in the zone of the call.
func (t toolFile) readsDates() bool {
	return slices.ContainsFunc(t.Arguments, func(argument toolspec.Argument) bool {
		return toolspec.ArgumentTypes.Get(argument.Type).ReadsDates
	})
}

// usesGiven reports whether a step takes the arguments as they were given: a target, a gate, or a result that shows how
// the call continues. A call without arguments has none to replace.
func (t toolFile) usesGiven() bool {
	return t.Target != nil || len(t.Preconditions) > 0 || len(t.Arguments) > 0 && t.Answering().Continues
}

// read returns the read of one argument, with its bounds and its checks.
func read(argument toolspec.Argument) jen.Code {
	word := toolspec.ArgumentTypes.Get(argument.Type)
	parameters := []jen.Code{jen.Lit(argument.Name)}
	if argument.Type == "integer" {
		parameters = append(parameters, bound(argument.Minimum, "MinInt64"), bound(argument.Maximum, "MaxInt64"))
	}
	if word.ReadsDates {
		parameters = append(parameters, jen.Id("clock"))
	}
	if argument.Check != "" {
		parameters = append(parameters, runtime("argument", toolspec.Checks.On(argument.Check, argument.Type).Function))
	}
	reader := word.Function
	if argument.Required {
		reader = word.RequiredFunction
	}
	if argument.Enum != nil {
		reader = strings.Replace(reader, "String", "Word", 1)
		parameters = append(parameters, literals(argument.Enum)...)
	}
	return jen.Id("arguments").Dot(reader).Call(parameters...)
}

// bound returns a limit of an integer, or the constant for none.
func bound(limit *int64, open string) jen.Code {
	if limit == nil {
		return jen.Qual("math", open)
	}
	return jen.Lit(int(*limit))
}

// decodeInput returns the first step of an ask function. A tool without arguments refuses any.
func (t toolFile) decodeInput(onError jen.Code) []jen.Code {
	if len(t.Arguments) == 0 {
		opened := runtime("argument", "Open").Call(jen.Id("raw"), runtime("argument", "Names").Values()).Dot("Err").Call()
		return []jen.Code{jen.If(jen.Err().Op(":=").Add(opened), jen.Err().Op("!=").Nil()).Block(onError)}
	}
	decoded := []jen.Code{jen.Id("input")}
	if t.usesGiven() {
		decoded = append(decoded, jen.Id("given"))
	}
	passed := []jen.Code{jen.Id("raw")}
	if t.readsDates() {
		passed = append(passed, jen.Id("env").Dot("Clock"))
	}
	return []jen.Code{
		jen.List(append(decoded, jen.Err())...).Op(":=").Id(t.decodeName()).Call(passed...),
		jen.If(jen.Err().Op("!=").Nil()).Block(onError),
	}
}
