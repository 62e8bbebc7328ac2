package tool

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
)

// LongestPromptValue bounds a value of a prompt, in characters.
const LongestPromptValue = 200

// Prompt is a ready question: a text that leads a model through the tools (R-MCP-1). Prompts are values of generated code
// and are never changed.
type Prompt struct {
	Name        string
	Title       string
	Description string
	Arguments   []PromptArgument
	Parts       []PromptPart
}

// PromptArgument is one value that a client asks its user for.
type PromptArgument struct {
	Name        string
	Description string
	Required    bool
	Form        PromptForm
	Complete    Completion // what a client offers for it
}

// PromptForm is what a value of a prompt has to look like.
type PromptForm int

// The forms that specs use.
const (
	TextValue PromptForm = iota
	DayValue             // such as 2026-03-14
)

// PromptPart is a piece of a prompt's text, with a value in it as a JSON string. It is left out when its argument was not given.
type PromptPart struct {
	Before   string
	Argument string // empty for a piece without a value
	Moment   PromptMoment
	After    string
}

// PromptMoment is what of a day stands in a text.
type PromptMoment int

// The moments that specs use.
const (
	WholeValue PromptMoment = iota // the value as it was given
	DayBegin                       // its first moment in UTC
	DayEnd                         // the first moment of the next day
)

// Message is the text with values in it, by the names of the arguments; an empty value is one that was not given. Its error is
// an *Error. Values are data: each stands in the text as one JSON string, which holds no backtick either, so that none
// ends the call that it stands in.
func (p Prompt) Message(values map[string]string) (string, error) {
	if err := p.check(values); err != nil {
		return "", err
	}
	var text strings.Builder
	for _, part := range p.Parts {
		value := values[part.Argument]
		if part.Argument != "" && value == "" {
			continue
		}
		text.WriteString(part.Before)
		if part.Argument != "" {
			quoted := string(rawjson.Quote(part.Moment.of(value)))
			text.WriteString(strings.ReplaceAll(quoted, "`", `\u0060`))
		}
		text.WriteString(part.After)
	}
	return text.String(), nil
}

// of returns the moment of a day that was checked.
func (m PromptMoment) of(value string) string {
	if m == WholeValue {
		return value
	}
	day, _ := time.Parse(time.DateOnly, value)
	if m == DayEnd {
		day = day.AddDate(0, 0, 1)
	}
	return day.Format(time.RFC3339)
}

// check checks the values.
func (p Prompt) check(values map[string]string) error {
	known := make([]string, 0, len(p.Arguments))
	for _, argument := range p.Arguments {
		known = append(known, argument.Name)
	}
	for name := range values {
		if !slices.Contains(known, name) {
			return &Error{
				Code: UnknownArgument, Param: name, Accepted: known,
				Message: fmt.Sprintf("%q is no argument of the prompt %s; it takes %s", name, p.Name, strings.Join(known, ", ")),
			}
		}
	}
	for _, argument := range p.Arguments {
		if fault := argument.fault(values[argument.Name]); fault != "" {
			return &Error{Code: InvalidArguments, Param: argument.Name, Message: argument.Name + ": " + fault}
		}
	}
	return nil
}

// fault says what is wrong with a value, and what to pass in its place.
func (a PromptArgument) fault(value string) string {
	switch {
	case value == "" && !a.Required:
	case strings.TrimSpace(value) == "":
		return "is missing; pass a value"
	case utf8.RuneCountInString(value) > LongestPromptValue:
		return fmt.Sprintf("has more than %d characters; pass fewer", LongestPromptValue)
	case !IsPromptValue(value):
		return "has a control character; pass text without line ends and tabs"
	case a.Form == DayValue:
		if day, err := time.Parse(time.DateOnly, value); err != nil || day.Year() == 9999 || day.Year() == 0 {
			return "is not a day; pass one such as 2026-03-14"
		}
	}
	return ""
}

// IsPromptValue reports whether a text can stand for a value: an argument takes it, and a client can show it.
func IsPromptValue(text string) bool {
	return strings.TrimSpace(text) != "" && utf8.RuneCountInString(text) <= LongestPromptValue &&
		utf8.ValidString(text) && !strings.ContainsFunc(text, isUnshown)
}

// isUnshown reports whether a character controls how text is shown instead of being shown: line and paragraph separators and
// changes of direction too.
func isUnshown(r rune) bool {
	return unicode.IsControl(r) || unicode.In(r, unicode.Zl, unicode.Zp, unicode.Bidi_Control)
}
