package toolspec

import (
	"fmt"
	"slices"
	"strings"
)

// What a spec says in words, each word replaced by what it stands for. Load has judged every word of the specs that it
// gives, so there always is one; on a spec that it did not accept these panic.

// TypeWord is the word for the argument's type.
func (a Argument) TypeWord() ArgumentType { return accepted(findArgumentType(a.Type)) }

// CheckWord is the word for the argument's check, with the function for its type. It is empty without a check.
func (a Argument) CheckWord() Word { return Checks.on(a.Check, a.Type) }

// SendWord is the word for how the argument is sent, with the function for its type. It is empty for one that is not
// sent by itself.
func (a Argument) SendWord() Word { return Sends.on(a.Send, a.Type) }

// CompleteWord is the word for what a shell offers, with the constant for it. It is empty where nothing is offered.
func (a Argument) CompleteWord() Word { return Completions.on(a.Complete, a.Type) }

// SentName is what the RS calls the argument.
func (a Argument) SentName() string {
	if a.As != "" {
		return a.As
	}
	return a.Name
}

// Bounds are those of an integer in words, such as 1 to 100; empty without any.
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

// Hinted is the hint of a refusal with the bounds that it names.
func (s *Surface) Hinted(refusal Refusal) string {
	return bounded.ReplaceAllStringFunc(refusal.Hint, func(part string) string {
		name, argument, _ := strings.Cut(strings.Trim(part, "{}"), ".")
		index := slices.IndexFunc(s.Tools, func(tool Tool) bool { return tool.Name == name })
		return s.Tools[index].Argument(argument).Bounds()
	})
}

// Word is the call.
func (c Call) Word() Word { return accepted(Calls.find(c.Call)) }

// Word is the gate.
func (p Precondition) Word() Word { return accepted(Gates.find(p.Gate)) }

// Word is how the sources are found.
func (s Sources) Word() Word { return accepted(SourceWords.find(s.From)) }

// Word is the operation.
func (o Operation) Word() Word { return accepted(Operations.find(o.Run)) }

// RenderWord is the renderer of the result.
func (t Tool) RenderWord() Word { return accepted(t.renderers().find(t.Result.Render)) }

// TableWord is the table of the result. It is empty for one whose text is shown.
func (r Result) TableWord() Word { return Tables.ifAny(r.Table) }

// ShowWord is the schema that a refusal leads to. It is empty when none helps.
func (r Refusal) ShowWord() Word { return Shows.ifAny(r.Show) }

// ifAny finds a word that may be left out.
func (ws Words) ifAny(name string) Word {
	if name == "" {
		return Word{}
	}
	return accepted(ws.find(name))
}

// renderers are the words for the surface of the tool.
func (t Tool) renderers() Words {
	if t.Terminal() {
		return TerminalRenderers
	}
	return Renderers
}

// Argument is the argument that a binding, a gate or a path names.
func (t Tool) Argument(name string) Argument {
	for _, argument := range t.Arguments {
		if argument.Name == name {
			return argument
		}
	}
	return accepted(Argument{}, false)
}

// Output is the output of a tool. A terminal tool has none, and its output is empty.
func (s *Surface) Output(tool Tool) Output {
	for _, output := range s.Outputs {
		if output.Name == tool.Output {
			return output
		}
	}
	return accepted(Output{}, tool.Terminal())
}

// on finds a word as it is used on an argument type.
func (ws Words) on(name, argumentType string) Word {
	if name == "" {
		return Word{}
	}
	word := accepted(ws.find(name))
	word.Function = accepted(word.functionFor(argumentType))
	return word
}

// accepted is what Load found when it judged the spec.
func accepted[T any](found T, ok bool) T {
	if !ok {
		panic("toolspec: a spec that Load did not accept is used")
	}
	return found
}
