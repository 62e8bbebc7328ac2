package toolspec

import (
	"regexp"
	"slices"
	"strings"
)

// Prompt is a ready question, which leads a model through the tools (R-MCP-1).
type Prompt struct {
	Name        string `yaml:"prompt"`
	Title       string `yaml:"title"`
	Description string `yaml:"description"`
	// Arguments are in the order in which a client asks for them. Claude Code splits what its user types at each space and
	// passes one word to each: a value of several words loses all but the first, and belongs in a prompt without other
	// arguments.
	Arguments []PromptArgument `yaml:"arguments,omitempty"`
	// Text is the prompt for a model. {argument} is the value as JSON, of a day also {argument.begin} and {argument.end},
	// the first moment of that day and of the next. Text between << and >> is left out without its argument. Each call is
	// in backticks, as a tool and one JSON object.
	Text string `yaml:"text"`

	File string `yaml:"-"` // the file that it was read from, relative to the folder above toolspec
}

// PromptArgument is one value of a prompt, which a client asks its user for.
type PromptArgument struct {
	Name        string `yaml:"name"`
	Form        string `yaml:"form,omitempty"` // a form word of the vocabulary; left out: any text
	Required    bool   `yaml:"required,omitempty"`
	Description string `yaml:"description"`
	Complete    string `yaml:"complete,omitempty"` // a complete word of the vocabulary: what a client offers for it
}

// PromptPart is a piece of a prompt's text and the value that follows it. A part of an optional value is left out
// without it.
type PromptPart struct {
	Before   string
	Argument string // empty for a piece without a value
	Moment   string // a moment word of the vocabulary; empty for the value itself
	After    string // the rest of a piece that is left out with its value
	Optional bool   // it is between << and >>
}

// PromptCompletions are the words for `complete` of prompts and templates, whose values need no stream.
var PromptCompletions = Completions[:2]

// FormDay is the form word of a day.
const FormDay = "day"

// PromptForms are the words for `form`: constants of package tool.
var PromptForms = Words{
	{Name: FormDay, Function: "DayValue", Doc: "A day such as 2026-03-14."},
}

// PromptMoments are the words behind the name of a day in a prompt's text: constants of package tool.
var PromptMoments = Words{
	{Name: "begin", Function: "DayBegin", Doc: "Its first moment in UTC, as RFC 3339."},
	{Name: "end", Function: "DayEnd", Doc: "The first moment of the next day."},
}

// promptMark matches a value in the text of a prompt, with the text that is left out without it.
var promptMark = regexp.MustCompile(`(?s)(<<)(.*?)` + promptValue + `(.*?)>>|` + promptValue)

const promptValue = `\{([a-z][a-z0-9_]*)(?:\.([a-z]*))?\}`

// Parts returns the pieces of the text.
func (p Prompt) Parts() []PromptPart {
	var parts []PromptPart
	from := 0
	for _, found := range promptMark.FindAllStringSubmatchIndex(p.Text, -1) {
		group := func(number int) string {
			if found[2*number] < 0 {
				return ""
			}
			return p.Text[found[2*number]:found[2*number+1]]
		}
		before := p.Text[from:found[0]]
		from = found[1]
		if group(1) == "" {
			parts = append(parts, PromptPart{Before: before, Argument: group(6), Moment: group(7)})
			continue
		}
		optional := PromptPart{Before: group(2), Argument: group(3), Moment: group(4), After: group(5), Optional: true}
		parts = append(parts, PromptPart{Before: before}, optional)
	}
	parts = append(parts, PromptPart{Before: p.Text[from:]})
	return slices.DeleteFunc(parts, func(part PromptPart) bool { return part == PromptPart{} })
}

// calls returns the calls in the text with samples in place of the values, as texts of a tool and JSON. With reports
// whether the optional values are there.
func (p Prompt) calls(with bool) []string {
	var text strings.Builder
	for _, part := range p.Parts() {
		if part.Optional && !with {
			continue
		}
		text.WriteString(part.Before)
		if part.Argument != "" {
			text.WriteString(`"value"`)
		}
		text.WriteString(part.After)
	}
	var calls []string
	for i, span := range strings.Split(text.String(), "`") {
		if i%2 == 1 {
			calls = append(calls, span)
		}
	}
	return calls
}

func (p Prompt) argument(name string) (PromptArgument, bool) {
	for _, argument := range p.Arguments {
		if argument.Name == name {
			return argument, true
		}
	}
	return PromptArgument{}, false
}
