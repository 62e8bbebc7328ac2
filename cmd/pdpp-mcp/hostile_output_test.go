package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// commands is what a terminal would act on.
const commands = "\x1b[2J\x1b]0;title\a\u009b31m\u202e\x7f\r\b"

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
	hostile := quoted("x" + commands + "\ny")
	for name, structured := range map[string]string{
		"query_records":     `{"ids":[` + hostile + `],"data":{"data":[{"data":{` + hostile + `:` + hostile + `,"n":[` + hostile + `]}}]}}`,
		"search":            `{"results":[{"id":` + hostile + `,"title":` + hostile + `,"snippet":` + hostile + `}]}`,
		"aggregate":         `{"data":{"groups":[{"key":` + hostile + `,` + hostile + `:1}]}}`,
		"fetch":             `{"text":` + hostile + `}`,
		"schema":            `{}`,
		"read_record_field": `{}`,
	} {
		t.Run(name, func(t *testing.T) {
			result := &tool.Result{Text: "next_cursor=" + commands + "\nx" + commands, Structured: json.RawMessage(structured)}
			shown := table(name, result, 200)
			if strings.ContainsFunc(shown, obeyed) || !strings.Contains(shown, "x") {
				t.Errorf("%q", shown)
			}
		})
	}
}

// An error repeats what a resource server said. It stays one line without commands.
func TestErrorsCannotCommandTheTerminal(t *testing.T) {
	var written strings.Builder
	fails := &logging{destination: &written, format: "text", level: "info"}
	fails.fatal(&rs.Error{Status: 400, Type: "t", Code: "c" + commands, Message: "m" + commands + "\nok", Envelope: []byte(`{}`)}, 1)
	if shown := written.String(); strings.ContainsFunc(shown, obeyed) || strings.Count(shown, "\n") != 1 {
		t.Errorf("%q", shown)
	}
}

// The command that reads on can be pasted: a cursor in it is no command of the shell.
func TestTheCallThatReadsOnIsOneWord(t *testing.T) {
	arguments, err := json.Marshal(map[string]string{"cursor": "c'; touch owned; '\u009b"})
	if err != nil {
		t.Fatal(err)
	}
	shown := readOnCommand(&cobra.Command{Use: "pdpp-mcp"}, arguments)
	if want := `pdpp-mcp --json '{"cursor":"c'\''; touch owned; '\''\u009b"}'`; shown != want {
		t.Errorf("got  %s\nwant %s", shown, want)
	}
}
