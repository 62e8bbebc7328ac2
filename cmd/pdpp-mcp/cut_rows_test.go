package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/invocation"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
)

// largeRecords starts a provider of two records that are too large for one result, on a page each, and of an
// aggregation with more groups than it returns.
func largeRecords(t *testing.T) (url string, records []string) {
	t.Helper()
	long := strings.Repeat("ü long line\n", 9_000)
	for i := range 2 {
		numbers, err := json.Marshal(make([]int, 30_000))
		if err != nil {
			t.Fatal(err)
		}
		records = append(records,
			fmt.Sprintf(`{"object":"record","id":"m%d","stream":"messages","connection_id":"cin_1",`+
				`"emitted_at":"2026-01-01T00:00:00Z",`+
				`"data":{"subject":"s","body":%s,"numbers":%s}}`, i, rawjson.Quote(long), numbers))
	}
	url = cannedProvider(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/v1/streams/messages/records":
			at, more := 0, `true,"next_cursor":"1"`
			if r.URL.Query().Get("cursor") == "1" {
				at, more = 1, "false"
			}
			_, _ = fmt.Fprintf(w, `{"object":"list","data":[%s],"has_more":%s,"meta":{"warnings":[]}}`, records[at], more)
		case "/v1/streams/messages/aggregate":
			_, _ = io.WriteString(w, `{"object":"aggregation","metric":"count","stream":"messages","group_by":"label",`+
				`"limit":2,"other_count":57,`+
				`"groups":[{"key":"INBOX","count":9},{"key":"SENT","count":7}],"meta":{"warnings":[]}}`)
		default:
			w.WriteHeader(http.StatusUnauthorized)
			_, _ = io.WriteString(w, `{"error":{"type":"authentication_error","code":"context.stream_not_allowed",`+
				`"message":"Token introspection failed closed"}}`)
		}
	})
	return url, records
}

// runCall runs pdpp-mcp call.
func runCall(t *testing.T, provider string, words ...string) (out, problems string, code int) {
	t.Helper()
	return runProgram(t, reading(provider, someToken), append([]string{"call"}, words...)...)
}

// R-HAND-7: an export has whole rows as the resource server sent them, even if a result cuts them, narrowed to the
// requested fields.
func TestAnExportIsWhole(t *testing.T) {
	provider, records := largeRecords(t)
	call := []string{"query_records", "--stream", "messages", "--connection-id", "cin_1", "--all"}
	out, problems, code := runCall(t, provider, call...)
	if want := strings.Join(records, "\n") + "\n"; out != want || code != 0 || problems != "" {
		t.Errorf("ended with %d, printed %d bytes, want %d, and said %q", code, len(out), len(want), problems)
	}
	out, problems, code = runCall(t, provider, append(call, "--fields", "body")...)
	for i, line := range strings.Split(strings.TrimSpace(out), "\n") {
		var row struct {
			ID   string
			Data map[string]string
		}
		if err := json.Unmarshal([]byte(line), &row); err != nil || row.ID != fmt.Sprint("m", i) || len(row.Data) != 1 ||
			len(row.Data["body"]) != 9_000*len("ü long line\n") {
			t.Errorf("line %d is %.200s, %v; want the body alone, and whole", i, line, err)
		}
	}
	if code != 0 || problems != "" {
		t.Errorf("ended with %d and said %q", code, problems)
	}
}

// R-SURF-8: a table notes that there are more groups than it shows.
func TestTableNotesCutGroups(t *testing.T) {
	provider, _ := largeRecords(t)
	out, _, code := runCall(t, provider, "aggregate", "--stream", "messages", "--metric", "count", "--group-by", "label",
		"--format", "table")
	if code != 0 || !regexp.MustCompile(`(?m)^SENT +7$`).MatchString(out) ||
		!strings.Contains(out, "57 more records fall outside these 2 groups") {
		t.Errorf("ended with %d and printed\n%s", code, out)
	}
}

// A stream that is not in the grant is a tool error, not a credential error.
func TestAWrongStreamIsAnAnswer(t *testing.T) {
	provider, _ := largeRecords(t)
	if _, problems, code := runCall(t, provider, "query_records", "--stream",
		"nonsense"); code != invocation.ExitToolError || !strings.Contains(problems, "context.stream_not_allowed") {
		t.Errorf("ended with %d and said %q", code, problems)
	}
}

// The error for an unknown tool names it and the known tools, whatever flags follow it.
func TestAnUnknownToolIsNamed(t *testing.T) {
	for given, want := range map[string]string{
		"querry_record --stream messages": `unknown tool "querry_record"; did you mean query_records? (the tools are ` +
			`schema, query_records,`,
		"nonsense --stream messages": `unknown tool "nonsense" (the tools are schema, query_records,`,
		"--stream messages nonsense": `unknown tool "nonsense" (the tools are`,
		"--stream messages":          "call takes the name of one tool: schema,",
	} {
		_, problems, code := runCall(t, "http://127.0.0.1:1", strings.Fields(given)...)
		if code != invocation.ExitUsage || !strings.Contains(problems, want) {
			t.Errorf("call %s ended with %d and said %q, want %q", given, code, problems, want)
		}
	}
}
