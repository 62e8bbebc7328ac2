package blind

import (
	"encoding/json"
	"strings"
)

// token is name=value in a line of text.
type token struct {
	name  string
	value string // JSON, or the characters as they stand
}

// text is the string that a value stands for; a value that is no JSON string stands for itself.
func (t token) text() string {
	var text string
	if json.Unmarshal([]byte(t.value), &text) == nil {
		return text
	}
	return t.value
}

// tokens are the name=value pairs of a line, in order. Words between them are passed over.
func tokens(line string) []token {
	var found []token
	for line = strings.TrimLeft(line, " "); line != ""; line = strings.TrimLeft(line, " ") {
		name, rest := cutName(line)
		value, isToken := strings.CutPrefix(rest, "=")
		if !isToken {
			_, line, _ = strings.Cut(line, " ")
			continue
		}
		length := valueLength(value)
		found = append(found, token{name, value[:length]})
		line = value[length:]
	}
	return found
}

// cutName takes the name off a token: a word, or a JSON string when the name is an odd one.
func cutName(line string) (name, rest string) {
	if length := jsonLength(line); line[0] == '"' && length > 0 {
		return token{value: line[:length]}.text(), line[length:]
	}
	if end := strings.IndexAny(line, "= "); end >= 0 {
		return line[:end], line[end:]
	}
	return line, ""
}

// valueLength is how far a value goes: a JSON value, or a word, which may have something in brackets
// behind it, as in blob(size_bytes=5 mime_type="image/png").
func valueLength(value string) int {
	if value != "" && strings.ContainsRune(`"{[`, rune(value[0])) {
		if length := jsonLength(value); length > 0 {
			return length
		}
	}
	word, _, _ := strings.Cut(value, " ")
	if strings.Contains(word, "(") {
		if end := strings.Index(value, ")"); end >= 0 {
			return end + 1
		}
	}
	return len(word)
}

// jsonLength is the length of the JSON value that text begins with, or 0.
func jsonLength(text string) int {
	decoder := json.NewDecoder(strings.NewReader(text))
	var value json.RawMessage
	if decoder.Decode(&value) != nil {
		return 0
	}
	return int(decoder.InputOffset())
}

// find is the text of the first token of that name.
func find(line, name string) (string, bool) {
	for _, token := range tokens(line) {
		if token.name == name {
			return token.text(), true
		}
	}
	return "", false
}

// nextLine reads next: tool {arguments}.
func nextLine(line string) (Call, bool) {
	call, ok := strings.CutPrefix(strings.TrimLeft(line, " "), "next: ")
	if !ok {
		return Call{}, false
	}
	tool, arguments, _ := strings.Cut(call, " ")
	return Call{tool, arguments}, json.Valid([]byte(arguments))
}
