package toolspec

import (
	"fmt"
	"strings"
)

// The functions in this file look up the words and the names of a spec that Load has accepted. They panic on any other.

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

// Meaning returns the argument's purpose and values, on one line.
func (a Argument) Meaning() string {
	var sentences []string
	if a.Description != "" {
		sentences = append(sentences, a.Description)
	}
	if a.Enum != nil {
		sentences = append(sentences, "One of "+strings.Join(a.Enum, ", ")+".")
	}
	if bounds := a.Bounds(); bounds != "" {
		sentences = append(sentences, strings.ToUpper(bounds[:1])+bounds[1:]+".")
	}
	return strings.Join(sentences, " ")
}

// Renderers returns the render words for the surface of the tool.
func (t Tool) Renderers() Words {
	if t.Terminal() {
		return TerminalRenderers
	}
	return Renderers
}

// Answering returns the word of the operation or the renderer that answers a call.
func (t Tool) Answering() Word {
	if t.Operation != nil {
		return Operations.Get(t.Operation.Run)
	}
	return t.Renderers().Get(t.Result.Render)
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

// Get returns the word of that name, or an empty word for an empty name.
func (ws Words) Get(name string) Word {
	if name == "" {
		return Word{}
	}
	return accepted(ws.find(name))
}

// On returns a word with its function for an argument type, or an empty word for an empty name.
func (ws Words) On(name, argumentType string) Word {
	if name == "" {
		return Word{}
	}
	word := ws.Get(name)
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
