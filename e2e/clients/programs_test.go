//go:build clients

package clients_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// programCalls are the calls whose results the programs read, by the names of the results. There is a call of each
// tool.
var programCalls = []struct{ result, tool, arguments string }{
	{"schema", "schema", `{}`},
	{"query_records", "query_records", `{"stream":"messages","connection_id":"cin_gmail_personal","limit":2}`},
	{"aggregate", "aggregate", `{"stream":"messages","connection_id":"cin_gmail_personal","metric":"count","group_by":"from_name","limit":2}`},
	{"search", "search", `{"q":"overdraft","limit":2}`},
	{"fetch", "fetch", `{"id":"cin_gmail_personal/messages:p-msg-080"}`},
	{"read_record_field", "read_record_field", `{"id":"cin_gmail_personal/message_bodies:p-msg-010","field_path":"body_text","limit_chars":100}`},
	{"refused", "query_records", `{"stream":"no_such_stream"}`},
}

// casts are the ways around a type in TypeScript and in Python.
var casts = regexp.MustCompile(`\bas [A-Z{]|\bany\b|\bAny\b|\bcast\(|ts-ignore|type: ignore|\w!\.`)

// R-EVAL-4: programs in TypeScript and in Python are written against types that ordinary tools generate from the output
// schemas. They compile, and read a real result of each tool without a cast.
func TestGeneratedPrograms(t *testing.T) {
	u := newUser(t)
	writeProgramInput(t, u)
	for _, name := range []string{"generate.mjs", "read.ts", "read.py"} {
		text, err := os.ReadFile(filepath.Join("testdata", "programs", name))
		if err != nil {
			t.Fatal(err)
		}
		if found := casts.Find(text); found != nil {
			t.Errorf("%s goes around a type: %s", name, found)
		}
		u.write(t, filepath.Join("work", name), string(text))
	}
	want := strings.Join([]string{
		"schema cin_gmail_personal cin_gmail_work cin_spotify cin_slack_team cin_github cin_calendar cin_fjordbank",
		"query_records cin_gmail_personal/messages:p-msg-081 22 cin_gmail_personal/messages:p-msg-080 22 query_records connection_id cursor limit stream",
		"aggregate Gemüsekiste Oderbruch Juno Weiss 89",
		"search cin_fjordbank/notices:N-2025-0519 cin_fjordbank/notices:N-2026-0106 search",
		"fetch cin_gmail_personal/messages:p-msg-080 YOUR ARRANGED OVERDRAFT IS 500.00 EUR AGAIN true true",
		"read_record_field 100 159 no",
		"refused context.stream_not_allowed true",
		"",
	}, "\n")
	runProgram(t, u, "node", "generate.mjs", ".", filepath.Dir(packages))
	runProgram(t, u, "tsc", "--noEmit", "--strict", "--skipLibCheck", "--target", "es2022", "--module", "nodenext", "--allowImportingTsExtensions",
		"--typeRoots", filepath.Join(filepath.Dir(packages), "@types"), "--types", "node", "read.ts")
	if diff := cmp.Diff(want, runProgram(t, u, "node", "read.ts")); diff != "" {
		t.Errorf("read.ts prints (-want +got):\n%s", diff)
	}
	runProgram(t, u, "python3", "-m", "py_compile", "results.py", "read.py")
	runProgram(t, u, "pyright", "read.py")
	if diff := cmp.Diff(want, runProgram(t, u, "python3", "read.py")); diff != "" {
		t.Errorf("read.py prints (-want +got):\n%s", diff)
	}
}

// writeProgramInput writes the schemas that clients get, those of docs/tools/output, and the results.
func writeProgramInput(t *testing.T, u *user) {
	t.Helper()
	command := exec.CommandContext(t.Context(), filepath.Join(programs, "pdpp-mcp"), "stdio", "--provider-url", pdpp.URL)
	command.Env = u.environment
	session, err := mcp.NewClient(&mcp.Implementation{Name: "programs", Version: "1"}, nil).Connect(t.Context(), &mcp.CommandTransport{Command: command}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	listed, err := session.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range listed.Tools {
		whole, err := os.ReadFile(filepath.Join("..", "..", "docs", "tools", "output", tool.Name+".json"))
		if err != nil {
			t.Fatal(err)
		}
		served, err := json.Marshal(tool.OutputSchema)
		if err != nil {
			t.Fatal(err)
		}
		if tool.OutputSchema == nil { // read_record_field (R-BLOB-3)
			served = whole
		}
		u.write(t, filepath.Join("work", "whole", tool.Name+".json"), string(whole))
		u.write(t, filepath.Join("work", "served", tool.Name+".json"), string(served))
	}
	results := map[string]any{}
	for _, call := range programCalls {
		result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: call.tool, Arguments: json.RawMessage(call.arguments)})
		if err != nil || result.IsError != (call.result == "refused") {
			t.Fatalf("%s %s: %+v, %v", call.tool, call.arguments, result, err)
		}
		results[call.result] = result.StructuredContent
	}
	encoded, err := json.Marshal(results)
	if err != nil {
		t.Fatal(err)
	}
	u.write(t, filepath.Join("work", "results.json"), string(encoded))
}

// runProgram runs a program in the working folder, and returns what it prints.
func runProgram(t *testing.T, u *user, program string, arguments ...string) string {
	t.Helper()
	printed, err := u.command(t, program, arguments...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", program, strings.Join(arguments, " "), err, printed)
	}
	return string(printed)
}
