package main

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"
	"unicode"

	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// obeyed is what a terminal would act on.
const obeyed = "\x1b[2J\x1b]0;title\a\u009b31m\u202e\x7f\r\b"

func commandsTerminal(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool {
		return r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r))
	})
}

// Nothing that came with the data commands the terminal, wherever it stands in an answer: not in a value, a
// field's name, an id or the address of the next page.
func TestTablesCannotCommandTheTerminal(t *testing.T) {
	quoted := func(text string) string {
		encoded, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		return string(encoded)
	}
	hostile := quoted("x" + obeyed + "\ny")
	for name, structured := range map[string]string{
		"query_records":     `{"ids":[` + hostile + `],"data":{"data":[{"data":{` + hostile + `:` + hostile + `,"n":[` + hostile + `]}}]}}`,
		"search":            `{"results":[{"id":` + hostile + `,"title":` + hostile + `,"snippet":` + hostile + `}]}`,
		"aggregate":         `{"data":{"groups":[{"key":` + hostile + `,` + hostile + `:1}]}}`,
		"fetch":             `{"text":` + hostile + `}`,
		"schema":            `{}`,
		"read_record_field": `{}`,
	} {
		t.Run(name, func(t *testing.T) {
			result := &tool.Result{Text: "next_cursor=" + obeyed + "\nx" + obeyed, Structured: json.RawMessage(structured)}
			shown := table(name, result, 200)
			if commandsTerminal(shown) || !strings.Contains(shown, "x") {
				t.Errorf("%q", shown)
			}
		})
	}
}

// An error repeats what a resource server said. It stays one line without commands.
func TestErrorsCannotCommandTheTerminal(t *testing.T) {
	var written strings.Builder
	fails := &logging{destination: &written, format: "text", level: "info"}
	fails.fatal(&rs.Error{Status: 400, Type: "t", Code: "c" + obeyed, Message: "m" + obeyed + "\nok", Envelope: []byte(`{}`)}, 1)
	if shown := written.String(); commandsTerminal(shown) || strings.Count(shown, "\n") != 1 {
		t.Errorf("%q", shown)
	}
}

// The command that reads on can be pasted: a cursor in it is no command of the shell.
func TestTheCallThatReadsOnIsOneWord(t *testing.T) {
	var out, notes strings.Builder
	cursor := `c'; touch owned; '` + "\u009b"
	encoded, err := json.Marshal(cursor)
	if err != nil {
		t.Fatal(err)
	}
	calls := 0
	call := func(context.Context, json.RawMessage) (*tool.Result, error) {
		if calls++; calls > 1 {
			return nil, errors.New("broken off")
		}
		return &tool.Result{Structured: json.RawMessage(`{"data":{"data":[{}],"has_more":true,"next_cursor":` + string(encoded) +
			`},"next":[{"tool":"query_records","arguments":{"cursor":` + string(encoded) + `}}]}`)}, nil
	}
	err = printPages(t.Context(), terminal{in: os.Stdin, out: &out, err: &notes}, call, json.RawMessage(`{}`))
	want := `--json '{"cursor":"c'\''; touch owned; '\''` + "\uFFFD" + `"}'`
	if err == nil || !strings.Contains(notes.String(), want) {
		t.Errorf("%v: %q", err, notes.String())
	}
}
