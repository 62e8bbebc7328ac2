package argument

import (
	"encoding/json"
	"strconv"
	"unicode/utf8"

	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// maxShown bounds what a message repeats of a caller's text, in bytes.
const maxShown = 80

// refuse is an error whose message begins with the argument's name.
func refuse(code tool.Code, name, problem string) *tool.Error {
	return &tool.Error{Code: code, Message: name + " " + problem, Param: name}
}

// clip shortens a text for a message, between characters.
func clip(text string) string {
	if len(text) <= maxShown {
		return text
	}
	end := maxShown
	for !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + "…"
}

func quote(text string) string { return strconv.Quote(clip(text)) }

// shown is a JSON value as a message shows it, with the kind that it is of.
func shown(value json.RawMessage) string {
	if isNull(value) {
		return "null"
	}
	return kindOf(value) + " " + clip(string(value))
}

func kindOf(value json.RawMessage) string {
	switch value[0] {
	case '{':
		return "the object"
	case '[':
		return "the array"
	case '"':
		return "the string"
	case 't', 'f':
		return "the boolean"
	}
	return "the number"
}
