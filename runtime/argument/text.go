package argument

import (
	"encoding/json"

	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// String gives an optional string, or nil when it is absent. The empty string is a value.
func (a *Arguments) String(name string, checks ...Check) *string {
	value := a.take(name)
	if value == nil {
		return nil
	}
	text, ok := a.text(name, value, checks)
	if !ok {
		return nil
	}
	return &text
}

// RequiredString gives a string under the rules of String. One that is absent is refused with invalid_arguments; the
// empty string is there, unless a check refuses it.
func (a *Arguments) RequiredString(name string, checks ...Check) string {
	value := a.require(name, "a string")
	if value == nil {
		return ""
	}
	text, _ := a.text(name, value, checks)
	return text
}

func (a *Arguments) text(name string, value json.RawMessage, checks []Check) (string, bool) {
	var text string
	if err := json.Unmarshal(value, &text); err != nil {
		a.fail(refuse(tool.InvalidArguments, name, "must be a string; got "+shown(value)))
		return "", false
	}
	for _, check := range checks {
		if err := check(name, text); err != nil {
			a.fail(err)
			return "", false
		}
	}
	return text, true
}

// StringList gives a list of strings, or nil when it is absent or empty: an empty list names nothing.
// The checks are applied to each item.
func (a *Arguments) StringList(name string, itemChecks ...Check) []string {
	value := a.take(name)
	if value == nil {
		return nil
	}
	var items []json.RawMessage
	if err := json.Unmarshal(value, &items); err != nil {
		a.fail(refuse(tool.InvalidArguments, name, `must be a list of strings such as ["id","subject"]; got `+shown(value)))
		return nil
	}
	var texts []string
	for _, item := range items {
		if item[0] != '"' {
			a.fail(refuse(tool.InvalidArguments, name, "must hold only strings; got "+shown(item)))
			return nil
		}
		text, ok := a.text(name, item, itemChecks)
		if !ok {
			return nil
		}
		texts = append(texts, text)
	}
	return texts
}
