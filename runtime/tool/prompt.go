package tool

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
)

// maxPromptValue is the maximum length of a value of a prompt, in characters.
const maxPromptValue = 200

// Prompt is a text that leads a model through the tools (R-MCP-1).
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

// PromptForm is the form of a value of a prompt.
type PromptForm int

const (
	TextValue PromptForm = iota
	DayValue             // such as 2026-03-14
)

// PromptPart is a part of a prompt's text with a value as a JSON string. It is left out if its argument was not given.
type PromptPart struct {
	Before   string
	Argument string // empty: the part has no value
	Moment   PromptMoment
	After    string
}

// PromptMoment is the moment of a day that the text shows.
type PromptMoment int

const (
	WholeValue PromptMoment = iota // the value as it was given
	DayBegin                       // its first moment in UTC
	DayEnd                         // the first moment of the next day
)

// Message returns the text with values by the names of their arguments. An empty value was not given. Values are data:
// each is one JSON string in the text, without backticks, so that it cannot end the call around it. Its error is an
// *Error.
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
			quoted := string(rawjson.Quote(part.Moment.format(value)))
			text.WriteString(strings.ReplaceAll(quoted, "`", `\u0060`))
		}
		text.WriteString(part.After)
	}
	return text.String(), nil
}

// format returns the moment of a checked day.
func (m PromptMoment) format(value string) string {
	if m == WholeValue {
		return value
	}
	day, _ := time.Parse(time.DateOnly, value)
	if m == DayEnd {
		day = day.AddDate(0, 0, 1)
	}
	return day.Format(time.RFC3339)
}

func (p Prompt) check(values map[string]string) error {
	var known []string
	for _, argument := range p.Arguments {
		known = append(known, argument.Name)
	}
	for name := range values {
		if !slices.Contains(known, name) {
			return &Error{
				Code: UnknownArgument, Param: name, Accepted: known,
				Message: fmt.Sprintf("unknown argument %q of the prompt %s: use %s", name, p.Name, strings.Join(known, ", ")),
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

// fault returns what is wrong with a value and what to pass instead, or "".
func (a PromptArgument) fault(value string) string {
	switch {
	case value == "" && !a.Required:
		return ""
	case strings.TrimSpace(value) == "":
		return "is missing; pass a value"
	case utf8.RuneCountInString(value) > maxPromptValue:
		return fmt.Sprintf("has more than %d characters; pass fewer", maxPromptValue)
	case !utf8.ValidString(value) || strings.ContainsFunc(value, isControl):
		return "has a control character; pass text without line ends and tabs"
	}
	if day, err := time.Parse(time.DateOnly, value); a.Form == DayValue && (err != nil || day.Year() == 9999 || day.Year() == 0) {
		return "is not a date; pass one such as 2026-03-14"
	}
	return ""
}

// IsPromptValue reports whether a text is a valid value of a prompt that a client can show.
func IsPromptValue(text string) bool { return PromptArgument{Required: true}.fault(text) == "" }

// isControl reports whether a character is a control, a line or paragraph separator, or a change of direction.
func isControl(r rune) bool {
	return unicode.IsControl(r) || unicode.In(r, unicode.Zl, unicode.Zp, unicode.Bidi_Control)
}
