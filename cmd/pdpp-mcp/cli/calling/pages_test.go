package calling

import (
	"context"
	"encoding/json"
	"slices"
	"testing"

	"github.com/spf13/cobra"

	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/invocation"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// A page that is too large is read again with fewer rows, down to one.
func TestTooLargePage(t *testing.T) {
	var limits []string
	ask := func(_ context.Context, _ tool.Env, arguments json.RawMessage) (*tool.Answer, error) {
		object, _ := rawjson.ParseObject(arguments)
		limits = append(limits, string(object.Get(tool.HitsLimit)))
		return nil, &rs.Failure{Reason: rs.ResponseTooLarge}
	}
	r := &reading{
		toolCommand: &toolCommand{definition: tool.Definition{Ask: ask}}, maxRows: 10, pageSize: 10,
		account: func(reader rs.Reader) (rs.Reader, func(int, error)) { return reader, func(int, error) {} },
	}
	if _, err := r.readPage(t.Context(), nil); err == nil || !slices.Equal(limits, []string{"10", "2", "1"}) {
		t.Errorf("%v, %v", limits, err)
	}
}

// A cursor in the command line to continue is quoted for the shell.
func TestNextCallIsQuoted(t *testing.T) {
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
	command, rest, err := root.Find([]string{
		"call", "query_records", "--provider-url", "https://a.example/x y", "--all",
		"--force=false", "--jq", "", "--limit", "3", "--stream", "m",
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := command.ParseFlags(rest); err != nil {
		t.Fatal(err)
	}
	got := commandFor(command, command, []byte("{\"filter\":{\"a\":\"it's $HOME \u202e\"},\"cursor\":\"c\"}"))
	want := `pdpp-mcp call query_records --jq '' --all --force=false --provider-url 'https://a.example/x y' --json ` +
		`'{"filter":{"a":"it'\''s $HOME \u202e"},"cursor":"c"}'`
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
		`{"stream":"m","filter":{"a":"b","t":{"gte":"1","lt":"x y"}}}`: begin +
			`m --filter a=b --filter t.gte=1 --filter 't.lt=x y'`,
		`{"stream":"m","filter":{"a":true}}`: begin + `--json '{"stream":"m","filter":{"a":true}}'`,
		`{"stream":"m","filter":{"a.gte":"b"}}`: begin +
			`--json '{"stream":"m","filter":{"a.gte":"b"}}'`,
		`{"stream":"m","filter":{"a>b":"c"}}`: begin +
			`--json '{"stream":"m","filter":{"a>b":"c"}}'`,
		`{"stream":"m","expand_limit":{"r":2}}`: begin + `m --expand-limit r=2`,
		`{"stream":"m","other":1}`:              begin + `--json '{"stream":"m","other":1}'`,
		`{"stream":7}`:                          begin + `--json '{"stream":7}'`,
		`{"stream":"\u202e"}`:                   begin + `--json '{"stream":"\u202e"}'`,
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
