package display

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/invocation"
	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
)

// template makes a line of each row. It has no language but fields such as {{.subject}}: text/template would make the binary a
// fifth larger, and --jq says what is more than that.
type template struct {
	before []string // the text before each field
	fields []string // names as CSV has them; dots lead into nested objects
	after  string
	known  bool // the fields were looked for in rows
}

// escapes are those of a template, as the shell passes them.
var escapes = strings.NewReplacer(`\t`, "\t", `\n`, "\n", `\\`, `\`)

func newTemplate(passed string) (*template, error) {
	made := &template{}
	rest := passed
	for {
		before, tail, found := strings.Cut(rest, "{{")
		if !found {
			made.after = escapes.Replace(rest)
			break
		}
		inside, tail, closed := strings.Cut(tail, "}}")
		field, dotted := strings.CutPrefix(strings.TrimSpace(inside), ".")
		if !closed || !dotted || field == "" || strings.ContainsAny(field, " |()\"'`$") {
			return nil, invocation.Usagef("--template takes fields such as {{.subject}} and nothing else between braces, not %q; --jq can do more", inside)
		}
		made.before, made.fields, rest = append(made.before, escapes.Replace(before)), append(made.fields, field), tail
	}
	if len(made.fields) == 0 {
		return nil, invocation.Usagef("--template %q has no field; write one such as {{.subject}}", passed)
	}
	return made, nil
}

// lines returns a line for each row, which ends with a line break.
func (t *template) lines(rows []json.RawMessage) ([]byte, error) {
	flat := flattened(rows)
	if err := t.check(flat); err != nil {
		return nil, err
	}
	var lines []byte
	for _, row := range flat {
		for i, field := range t.fields {
			lines = append(lines, t.before[i]...)
			if value := memberAt(row, field); value != nil {
				lines = append(lines, csvCell(value)...)
			}
		}
		lines = append(append(lines, t.after...), '\n')
	}
	return lines, nil
}

// check refuses a field that none of the first rows has, since it is mistyped. Records may lack what others of their stream have.
func (t *template) check(rows []rawjson.Object) error {
	if t.known || len(rows) == 0 {
		return nil
	}
	t.known = true
	for _, field := range t.fields {
		if slices.ContainsFunc(rows, func(row rawjson.Object) bool { return memberAt(row, field) != nil }) {
			continue
		}
		return invocation.Failf("--template: no row has {{.%s}}; the fields are %s", field, invocation.OneLine(strings.Join(memberNames(rows), ", ")))
	}
	return nil
}
