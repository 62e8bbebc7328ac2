package display

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/invocation"
)

// printed writes pages of rows in a form and returns what was printed.
func printed(t *testing.T, flags []string, pages ...[]json.RawMessage) (string, error) {
	t.Helper()
	var out bytes.Buffer
	format := Format{Terminal: invocation.Terminal{Out: &out}}
	set := pflag.NewFlagSet("", pflag.ContinueOnError)
	format.AddFlags(set)
	if err := set.Parse(flags); err != nil {
		t.Fatal(err)
	}
	if err := format.Check(); err != nil {
		t.Fatal(err)
	}
	for _, page := range pages {
		if err := format.WriteRows(t.Context(), page); err != nil {
			return out.String(), err
		}
	}
	return out.String(), format.EndRows(t.Context(), "")
}

// printedHits writes hits as a short command does.
func printedHits(t *testing.T, flags []string, hits []json.RawMessage) (string, error) {
	t.Helper()
	return printedPlain(t, flags, true, hits)
}

// printedPlain writes one page of plain rows or hits with the flags of a short command.
func printedPlain(t *testing.T, flags []string, areHits bool, rows []json.RawMessage) (string, error) {
	t.Helper()
	var out bytes.Buffer
	format := Format{Terminal: invocation.Terminal{Out: &out}}
	set := pflag.NewFlagSet("", pflag.ContinueOnError)
	format.AddRowFlags(set)
	if err := errors.Join(set.Parse(flags), format.Check()); err != nil {
		t.Fatal(err)
	}
	format.StartPlainRows(areHits)
	if err := format.WriteRows(t.Context(), slices.Clone(rows)); err != nil {
		return out.String(), err
	}
	err := format.EndRows(t.Context(), "")
	return out.String(), err
}

// --jq selects from what is printed: each row, or with --json the list of rows.
func TestAQuerySelectsFromWhatIsPrinted(t *testing.T) {
	rows := []json.RawMessage{json.RawMessage(`{"handle":"h1","a":1,"b":2}`), json.RawMessage(`{"handle":"h2","a":3}`)}
	for _, test := range []struct {
		flags []string
		want  string
	}{
		{[]string{"--json", "a", "--jq", ".[].a"}, "1\n3\n"},
		{[]string{"--json", "a,b", "-q", ".[0]"}, "{\"a\":1,\"b\":2}\n"},
		{[]string{"-f", "json", "-q", "length"}, "2\n"},
		{[]string{"-q", ".a"}, "1\n3\n"},
		{[]string{"-c", "b", "-q", ".b"}, "2\nnull\n"},
	} {
		if got, err := printedPlain(t, test.flags, false, rows); got != test.want || err != nil {
			t.Errorf("%v printed %q, %v, want %q", test.flags, got, err, test.want)
		}
	}
}

// An unknown column is an error that lists the known ones.
func TestAnUnknownColumn(t *testing.T) {
	rows := []json.RawMessage{json.RawMessage(`{"handle":"h1","subject":"a","nested":{"b":1}}`)}
	for _, flags := range [][]string{{"-c", "subjekt"}, {"--json", "subject,subjekt"}, {"-c", "subjekt", "-f", "csv"}} {
		got, err := printedPlain(t, flags, false, rows)
		if got != "" || invocation.ExitCode(err) != invocation.ExitUsage ||
			err.Error() != `unknown column "subjekt"; did you mean subject? the columns are handle, subject, nested` {
			t.Errorf("%v printed %q, %v", flags, got, err)
		}
	}
	if got, err := printedPlain(t, []string{"-c", "nested.b,handle"}, false,
		rows); got != "{\"nested.b\":1,\"handle\":\"h1\"}\n" || err != nil {
		t.Errorf("a nested column printed %q, %v", got, err)
	}
}

// Each row is a line: of CSV under one heading for all pages, with every value in its column.
func TestRows(t *testing.T) {
	pages := [][]json.RawMessage{
		{
			json.RawMessage(`{"id":"m1", "data":{"id":"m1","subject":"a, \"b\"\nc","size":12345678901234567890,"to":["x","y"],` +
				`"none":null}}`),
		},
		{json.RawMessage(`{"id":"m2","data":{"subject":"d","id":"other","none":true}}`)},
	}
	for _, test := range []struct {
		flags []string
		want  string
	}{
		{nil, "{\"id\":\"m1\",\"data\":{\"id\":\"m1\",\"subject\":\"a, " +
			"\\\"b\\\"\\nc\",\"size\":12345678901234567890,\"to\":[\"x\",\"y\"],\"none\":null}}\n" +
			"{\"id\":\"m2\",\"data\":{\"subject\":\"d\",\"id\":\"other\",\"none\":true}}\n"},
		{
			[]string{"--format", "csv"},
			"id,subject,size,to,none\nm1,\"a, \"\"b\"\"\nc\",12345678901234567890,\"[\"\"x\"\",\"\"y\"\"]\",\nm2,d,,,true\n",
		},
		{[]string{"--jq", ".data|.size,.subject|select(.)"}, "12345678901234567890\na, \"b\"\nc\nd\n"},
	} {
		got, err := printed(t, test.flags, pages...)
		if got != test.want {
			t.Errorf("%v printed\n%q\nwant\n%q", test.flags, got, test.want)
		}
		if lacks := err != nil && strings.Contains(err.Error(),
			"the CSV lacks 1 member that only later rows have: data.id"); lacks != (len(test.flags) == 2 &&
			test.flags[1] == "csv") {
			t.Errorf("%v ended with %v", test.flags, err)
		}
	}
}

// CSV has the columns of the first page that has rows: a page of a filtered stream may have none.
func TestCSVAfterAPageWithoutRows(t *testing.T) {
	page := []json.RawMessage{json.RawMessage(`{"id":"m1","data":{"size":3}}`)}
	if got, err := printed(t, []string{"--format", "csv"}, nil, page); got != "id,size\nm1,3\n" || err != nil {
		t.Errorf("printed %q, %v", got, err)
	}
	if got, err := printed(t, []string{"--format", "csv"}, nil); got != "" || err != nil {
		t.Errorf("of no rows it printed %q, %v", got, err)
	}
}

// A wrong query is refused with the position of the mistake.
func TestAWrongQueryNamesThePosition(t *testing.T) {
	for expression, want := range map[string]string{
		".[":       `--jq: unexpected EOF after ".[", at character 3`,
		".a | ü }": `after ".a | `,
	} {
		format := Format{expression: expression}
		if err := format.Check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("--jq %q: %v, want %q", expression, err, want)
		}
	}
}

// A query says what failed, and may end early.
func TestQueryEnds(t *testing.T) {
	_, err := printed(t, []string{"--jq", "error"}, []json.RawMessage{json.RawMessage(`"no"`)})
	if invocation.ExitCode(err) != invocation.ExitToolError || !strings.Contains(err.Error(), "--jq: error: no") {
		t.Errorf("ended with %v", err)
	}
	got, err := printed(t, []string{"--jq", "1, halt, 2"}, []json.RawMessage{json.RawMessage(`{}`)})
	if got != "1\n" || err != nil {
		t.Errorf("printed %q, %v", got, err)
	}
}
