package emit

import "github.com/dave/jennifer/jen"

// longestOnOneLine is the largest number of members of a literal on one line.
const longestOnOneLine = 2

// member is one key and value of a struct literal. Members keep their order; jen.Dict would sort them.
type member struct {
	name  string
	value jen.Code
}

// optional appends a member if it is set. Otherwise it has Go's zero value.
func optional(members []member, isSet bool, name string, value jen.Code) []member {
	if !isSet {
		return members
	}
	return append(members, member{name, value})
}

// structLiteral returns the braces of a struct literal, with one member per line if there are more than
// longestOnOneLine.
func structLiteral(members []member) jen.Code {
	return braces(keyed(members), len(members) > longestOnOneLine)
}

func keyed(members []member) []jen.Code {
	items := make([]jen.Code, 0, len(members))
	for _, member := range members {
		items = append(items, jen.Id(member.name).Op(":").Add(member.value))
	}
	return items
}

// onOneLine returns a literal on one line without its type, for an element of a list.
func onOneLine(members []member) jen.Code { return braces(keyed(members), false) }

func braces(items []jen.Code, multi bool) jen.Code {
	return jen.Custom(jen.Options{Open: "{", Close: "}", Separator: ",", Multi: multi}, items...)
}

func stringList(values []string) jen.Code {
	return jen.Index().String().Values(literals(values)...)
}

func literals(values []string) []jen.Code {
	items := make([]jen.Code, 0, len(values))
	for _, value := range values {
		items = append(items, jen.Lit(value))
	}
	return items
}

// returnOnError returns an error unwrapped, since every error of a run is already typed.
func returnOnError() jen.Code {
	return jen.If(jen.Err().Op("!=").Nil()).Block(jen.Return(jen.Nil(), jen.Err()))
}
