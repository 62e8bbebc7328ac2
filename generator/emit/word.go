package emit

import (
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/pdppmcp/pdpp-mcp/toolspec"
)

// initialisms are written in capitals, as in Go.
var initialisms = map[string]string{"id": "ID", "url": "URL", "rs": "RS"}

// GoName returns the exported Go name of a name in a spec, such as ConnectionID for connection_id.
func GoName(name string) string {
	var goName strings.Builder
	for _, word := range strings.Split(name, "_") {
		if initialism, found := initialisms[word]; found {
			goName.WriteString(initialism)
		} else if word != "" {
			goName.WriteString(strings.ToUpper(word[:1]) + word[1:])
		}
	}
	return goName.String()
}

// LocalName returns the unexported Go name of a name in a spec, such as queryRecords for query_records.
func LocalName(name string) string {
	first, rest, _ := strings.Cut(name, "_")
	return first + GoName(rest)
}

// value returns what a spec binds to a parameter: the target, a part of it, or an argument.
func (t toolFile) value(bound string, kind toolspec.Kind) jen.Code {
	part, ofTarget := strings.CutPrefix(bound, toolspec.TargetWord+".")
	switch {
	case bound == toolspec.TargetWord:
		return jen.Id("target")
	case ofTarget:
		// A part that may be absent is a pointer already.
		return pointer(kind.Optional && part != toolspec.OptionalTargetPart, jen.Id("target").Dot(GoName(part)))
	case kind.IsName:
		return jen.Lit(bound)
	}
	return t.argument(bound, kind.Optional)
}

// argument returns an argument as the value of an optional or a required parameter.
func (t toolFile) argument(name string, optional bool) jen.Code {
	spec := t.Argument(name)
	word := toolspec.ArgumentTypes.Get(spec.Type)
	return pointer(optional && spec.Required && word.RequiredGo != word.Go, input(name))
}

func input(name string) *jen.Statement { return jen.Id("input").Dot(GoName(name)) }

func pointer(isWanted bool, value *jen.Statement) jen.Code {
	if isWanted {
		return jen.Op("&").Add(value)
	}
	return value
}

// call is a call of the function that a word names. The function's last parameter is a struct named after it.
type call struct {
	word    toolspec.Word
	members []member
}

// callOf binds the parameters of a word, in the order of the vocabulary and of the Go struct.
func (t toolFile) callOf(word toolspec.Word, with toolspec.Bindings) call {
	bound := call{word: word}
	for _, parameter := range word.Parameters {
		if value, found := with.Get(parameter.Name); found {
			bound.members = append(bound.members, member{GoName(parameter.Name), t.value(value, parameter.Kind)})
		}
	}
	return bound
}

// answering returns the call of the operation or the renderer. A renderer that answers has the values of read_on too.
func (t toolFile) answering() call {
	if t.Operation != nil {
		return t.callOf(t.Answering(), t.Operation.With)
	}
	answering := t.callOf(t.Answering(), t.Result.With)
	if readOn := t.Request.ReadOn; readOn != nil && answering.word.Answers {
		for _, added := range t.callOf(toolspec.ReadOnWords.Get(readOn.As), readOn.With).members {
			if !slices.ContainsFunc(answering.members, func(known member) bool { return known.name == added.name }) {
				answering.members = append(answering.members, added)
			}
		}
	}
	return answering
}

// input returns the last parameter of the call. The given members precede those that the spec binds.
func (c call) input(given ...member) jen.Code {
	members := append(given, c.members...)
	return runtime(c.word.Package, c.word.Function+"Input").
		Add(braces(keyed(members), len(given) > 0 || len(members) > longestOnOneLine))
}
