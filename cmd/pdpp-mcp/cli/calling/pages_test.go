package calling

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/invocation"
)

// R-HAND-7: an export fails at a row that it cannot print whole, and at a page that leaves out rows, and names them.
func TestAnExportSaysWhatItCannotHaveWhole(t *testing.T) {
	rows, err := newWholeRows().whole([]json.RawMessage{[]byte(`{"id":"m7","stream":"messages","data":{"body":"cut"}}`)}, nil, 6)
	if len(rows) != 0 || err == nil || invocation.ExitCode(err) != invocation.ExitToolError || !strings.Contains(err.Error(), "row 7") || !strings.Contains(err.Error(), "messages m7") {
		t.Errorf("gives %s and %v", rows, err)
	}
	page := shownPage{LeftOut: 3}
	if next, err := page.next("cursor"); next != nil || invocation.ExitCode(err) != invocation.ExitToolError || !strings.Contains(err.Error(), "3 rows") {
		t.Errorf("a page that leaves out rows leads to %s, %v", next, err)
	}
}

// A cursor in the command line to continue is quoted for the shell.
func TestTheCallThatReadsOnIsOneWord(t *testing.T) {
	arguments, err := json.Marshal(map[string]string{"cursor": "c'; touch owned; '\u009b"})
	if err != nil {
		t.Fatal(err)
	}
	root := &cobra.Command{Use: "pdpp-mcp"}
	shown := commandFor(root, root, arguments)
	if want := `pdpp-mcp --json '{"cursor":"c'\''; touch owned; '\''\u009b"}'`; shown != want {
		t.Errorf("got  %s\nwant %s", shown, want)
	}
}

// The command line to continue keeps its arguments through a shell.
func TestReadOnCommand(t *testing.T) {
	root := &cobra.Command{Use: "pdpp-mcp"}
	root.AddCommand(NewCallCommand(invocation.Terminal{}, &invocation.Log{}))
	command, rest, err := root.Find([]string{"call", "query_records", "--provider-url", "https://a.example/x y", "--all", "--force=false", "--jq", "", "--limit", "3", "--stream", "m"})
	if err != nil {
		t.Fatal(err)
	}
	if err := command.ParseFlags(rest); err != nil {
		t.Fatal(err)
	}
	got := commandFor(command, command, []byte("{\"filter\":{\"a\":\"it's $HOME \u202e\"},\"cursor\":\"c\"}"))
	want := `pdpp-mcp call query_records --jq '' --all --force=false --provider-url 'https://a.example/x y' --json '{"filter":{"a":"it'\''s $HOME \u202e"},"cursor":"c"}'`
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// A command line has arguments as people type them when that says the same, and else in --json.
func TestArgumentsAsTyped(t *testing.T) {
	const begin = "pdpp-mcp call query_records "
	for arguments, want := range map[string]string{
		`{"limit":3,"stream":"messages"}`:                      begin + "messages --limit 3",
		`{"stream":"it's","fields":["a","b c"],"order":"asc"}`: begin + `'it'\''s' --order asc --fields 'a,b c'`,
		`{"stream":"m","fields":["a,b"]}`:                      begin + `--json '{"stream":"m","fields":["a,b"]}'`,
		`{"stream":"m","cursor":"-x"}`:                         begin + `--json '{"stream":"m","cursor":"-x"}'`,
		`{"stream":"m","cursor":""}`:                           begin + `--json '{"stream":"m","cursor":""}'`,
		`{"stream":"m","limit":1e2}`:                           begin + `--json '{"stream":"m","limit":1e2}'`,
		`{"stream":"m","filter":{"a":"b"}}`:                    begin + `--json '{"stream":"m","filter":{"a":"b"}}'`,
		`{"stream":"m","other":1}`:                             begin + `--json '{"stream":"m","other":1}'`,
		`{"stream":7}`:                                         begin + `--json '{"stream":7}'`,
		`{"stream":"\u202e"}`:                                  begin + `--json '{"stream":"\u202e"}'`,
	} {
		root := &cobra.Command{Use: "pdpp-mcp"}
		root.AddCommand(NewCallCommand(invocation.Terminal{}, &invocation.Log{}))
		command, _, err := root.Find([]string{"call", "query_records"})
		if err != nil {
			t.Fatal(err)
		}
		if got := commandFor(command, command, []byte(arguments)); got != want {
			t.Errorf("%s\ngot  %s\nwant %s", arguments, got, want)
		}
	}
}
