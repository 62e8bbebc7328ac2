package display

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/invocation"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// A table notes how many of its columns it hides, and which.
func TestATableCountsWhatItHides(t *testing.T) {
	var fields []string
	for i := range 22 {
		fields = append(fields, fmt.Sprintf(`"field_%d":"a value of some length"`, i))
	}
	result := &tool.Result{Structured: json.RawMessage(`{"data":{"data":[{"id":"m1","data":{` + strings.Join(fields, ",") + `}}]},"ids":["messages:m1"]}`)}
	heading, rest, _ := strings.Cut(Table(tool.RowTable, result, 160), "\n")
	shown := len(strings.Fields(heading))
	if want := fmt.Sprintf("\n%d of 23 columns do not fit; ", 23-shown); shown < 5 || !strings.Contains(rest, want) || !strings.Contains(rest, fmt.Sprintf("\nnot shown: field_%d, ", shown-1)) {
		t.Errorf("with %d columns, below the heading stands\n%s\nwant %q", shown, rest, want)
	}
}

// commands has characters that a terminal would act on or not show.
const commands = "\x1b[2J\x1b]0;title\a\u009b31m\u202e\x7f\r\b\u200b\ufeff\u2028\u2029\u00ad\U000e0041\U000e0001"

// Control characters are escaped wherever an answer has them: in a value, a field's name, an id or a cursor.
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
			shown := Table(shape, result, 200)
			if shown != invocation.Printable(shown) || !strings.Contains(shown, "x") {
				t.Errorf("%q", shown)
			}
		})
	}
	for _, structured := range []string{`{}`, `{"data":[{` + hostile + `:` + hostile + `}]}`} {
		result := &tool.Result{Text: "x" + commands, Structured: json.RawMessage(structured)}
		if shown := AnswerTable(result, nil, 200); shown != invocation.Printable(shown) || !strings.Contains(shown, "x") {
			t.Errorf("an answer of %s: %q", structured, shown)
		}
	}
}
