package toolspec

import (
	"fmt"
	"slices"
	"strings"
)

// The methods in this file look up the words of a spec. Load has checked every word of the specs that it returns. The methods
// panic on a spec that it did not accept.

// TypeWord returns the word for the argument's type.
func (a Argument) TypeWord() ArgumentType { return accepted(findArgumentType(a.Type)) }

// CheckWord returns the word for the argument's check with the function for its type, or an empty word without a check.
func (a Argument) CheckWord() Word { return Checks.on(a.Check, a.Type) }

// SendWord returns the word for how the argument is sent with the function for its type, or an empty word if it is not sent
// by itself.
func (a Argument) SendWord() Word { return Sends.on(a.Send, a.Type) }

// CompleteWord returns the word for the argument's completion in a shell with its constant, or an empty word without one.
func (a Argument) CompleteWord() Word { return Completions.on(a.Complete, a.Type) }

// SentName returns the RS's name of the argument.
func (a Argument) SentName() string {
	if a.As != "" {
		return a.As
	}
	return a.Name
}

// Bounds returns the bounds of an integer in words, such as 1 to 100, or an empty string without any.
func (a Argument) Bounds() string {
	switch {
	case a.Minimum != nil && a.Maximum != nil:
		return fmt.Sprintf("%d to %d", *a.Minimum, *a.Maximum)
	case a.Minimum != nil:
		return fmt.Sprintf("at least %d", *a.Minimum)
	case a.Maximum != nil:
		return fmt.Sprintf("at most %d", *a.Maximum)
	}
	return ""
}

// Hinted returns the hint of a refusal with the bounds of the arguments that it names.
func (s *Surface) Hinted(refusal Refusal) string {
	return bounded.ReplaceAllStringFunc(refusal.Hint, func(part string) string {
		name, argument, _ := strings.Cut(strings.Trim(part, "{}"), ".")
		index := slices.IndexFunc(s.Tools, func(tool Tool) bool { return tool.Name == name })
		return s.Tools[index].Argument(argument).Bounds()
	})
}

// Word returns the word for the call.
func (c Call) Word() Word { return accepted(Calls.find(c.Call)) }

// Word returns the word for the role.
func (r Role) Word() Word { return accepted(Roles.find(r.Role)) }

// Word returns the word for the gate.
func (p Precondition) Word() Word { return accepted(Gates.find(p.Gate)) }

// Word returns the word for how the sources are found.
func (s Sources) Word() Word { return accepted(SourceWords.find(s.From)) }

// Word returns the word for what is read.
func (r ReadOn) Word() Word { return accepted(ReadOnWords.find(r.As)) }

// Word returns the word for the operation.
func (o Operation) Word() Word { return accepted(Operations.find(o.Run)) }

// RenderWord returns the word for the renderer of the result.
func (t Tool) RenderWord() Word { return accepted(t.renderers().find(t.Result.Render)) }

// TableWord returns the word for the table of the result, or an empty word if its text is shown.
func (r Result) TableWord() Word { return Tables.ifAny(r.Table) }

// ShowWord returns the word for the schema to read after a refusal, or an empty word if none helps.
func (r Refusal) ShowWord() Word { return Shows.ifAny(r.Show) }

// ifAny returns the word of that name, or an empty word for an empty name.
func (ws Words) ifAny(name string) Word {
	if name == "" {
		return Word{}
	}
	return accepted(ws.find(name))
}

// renderers returns the render words for the surface of the tool.
func (t Tool) renderers() Words {
	if t.Terminal() {
		return TerminalRenderers
	}
	return Renderers
}

// Argument returns the argument of that name, which a binding, a gate or a path refers to.
func (t Tool) Argument(name string) Argument {
	for _, argument := range t.Arguments {
		if argument.Name == name {
			return argument
		}
	}
	return accepted(Argument{}, false)
}

// Output returns the output of a tool, which is empty for a terminal tool.
func (s *Surface) Output(tool Tool) Output {
	for _, output := range s.Outputs {
		if output.Name == tool.Output {
			return output
		}
	}
	return accepted(Output{}, tool.Terminal())
}

// on returns a word with its function for an argument type, or an empty word for an empty name.
func (ws Words) on(name, argumentType string) Word {
	if name == "" {
		return Word{}
	}
	word := accepted(ws.find(name))
	word.Function = accepted(word.functionFor(argumentType))
	return word
}

// accepted returns what was found, and panics if nothing was.
func accepted[T any](found T, ok bool) T {
	if !ok {
		panic("toolspec: a spec that Load did not accept is used")
	}
	return found
}
