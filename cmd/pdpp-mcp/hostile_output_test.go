package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// commands is what a terminal would act on.
const commands = "\x1b[2J\x1b]0;title\a\u009b31m\u202e\x7f\r\b\u200b\ufeff\u2028\u2029\u00ad\U000e0041\U000e0001"

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
	for shape, structured := range map[tool.Table]string{
		tool.RowTable:      `{"ids":[` + hostile + `],"data":{"data":[{"data":{` + hostile + `:` + hostile + `,"n":[` + hostile + `]}}]}}`,
		tool.HitTable:      `{"results":[{"id":` + hostile + `,"title":` + hostile + `,"snippet":` + hostile + `}]}`,
		tool.GroupTable:    `{"data":{"groups":[{"key":` + hostile + `,` + hostile + `:1}]}}`,
		tool.DocumentTable: `{"text":` + hostile + `}`,
		tool.NoTable:       `{}`,
	} {
		t.Run(fmt.Sprint(shape), func(t *testing.T) {
			result := &tool.Result{Text: "next_cursor=" + commands + "\nx" + commands, Structured: json.RawMessage(structured)}
			shown := table(shape, result, 200)
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

// No character is written to a terminal that it would obey or not show, whatever was sent: not in shown text, in JSON,
// in a cell or in a log of either form. JSON says the same as before.
func FuzzNothingUnseenIsPrinted(f *testing.F) {
	for _, text := range []string{commands, "👨‍👩‍👧‍👦", "a\xff\xc2b", "\u2066\U000110bd\u180e\ufff9", "plain", "\n\t\r"} {
		f.Add(text)
	}
	unseen := func(r rune) bool {
		return r != '\n' && r != '\t' && unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp)
	}
	f.Fuzz(func(t *testing.T, text string) {
		encoded := string(rawjson.Quote(text))
		forms := map[string]string{"text": printable(text), "JSON": printable(encoded), "cell": oneLine(text)}
		for _, format := range []string{"text", "json"} {
			var written strings.Builder
			log := &logging{destination: &written, format: format, level: "info"}
			log.logger().Info(text, "key", text)
			log.fatal(&rs.Error{Status: 400, Code: text, Message: text}, 1)
			forms["log as "+format] = written.String()
		}
		for form, shown := range forms {
			if strings.ContainsFunc(shown, unseen) || !utf8.ValidString(shown) {
				t.Errorf("%s: %q is shown as %q", form, text, shown)
			}
		}
		var before, after string
		if json.Unmarshal([]byte(encoded), &before) != nil || json.Unmarshal([]byte(forms["JSON"]), &after) != nil || before != after {
			t.Errorf("%q says %q after it was %q", forms["JSON"], after, before)
		}
	})
}
