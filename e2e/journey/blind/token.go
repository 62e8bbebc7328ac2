package blind

import (
	"encoding/json"
	"strings"
)

// token is name=value in a line of text.
type token struct {
	name   string
	value  string // JSON, or the characters as they stand
	quoted bool   // the name is a JSON string: a name of the data, never one of the adapter's own
}

// isOwn reports whether it is the adapter's token of that name.
func (t token) isOwn(name string) bool { return t.name == name && !t.quoted }

// text returns the string of a JSON string, and any other value unchanged.
func (t token) text() string {
	var text string
	if json.Unmarshal([]byte(t.value), &text) == nil {
		return text
	}
	return t.value
}

// tokens returns the name=value pairs of a line, in order. Words and JSON values between them are passed over.
func tokens(line string) []token {
	var found []token
	for line = strings.TrimLeft(line, " "); line != ""; line = strings.TrimLeft(line, " ") {
		name, rest := cutName(line)
		value, isToken := strings.CutPrefix(rest, "=")
		if !isToken {
			line = afterWord(line)
			continue
		}
		length := valueLength(value)
		found = append(found, token{name, value[:length], line[0] == '"'})
		line = value[length:]
	}
	return found
}

// afterWord returns a line without its first word. JSON in a word counts as one character, so that spaces in it end
// nothing.
func afterWord(line string) string {
	for at := 0; at < len(line); at++ {
		switch line[at] {
		case ' ':
			return line[at+1:]
		case '"', '{', '[':
			at += max(0, jsonLength(line[at:])-1)
		}
	}
	return ""
}

// cutName takes the name off a token: a word, or a JSON string when the name is an odd one or one of the
// data's. The rest of a word that is not a token does not begin with an equals sign.
func cutName(line string) (name, rest string) {
	if length := jsonLength(line); line[0] == '"' && length > 0 {
		return token{value: line[:length]}.text(), line[length:]
	}
	if end := strings.IndexAny(line, `= "{[`); end >= 0 {
		return line[:end], line[end:]
	}
	return line, ""
}

// valueLength returns the length of a value: a JSON value, or a word, which may have something in brackets behind it,
// as in blob(size_bytes=5 mime_type="image/png").
func valueLength(value string) int {
	if value != "" && strings.ContainsRune(`"{[`, rune(value[0])) {
		if length := jsonLength(value); length > 0 {
			return length
		}
	}
	word, _, _ := strings.Cut(value, " ")
	if at := strings.IndexByte(word, '('); at >= 0 && !strings.Contains(word[:at], `"`) {
		if end := closingBracket(value[at+1:]); end >= 0 {
			return at + 1 + end + 1
		}
	}
	return len(word)
}

// closingBracket returns the index at which the first bracket outside JSON strings closes, or -1.
func closingBracket(text string) int {
	for at := 0; at < len(text); at++ {
		switch text[at] {
		case ')':
			return at
		case '"':
			at += max(0, jsonLength(text[at:])-1)
		}
	}
	return -1
}

// jsonLength returns the length of the JSON value that text begins with, or 0.
func jsonLength(text string) int {
	decoder := json.NewDecoder(strings.NewReader(text))
	var value json.RawMessage
	if decoder.Decode(&value) != nil {
		return 0
	}
	return int(decoder.InputOffset())
}

// find is the text of the first of the adapter's tokens of that name.
func find(line, name string) (string, bool) {
	for _, token := range tokens(line) {
		if token.isOwn(name) {
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

// listed returns the names in a list: words, or JSON strings.
func listed(line string) []string {
	var names []string
	for line = strings.TrimLeft(line, " "); line != ""; line = strings.TrimLeft(line, " ") {
		length := jsonLength(line)
		if line[0] != '"' || length == 0 {
			word, _, _ := strings.Cut(line, " ")
			length = len(word)
		}
		names, line = append(names, token{value: line[:length]}.text()), line[length:]
	}
	return names
}
