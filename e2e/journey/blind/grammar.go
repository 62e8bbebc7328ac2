package blind

import "strings"

// Word is one thing of a line of text that has a meaning to who reads it by the grammar: a token, or the
// call of a next line.
type Word struct {
	Name   string // of the token; the tool, for a call
	Quoted bool   // the token's name is a JSON string, so that it is a name of the data
	Value  string // of the token; the arguments, for a call
	IsCall bool
}

// Grammar reads a text line by line with nothing but the grammar: what the tokens and calls of each line are.
func Grammar(text string) [][]Word {
	var lines [][]Word
	for line := range strings.SplitSeq(text, "\n") {
		var words []Word
		if call, ok := nextLine(line); ok {
			words = append(words, Word{Name: call.Tool, Value: call.Arguments, IsCall: true})
		} else {
			for _, token := range tokens(line) {
				words = append(words, Word{Name: token.name, Quoted: token.quoted, Value: token.value})
			}
		}
		lines = append(lines, words)
	}
	return lines
}
