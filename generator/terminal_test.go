package generator_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/pdppmcp/pdpp-mcp/e2e/sandboxtest"
	"github.com/pdppmcp/pdpp-mcp/e2e/timetest"
	"github.com/pdppmcp/pdpp-mcp/sandbox"
)

// addedTool is a tool whose arguments have names that no other tool has.
const addedTool = `tool: mailbox
title: Mailbox
description: Read a mailbox. Read-only.
budget: {bytes: 1400}
arguments:
  - {name: kind, type: string, required: true, check: safe_name, send: path, complete: stream}
  - {name: source, type: string, check: safe_name, send: query, as: connection_id, complete: connection}
  - {name: columns, type: string_list, check: field_names, send: comma_list, as: fields, complete: field}
  - {name: size, type: integer, minimum: 1, maximum: 50, send: query, as: limit}
  - {name: page, type: string, send: query, as: cursor}
request:
  method: GET
  path: "/v1/streams/{kind}/records"
  sources: {from: one, with: {stream: kind, connection_id: source}}
result: {render: records, table: rows, pages: page, with: {stream: kind, connection_id: source, fields: columns}}
output: records
`

// A tool that is added in YAML alone has its table, pages and completion at a terminal.
func TestAToolAddedInYAMLHasItsTerminal(t *testing.T) {
	timetest.WithoutRace(t)
	specs := specsWith(t, "toolspec/surface.yaml", func(text string) string {
		return strings.Replace(text, "\ntools:\n", "\ntools:\n  - mailbox\n", 1)
	})
	raiseBudget(specs)
	specs["toolspec/tools/mailbox.yaml"] = &fstest.MapFile{Data: []byte(addedTool)}
	terminal := newAddedTerminal(t, generate(t, specs))

	table := terminal.run("call", "mailbox", "--kind", "messages", "--source", "cin_gmail_personal", "--columns",
		"subject", "--size", "2", "--format", "table")
	if lines := strings.Split(table, "\n"); !strings.HasPrefix(lines[0], "subject ") ||
		!strings.HasSuffix(lines[0], " handle") || !strings.Contains(lines[1], " cin_gmail_personal/messages:") {
		t.Errorf("no table:\n%s", table)
	}
	rows := strings.Count(terminal.run("call", "mailbox", "--kind", "messages", "--source", "cin_gmail_personal", "--size",
		"20", "--all"), "\n")
	if want := strings.Count(terminal.run("call", "query_records", "--stream", "messages", "--connection-id",
		"cin_gmail_personal", "--limit", "20", "--all"), "\n"); rows != want || rows <= 20 {
		t.Errorf("--all gives %d rows, want the %d of several pages", rows, want)
	}
	for _, test := range []struct {
		begun []string
		want  string
	}{
		{[]string{"--kind", "mess"}, "messages\n"},
		{[]string{"--kind", "messages", "--source", "cin_gmail_p"}, "cin_gmail_personal\t"},
		{[]string{"--kind", "messages", "--columns", "id,subj"}, "id,subject\n"},
	} {
		// A shell waits two seconds for the provider, which may be too short for a busy machine.
		got := ""
		for try := 0; try < 10 && !strings.Contains(got, test.want); try++ {
			got = terminal.run(append([]string{"__complete", "call", "mailbox"}, test.begun...)...)
		}
		if !strings.Contains(got, test.want) {
			t.Errorf("%v completes to %q, want %q", test.begun, got, test.want)
		}
	}
}

// addedTerminal is the real binary built with other generated files, and a provider for it.
type addedTerminal struct {
	t        *testing.T
	binary   string
	provider []string // the environment that names it
}

func newAddedTerminal(t *testing.T, files map[string]string) *addedTerminal {
	t.Helper()
	box, url := sandboxtest.Serve(t, sandbox.Options{PublicURL: "http://sandbox.test"})
	binary := filepath.Join(t.TempDir(), "pdpp-mcp")
	goCommand(t, overlay(t, files), "./cmd/pdpp-mcp", "build", "-ldflags=-s -w", "-o", binary)
	provider := []string{
		"PDPP_PROVIDER_URL=" + url, "PDPP_ACCESS_TOKEN=" + box.Tokens()["everything"],
		"PDPP_CACHE_ROOT=" + t.TempDir(),
	}
	return &addedTerminal{t: t, binary: binary, provider: provider}
}

func (a *addedTerminal) run(arguments ...string) string {
	a.t.Helper()
	command := exec.CommandContext(a.t.Context(), a.binary, arguments...)
	command.Env = append(os.Environ(), a.provider...)
	var said strings.Builder
	command.Stderr = &said
	printed, err := command.Output()
	if err != nil {
		a.t.Errorf("%v: %v\n%s", arguments, err, said.String())
	}
	return string(printed)
}
